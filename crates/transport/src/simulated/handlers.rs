//! Message handlers (C19) of simulated ranks: they run when a message arrives, in the order of
//! virtual time, while their rank computes.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use panto_units::Time;

use super::endpoint::Endpoint;
use crate::handler::{Handler, HandlerGuard};
use crate::message::Tag;

/// The first interval after which a rank that removes its handler checks for messages still in
/// flight to it; doubled each time.
const POLL_INTERVAL: Time = Time::from_nanos(1_000);

thread_local! {
    /// The rank that is running on this thread. A `HandlerGuard` may be dropped anywhere, also
    /// after its world has ended; only on its own rank can it wait.
    static RUNNING: Cell<*const Endpoint> = const { Cell::new(std::ptr::null()) };
}

/// Records that this rank runs on this thread.
pub(super) fn set_running(endpoint: &Endpoint) {
    RUNNING.set(endpoint);
}

/// Calls `body`, which resumes ranks, and restores the running rank afterwards: this world may run
/// inside a rank of another.
pub(super) fn preserving_running<R>(body: impl FnOnce() -> R) -> R {
    let before = RUNNING.replace(std::ptr::null());
    let result = body();
    RUNNING.set(before);
    result
}

/// Registers a handler. The rank must be in time order already.
pub(super) fn listen(endpoint: &Endpoint, tag: Tag, handler: Handler) -> HandlerGuard {
    let owner = endpoint.identity();
    let is_closed = endpoint.shared.listen(endpoint.rank as usize, tag, handler);
    HandlerGuard::new(move || {
        // SAFETY: a rank sets the pointer whenever it is resumed, and `preserving_running` restores
        // it when the rank is suspended; an endpoint lives as long as its rank.
        match unsafe { RUNNING.get().as_ref() } {
            Some(endpoint) if endpoint.identity() == owner && !std::thread::panicking() => {
                stop(endpoint, tag);
            }
            _ => {}
        }
        is_closed.store(true, Ordering::Relaxed);
    })
}

/// Waits for messages that have arrived or are in flight to the handler, and removes it.
fn stop(endpoint: &Endpoint, tag: Tag) {
    let mut pause = POLL_INTERVAL;
    let mut heard = endpoint.wait_for_turn();
    endpoint.shared.with_engine(|engine| engine.remove_handler(endpoint.rank, tag));
    while heard.is_ok() && endpoint.shared.with_engine(|engine| engine.has_pending_handled(endpoint.rank)) {
        let moment = endpoint.shared.with_engine(|engine| engine.clock(endpoint.rank)).saturating_add(pause);
        endpoint.shared.with_engine(|engine| engine.wait_until(endpoint.rank, moment));
        heard = endpoint.suspend();
        pause = pause.saturating_add(pause);
    }
    endpoint.shared.forget_handler(endpoint.rank as usize, tag);
}
