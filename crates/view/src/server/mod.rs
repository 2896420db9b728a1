//! A server on loopback, for one reader's browser: the page and its tiles, and nothing else.
//!
//! It is written by hand because it needs so little of HTTP: requests without bodies, one to a connection. What it refuses matters more: other
//! hosts' names (a page elsewhere could have its name lead here, and read what is served), other methods, long heads, slow ones.

mod request;
mod respond;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use panto_timeline::Timeline;

use crate::data::{Progress, View, name};
use crate::error::{Error, Result};
use request::Request;

/// The most connections that are answered at once; browsers use six.
const MOST_CONNECTIONS: usize = 64;
/// How long a browser may take to say what it wants, and to take the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Of a request that was refused, so much more is taken, and thrown away.
const MOST_UNREAD: u64 = 1 << 20;

/// A timeline that is being looked at, or was.
struct Shown {
    name: String,
    progress: Progress,
    /// Once it is looked at: what can be shown of it, or what is wrong with it.
    view: OnceLock<std::result::Result<View, String>>,
}

/// Serves the page until the process ends.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// What connections are answered from.
struct Shared {
    address: SocketAddr,
    page: String,
    shown: Vec<Shown>,
    open: AtomicUsize,
}

/// Opens timelines and a port: this one, or any that is free. The timelines are looked at in the background.
pub fn serve(paths: &[PathBuf], port: u16) -> Result<Server> {
    if paths.is_empty() || paths.len() > crate::MOST_TIMELINES {
        return Err(Error::HowMany(paths.len()));
    }
    let timelines =
        paths.iter().map(|path| Timeline::open(path)).collect::<std::result::Result<Vec<_>, _>>()?;
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listen = |error| Error::Listen { address: wanted, error };
    let listener = TcpListener::bind(wanted).map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let names: Vec<String> = paths.iter().map(|path| name(path)).collect();
    let page = crate::page::served(&names);
    let new =
        |name: &String| Shown { name: name.clone(), progress: Progress::default(), view: OnceLock::new() };
    let shown = names.iter().map(new).collect();
    let shared = Arc::new(Shared { address, page, shown, open: AtomicUsize::new(0) });
    for (number, timeline) in timelines.into_iter().enumerate() {
        let shared = Arc::clone(&shared);
        std::thread::spawn(move || shared.shown[number].look(timeline));
    }
    Ok(Server { listener, shared })
}

impl Server {
    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.shared.address)
    }

    /// Answers whoever asks, for ever.
    pub fn run(&self) {
        for stream in self.listener.incoming().flatten() {
            let shared = Arc::clone(&self.shared);
            if shared.open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                shared.open.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            std::thread::spawn(move || {
                // A browser that has gone is no failure.
                let _ = shared.answer(&stream);
                shared.open.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.shown.iter().for_each(|shown| shown.progress.stop());
    }
}

impl Shown {
    fn look(&self, timeline: Timeline) {
        let view = View::of(timeline, self.name.clone(), &self.progress);
        let _ = self.view.set(view.map_err(|error| error.to_string()));
    }
}

impl Shared {
    fn answer(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        match Request::read(&mut stream) {
            Ok(request) => self.respond(&request).write(&mut stream),
            Err(refusal) => {
                refusal.write(&mut stream)?;
                // What was not read would end the connection before the refusal is.
                stream.shutdown(Shutdown::Write)?;
                std::io::copy(&mut stream.take(MOST_UNREAD), &mut std::io::sink()).map(|_| ())
            }
        }
    }
}
