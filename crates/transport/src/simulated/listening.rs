//! Handlers (C19): they run when a message arrives, in the order of time, whatever their rank computes.

use std::cell::Cell;

use panto_units::Time;

use super::endpoint::Endpoint;
use crate::handler::{Handler, Listening};
use crate::message::Tag;

/// How often a rank that stops listening looks whether messages are still on their way; doubled each time.
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

/// No rank does.
pub(super) fn nobody_runs() {
    RUNNING.set(std::ptr::null());
}

/// Lets messages with this tag go to the handler, which must be in the order of time already.
pub(super) fn listen(endpoint: &Endpoint, tag: Tag, handler: Handler) -> Listening {
    let owner = endpoint.identity();
    endpoint.core.listen(endpoint.rank as usize, tag, handler);
    Listening::new(move || {
        // SAFETY: a rank sets the pointer when it goes on, and the scheduler clears it when the rank gives the thread back;
        // an endpoint lives as long as its rank.
        if let Some(endpoint) = unsafe { RUNNING.get().as_ref() }
            && endpoint.identity() == owner
        {
            stop(endpoint, tag);
        }
    })
}

/// Waits for the messages that were sent already, and listens no more.
fn stop(endpoint: &Endpoint, tag: Tag) {
    let mut pause = LOOK;
    while endpoint.core.tell(|engine| engine.is_expecting(endpoint.rank, tag)) {
        let moment = endpoint.core.tell(|engine| engine.clock(endpoint.rank)).saturating_add(pause);
        endpoint.core.tell(|engine| engine.wait_until(endpoint.rank, moment));
        if endpoint.suspend().is_err() {
            break;
        }
        pause = pause.saturating_add(pause);
    }
    endpoint.core.unlisten(endpoint.rank as usize, tag);
}
