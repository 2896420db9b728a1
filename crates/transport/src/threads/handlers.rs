//! Message handlers of a rank, which run when a message arrives and not when it is received
//! (requirement C19), each on a thread of its own.
//!
//! The sending rank puts a copy of the message into the handler's queue and wakes its thread, so
//! the receiving rank, which may be computing, takes no part. When all cores are busy, the system's
//! scheduler prefers a thread that has just woken up to those that used up their time slice, which
//! keeps handlers prompt.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};

use super::affinity;
use super::endpoint::check_tag;
use super::sending::Destination;
use super::shared::Shared;
use crate::error::{Error, Result};
use crate::handler::{Handler, HandlerGuard, HandlerMessage};
use crate::message::{Status, Tag};

/// The handlers registered at one rank, by tag.
#[derive(Default)]
pub(super) struct Handlers {
    any: AtomicBool,
    queues: RwLock<HashMap<Tag, Arc<Queue>>>,
}

impl Handlers {
    /// Gives a copy of the message to the handler of its tag, and calls `handles` before its thread
    /// sees it. Returns `false` if there is no handler.
    #[inline]
    pub(super) fn take(&self, status: Status, data: &[u8], handles: impl FnOnce()) -> bool {
        // Acquire pairs with the release in `listen`: a sender that has learnt, by any chain of
        // synchronisation, that the handler is registered finds it in the map.
        self.any.load(Ordering::Acquire) && self.take_slow(status, data, handles)
    }

    #[cold]
    fn take_slow(&self, status: Status, data: &[u8], handles: impl FnOnce()) -> bool {
        let queues = self.queues.read().unwrap_or_else(PoisonError::into_inner);
        queues.get(&status.tag).is_some_and(|queue| queue.push(status, data, handles))
    }

    /// Starts a thread that runs `handler` for each message with this tag. The thread may run on
    /// all cores of the world.
    pub(super) fn listen(
        self: &Arc<Self>,
        tag: Tag,
        handler: Handler,
        outside: HandlerThread,
    ) -> Result<HandlerGuard> {
        if self.queues.read().unwrap_or_else(PoisonError::into_inner).contains_key(&tag) {
            return Err(Error::Unsupported("second handler for a tag"));
        }
        let queue = Arc::new(Queue::default());
        let worker = Arc::clone(&queue);
        let thread = std::thread::Builder::new()
            .name(format!("handler {tag}"))
            .spawn(move || {
                // A handler pinned to its rank's core would have to wait for the computation that
                // it should interrupt.
                affinity::release(&outside.shared.cores);
                worker.serve(handler, &outside);
            })
            .map_err(|error| {
                Error::Start(format!("cannot start the thread of a message handler: {error}"))
            })?;
        self.queues.write().unwrap_or_else(PoisonError::into_inner).insert(tag, Arc::clone(&queue));
        self.any.store(true, Ordering::Release);
        let handlers = Arc::clone(self);
        Ok(HandlerGuard::new(move || {
            handlers.remove(tag);
            queue.close();
            // The thread cannot panic: `Endpoint::guarded` catches panics of the handler.
            let _ = thread.join();
        }))
    }

    fn remove(&self, tag: Tag) {
        let mut queues = self.queues.write().unwrap_or_else(PoisonError::into_inner);
        queues.remove(&tag);
        self.any.store(!queues.is_empty(), Ordering::Release);
    }
}

/// What the thread of a handler knows of its world.
pub(super) struct HandlerThread {
    pub(super) shared: Arc<Shared>,
    pub(super) rank: usize,
}

impl HandlerThread {
    /// Sends a message on behalf of the rank.
    fn send(&self, message: &HandlerMessage) {
        let HandlerMessage { to, tag, data } = message;
        let at = Destination { to: *to, tag: *tag, len: data.len() };
        if *to < self.shared.inboxes.len() && check_tag(*tag).is_ok() {
            return self.shared.post_copy(self.rank, data, at);
        }
        let text = format!("a message handler sent to rank {to} with tag {tag}, which do not exist");
        self.shared.fail(Error::Aborted { rank: self.rank, message: text.into() });
    }
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    messages: VecDeque<(Status, Vec<u8>)>,
    closed: bool,
}

impl Queue {
    fn push(&self, status: Status, data: &[u8], handles: impl FnOnce()) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return false;
        }
        handles();
        state.messages.push_back((status, data.to_vec()));
        drop(state);
        self.arrived.notify_one();
        true
    }

    fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.arrived.notify_one();
    }

    fn serve(&self, mut handler: Handler, outside: &HandlerThread) {
        while let Some((status, data)) = self.next() {
            let now = outside.shared.origin.elapsed().into();
            if let Some(message) = handler(status, &data, now) {
                outside.send(&message);
            }
            outside.shared.handled();
        }
    }

    fn next(&self) -> Option<(Status, Vec<u8>)> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self
            .arrived
            .wait_while(state, |state| state.messages.is_empty() && !state.closed)
            .unwrap_or_else(PoisonError::into_inner);
        state.messages.pop_front()
    }
}
