//! Message handlers (C19): a thread of the rank polls for their messages.
//!
//! MPI does not interrupt a rank when a message arrives. A thread that takes the messages of a
//! handler's tag needs `MPI_THREAD_MULTIPLE`, and yields its core between two polls, so that a rank
//! that is alone on its core still computes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use panto_mpi::Listener;
use panto_units::Time;

use super::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::handler::{Handler, HandlerGuard};
use crate::message::{Status, Tag};
use crate::threads;

impl Endpoint {
    /// Starts a thread that runs `handler` for each message with this tag.
    pub(super) fn listen(&self, tag: Tag, handler: Handler) -> Result<HandlerGuard> {
        let listener = self.comm(tag).listener(tag).map_err(|error| match error {
            panto_mpi::Error::NoThreads => {
                Error::Unsupported("message-driven receive without threads in MPI")
            }
            error => error.into(),
        })?;
        let (own, global) = (self.job.clocks.own, self.clock.get());
        let is_synchronised = self.is_synchronised.get();
        let now = move || if is_synchronised { global.global(own.now()) } else { own.now() };
        let is_closed = Arc::new(AtomicBool::new(false));
        let closed = Arc::clone(&is_closed);
        let thread = std::thread::Builder::new()
            .name(format!("handler {tag}"))
            .spawn(move || {
                // A handler on its rank's core would wait for the computation that it should
                // interrupt.
                threads::reset_affinity();
                serve(&listener, handler, now, &closed);
            })
            .map_err(|error| {
                Error::Start(format!("cannot start the thread of a message handler: {error}"))
            })?;
        Ok(HandlerGuard::new(move || {
            is_closed.store(true, Ordering::Release);
            // The thread cannot panic, unless the handler does.
            let _ = thread.join();
        }))
    }
}

/// Runs the handler for messages until it is closed and none is left. An error of MPI ends the
/// job.
fn serve(listener: &Listener, mut handler: Handler, now: impl Fn() -> Time, is_closed: &AtomicBool) {
    loop {
        // Before the poll: a message that had arrived when the handler was closed is still found.
        let is_last = is_closed.load(Ordering::Acquire);
        match listener.next() {
            Ok(Some((status, data))) => {
                let status = Status { source: status.source, tag: status.tag, len: status.len };
                let sent = handler(status, &data, now());
                let sent = sent.map_or(Ok(()), |it| listener.send(&it.data, it.to, it.tag));
                sent.unwrap_or_else(|error| fail(&error));
            }
            Ok(None) if is_last => return,
            Ok(None) => std::thread::yield_now(),
            Err(error) => fail(&error),
        }
    }
}

/// Ends the process, and with it the job.
fn fail(error: &panto_mpi::Error) -> ! {
    eprintln!("panto: a message handler failed: {error}");
    std::process::exit(1);
}
