//! An HTTP server on loopback for one browser: the page and its tiles, and nothing else.
//!
//! Written by hand because it needs little of HTTP: requests without bodies, one per connection.
//! What it rejects matters more: foreign host names (DNS rebinding: a page elsewhere could have its
//! name resolve to this address and read what is served), other methods, long headers, slow
//! clients.

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

/// Upper limit of simultaneous connections; browsers use six.
const MAX_CONNECTIONS: usize = 64;
/// Timeout for reading a request and for writing a response.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Upper limit of bytes drained from a rejected request.
const MAX_DRAINED: u64 = 1 << 20;

/// A timeline, possibly still being read.
struct ServedTimeline {
    name: String,
    progress: Progress,
    /// The view once it is ready, or why it cannot be shown.
    view: OnceLock<std::result::Result<View, String>>,
}

/// Serves the page until the process ends.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// State shared by all connections.
struct Shared {
    address: SocketAddr,
    page: String,
    shown: Vec<ServedTimeline>,
    open: AtomicUsize,
}

/// Opens timelines and a port: this one, or a free one if 0. The timelines are read in the
/// background.
pub fn serve(paths: &[PathBuf], port: u16) -> Result<Server> {
    if paths.is_empty() || paths.len() > crate::MAX_TIMELINES {
        return Err(Error::TimelineCount(paths.len()));
    }
    let timelines =
        paths.iter().map(|path| Timeline::open(path)).collect::<std::result::Result<Vec<_>, _>>()?;
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listen = |error| Error::Listen { address: wanted, error };
    let listener = TcpListener::bind(wanted).map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let names: Vec<String> = paths.iter().map(|path| name(path)).collect();
    let page = crate::page::served(&names);
    let new = |name: &String| ServedTimeline {
        name: name.clone(),
        progress: Progress::default(),
        view: OnceLock::new(),
    };
    let shown = names.iter().map(new).collect();
    let shared = Arc::new(Shared { address, page, shown, open: AtomicUsize::new(0) });
    for (number, timeline) in timelines.into_iter().enumerate() {
        let shared = Arc::clone(&shared);
        std::thread::spawn(move || shared.shown[number].read(timeline));
    }
    Ok(Server { listener, shared })
}

impl Server {
    /// Returns the address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.shared.address)
    }

    /// Serves requests; never returns.
    pub fn run(&self) {
        for stream in self.listener.incoming().flatten() {
            let shared = Arc::clone(&self.shared);
            if shared.open.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                shared.open.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            std::thread::spawn(move || {
                // A browser that disconnects is not an error.
                let _ = shared.serve(&stream);
                shared.open.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.shown.iter().for_each(|shown| shown.progress.cancel());
    }
}

impl ServedTimeline {
    fn read(&self, timeline: Timeline) {
        let view = View::from_timeline(timeline, self.name.clone(), &self.progress);
        let _ = self.view.set(view.map_err(|error| error.to_string()));
    }
}

impl Shared {
    fn serve(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        stream.set_nodelay(true)?;
        match Request::read(&mut stream) {
            Ok(request) => self.respond(&request).write(&mut stream),
            Err(refusal) => {
                refusal.write(&mut stream)?;
                // Unread input would reset the connection before the response is delivered.
                stream.shutdown(Shutdown::Write)?;
                std::io::copy(&mut stream.take(MAX_DRAINED), &mut std::io::sink()).map(|_| ())
            }
        }
    }
}
