//! An HTTP server on loopback for one browser: the page and its tiles, and nothing else.
//!
//! Written by hand because it needs little of HTTP: requests without bodies, one per connection.
//! What it rejects matters more: foreign host names (DNS rebinding: a page elsewhere could have its
//! name resolve to this address and read what is served), other users of the host (the address
//! contains a random token), other methods, long headers, slow clients.

mod deadline;
mod request;
mod respond;
#[cfg(test)]
mod tests;
mod token;

use std::io::Read;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use panto_timeline::Timeline;

use crate::data::{Progress, View, name};
use crate::error::{Error, Result};
use deadline::Deadline;
use request::Request;
use respond::Response;
use token::Token;

/// Upper limit of simultaneous connections; browsers use six.
const MAX_CONNECTIONS: usize = 64;
/// Time to send a whole request, and to read why it was rejected.
const REQUEST_TIME: Duration = Duration::from_secs(10);
/// Time to read a whole response: 100 MB through a slow tunnel.
const RESPONSE_TIME: Duration = Duration::from_secs(120);
/// Pause after a connection that cannot be accepted, because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

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
    token: Token,
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
    let token = Token::new().map_err(Error::Token)?;
    let shared = Arc::new(Shared { address, token, page, shown, open: AtomicUsize::new(0) });
    for (number, timeline) in timelines.into_iter().enumerate() {
        let shared = Arc::clone(&shared);
        spawn(Box::new(move || shared.shown[number].read(timeline))).map_err(Error::Thread)?;
    }
    Ok(Server { listener, shared })
}

/// Work of another thread.
type Job = Box<dyn FnOnce() + Send>;

fn spawn(job: Job) -> std::io::Result<()> {
    std::thread::Builder::new().spawn(job).map(drop)
}

impl Server {
    /// Returns the address of the page. It is a secret: it suffices to read what is served.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.shared.address, self.shared.token)
    }

    /// Serves requests; never returns.
    pub fn run(&self) {
        self.run_on(spawn);
    }

    /// Serves requests, each by a job; one that cannot be started gets an error.
    fn run_on(&self, spawn: impl Fn(Job) -> std::io::Result<()>) {
        for accepted in self.listener.incoming() {
            let Ok(stream) = accepted else {
                std::thread::sleep(ACCEPT_PAUSE);
                continue;
            };
            let (shared, stream) = (Arc::clone(&self.shared), Arc::new(stream));
            if shared.open.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                self.refuse(&stream, "too many connections; try again in a few seconds");
                continue;
            }
            let served = Arc::clone(&stream);
            let job = Box::new(move || {
                // A browser that disconnects is not an error.
                let _ = shared.serve(&served);
                shared.open.fetch_sub(1, Ordering::Relaxed);
            });
            if let Err(error) = spawn(job) {
                self.refuse(&stream, &format!("cannot start a thread: {error}; try again later"));
            }
        }
    }

    /// Ends a connection for which there is no thread. The response fits the socket's buffer, so
    /// that no client can delay the next one.
    fn refuse(&self, stream: &TcpStream, why: &str) {
        self.shared.open.fetch_sub(1, Ordering::Relaxed);
        let _ = stream.set_nonblocking(true);
        let _ = Response::refuse("503 Service Unavailable", why).write(&mut &*stream);
        let _ = stream.shutdown(Shutdown::Write);
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
    fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut limited = Deadline::new(stream, REQUEST_TIME);
        match Request::read(&mut limited) {
            Ok(request) => self.respond(&request).write(&mut Deadline::new(stream, RESPONSE_TIME)),
            Err(refusal) => {
                refusal.write(&mut Deadline::new(stream, REQUEST_TIME))?;
                // Unread input would reset the connection before the response is delivered.
                stream.shutdown(Shutdown::Write)?;
                std::io::copy(&mut limited.take(MAX_DRAINED), &mut std::io::sink()).map(|_| ())
            }
        }
    }
}
