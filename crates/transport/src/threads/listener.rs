//! Handlers of a rank (C19), each on a thread of its own.
//!
//! The sender puts the message into the handler's queue and wakes its thread, so the rank that computes
//! takes no part. When all cores are busy computing, the system's scheduler lets a thread that just woke up
//! run before those that used up their share, which is what makes the handler prompt.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::Instant;

use super::affinity;
use crate::error::{Error, Result};
use crate::handler::{Handler, Listening};
use crate::message::{Status, Tag};

/// The handlers that listen at one rank.
#[derive(Default)]
pub(super) struct Listeners {
    any: AtomicBool,
    queues: RwLock<HashMap<Tag, Arc<Queue>>>,
}

impl Listeners {
    /// Hands the message to a handler, if one listens for this tag.
    #[inline]
    pub(super) fn take(&self, status: Status, data: &[u8]) -> bool {
        // Acquire pairs with `listen`: whoever learnt that a handler listens finds it.
        self.any.load(Ordering::Acquire) && self.take_slow(status, data)
    }

    #[cold]
    fn take_slow(&self, status: Status, data: &[u8]) -> bool {
        let queues = self.queues.read().unwrap_or_else(PoisonError::into_inner);
        queues.get(&status.tag).is_some_and(|queue| queue.push(status, data))
    }

    /// Starts a thread that runs `handler` for each message with this tag. The thread may use all of `cores`; its
    /// clock began at `origin`, as those of the ranks did.
    pub(super) fn listen(
        self: &Arc<Self>,
        tag: Tag,
        handler: Handler,
        cores: Arc<[usize]>,
        origin: Instant,
    ) -> Result<Listening> {
        if self.queues.read().unwrap_or_else(PoisonError::into_inner).contains_key(&tag) {
            return Err(Error::Unsupported("second handler for one tag"));
        }
        let queue = Arc::new(Queue::default());
        let worker = Arc::clone(&queue);
        let thread = std::thread::Builder::new()
            .name(format!("handler {tag}"))
            .spawn(move || {
                // A handler that shares its rank's one core would wait for the very loop it should interrupt.
                affinity::release(&cores);
                worker.serve(handler, origin);
            })
            .map_err(|error| Error::Start(format!("cannot start a thread for a handler: {error}")))?;
        self.queues.write().unwrap_or_else(PoisonError::into_inner).insert(tag, Arc::clone(&queue));
        self.any.store(true, Ordering::Release);
        let listeners = Arc::clone(self);
        Ok(Listening::new(move || {
            listeners.remove(tag);
            queue.close();
            // The thread cannot panic: the handler is guarded.
            let _ = thread.join();
        }))
    }

    fn remove(&self, tag: Tag) {
        let mut queues = self.queues.write().unwrap_or_else(PoisonError::into_inner);
        queues.remove(&tag);
        self.any.store(!queues.is_empty(), Ordering::Release);
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
    fn push(&self, status: Status, data: &[u8]) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return false;
        }
        state.messages.push_back((status, data.to_vec()));
        drop(state);
        self.arrived.notify_one();
        true
    }

    fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.arrived.notify_one();
    }

    fn serve(&self, mut handler: Handler, origin: Instant) {
        while let Some((status, data)) = self.next() {
            handler(status, &data, origin.elapsed().into());
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
