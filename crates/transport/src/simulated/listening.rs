//! Handlers (C19): they run when a message arrives, in the order of time, whatever their rank computes.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use panto_units::Time;

use super::endpoint::Endpoint;
use crate::handler::{Handler, Listening};
use crate::message::Tag;

/// How often a rank that stops listening looks whether promised messages are still on their way; doubled each time.
const LOOK: Time = Time::from_nanos(1_000);

thread_local! {
    /// The rank that is running on this thread. A `Listening` may be dropped anywhere, also after its world is gone; only
    /// on its own rank can it wait.
    static RUNNING: Cell<*const Endpoint> = const { Cell::new(std::ptr::null()) };
}

/// This rank runs on this thread from now on.
pub(super) fn runs(endpoint: &Endpoint) {
    RUNNING.set(endpoint);
}

/// Runs something that lets ranks run; afterwards the rank that ran before does again, of a world around this one.
pub(super) fn while_ranks_run<R>(body: impl FnOnce() -> R) -> R {
    let before = RUNNING.replace(std::ptr::null());
    let result = body();
    RUNNING.set(before);
    result
}

/// Lets messages with this tag go to the handler. The rank must be in the order of time already.
pub(super) fn listen(endpoint: &Endpoint, tag: Tag, handler: Handler) -> Listening {
    let owner = endpoint.identity();
    let is_over = endpoint.core.listen(endpoint.rank as usize, tag, handler);
    Listening::new(move || {
        // SAFETY: a rank sets the pointer when it goes on, and it is set back when the rank gives the thread back; an
        // endpoint lives as long as its rank.
        match unsafe { RUNNING.get().as_ref() } {
            Some(endpoint) if endpoint.identity() == owner && !std::thread::panicking() => {
                stop(endpoint, tag);
            }
            _ => {}
        }
        is_over.store(true, Ordering::Relaxed);
    })
}

/// Waits for the messages that came already, and for those that were promised to the handler, and listens no more.
fn stop(endpoint: &Endpoint, tag: Tag) {
    let mut pause = LOOK;
    let mut heard = endpoint.take_turn();
    endpoint.core.tell(|engine| engine.unlisten(endpoint.rank, tag));
    while heard.is_ok() && endpoint.core.tell(|engine| engine.owes(endpoint.rank)) {
        let moment = endpoint.core.tell(|engine| engine.clock(endpoint.rank)).saturating_add(pause);
        endpoint.core.tell(|engine| engine.wait_until(endpoint.rank, moment));
        heard = endpoint.suspend();
        pause = pause.saturating_add(pause);
    }
    endpoint.core.forget_handler(endpoint.rank as usize, tag);
}
