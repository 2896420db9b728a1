//! Receiving: from the ring to posted receives, or to the list of unexpected messages.

use super::endpoint::Endpoint;
use super::matching::PostedReceive;
use super::packet::{Body, UnexpectedMessage};
use crate::error::{Error, Result};
use crate::message::{Selector, Status};

impl Endpoint {
    /// Passes the next message of the ring to `consume`. Returns `None` if the ring is empty.
    #[inline]
    pub(super) fn next<R>(&self, consume: impl FnOnce(Status, Body<'_>) -> R) -> Option<R> {
        // SAFETY: an endpoint is the only consumer of its inbox, and it is not `Sync`.
        unsafe { self.inbox().ring.pop(consume) }
    }

    /// Delivers a message to the posted receive that it matches. Returns the body if there is none.
    #[inline]
    pub(super) fn route<'a>(&self, message: Status, body: Body<'a>) -> Option<Body<'a>> {
        let Some((place, posted)) = self.matching.borrow_mut().take_posted(message) else {
            return Some(body);
        };
        self.fill(place, posted, message, body);
        None
    }

    #[inline]
    pub(super) fn fill(&self, place: usize, posted: PostedReceive, message: Status, body: Body<'_>) {
        // SAFETY: the caller that posted the receive has promised (`Matching::post`) that its
        // buffer is valid until it completes or is cancelled, and it was still posted.
        let outcome = unsafe { self.deliver(message, body, posted.buffer, posted.capacity) };
        let mut matching = self.matching.borrow_mut();
        match outcome {
            Some(outcome) => matching.complete(&posted, outcome),
            None => matching.put_back(place, posted),
        }
    }

    /// Copies a message to `buffer` and returns the receive's outcome, or `None` if the sender has
    /// withdrawn the message.
    ///
    /// # Safety
    /// `buffer[..capacity]` must be writable, and used by nothing else until this returns.
    #[inline]
    pub(super) unsafe fn deliver(
        &self,
        message: Status,
        body: Body<'_>,
        buffer: *mut u8,
        capacity: usize,
    ) -> Option<Result<Status>> {
        let fits = message.len.min(capacity);
        match body {
            // SAFETY: `bytes` has `message.len` bytes, `buffer` has room for `capacity`, and `fits`
            // is the smaller. The ring's and the caller's memory do not overlap.
            Body::Bytes(bytes) => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, fits) },
            // SAFETY: as above, with the message's own allocation.
            Body::Owned(bytes) => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, fits) },
            Body::Rendezvous(rendezvous) => {
                // SAFETY: the caller promises that `buffer[..capacity]` is writable and used by
                // nothing else.
                if !unsafe { rendezvous.accept(buffer, capacity) } {
                    return None;
                }
                self.shared.inboxes[message.source].signal();
            }
        }
        if message.len > capacity {
            return Some(Err(Error::Truncated { rank: self.rank, message, capacity }));
        }
        Some(Ok(message))
    }

    /// Empties the ring into posted receives and the list of unexpected messages.
    pub(super) fn progress(&self) {
        while self.next(|message, body| self.route_or_keep(message, body)).is_some() {}
    }

    pub(super) fn route_or_keep(&self, message: Status, body: Body<'_>) {
        if let Some(body) = self.route(message, body) {
            self.matching.borrow_mut().keep_unexpected(UnexpectedMessage::new(message, body));
        }
    }

    /// Delivers the oldest unexpected message that the selector accepts.
    ///
    /// # Safety
    /// As for [`deliver`](Self::deliver).
    #[inline]
    pub(super) unsafe fn deliver_unexpected(
        &self,
        buffer: *mut u8,
        capacity: usize,
        selector: Selector,
    ) -> Option<Result<Status>> {
        loop {
            let stored = self.matching.borrow_mut().take_unexpected(selector)?;
            // SAFETY: the caller promises what `deliver` requires of the buffer.
            let outcome = unsafe { self.deliver(stored.status, stored.body(), buffer, capacity) };
            if outcome.is_some() {
                return outcome;
            }
        }
    }

    /// Blocks until a message was received into the buffer.
    ///
    /// # Safety
    /// `buffer[..capacity]` must be writable, and used by nothing else until this returns.
    pub(super) unsafe fn receive_raw(
        &self,
        buffer: *mut u8,
        capacity: usize,
        selector: Selector,
    ) -> Result<Status> {
        // SAFETY: the caller promises that the buffer is valid until this returns.
        if let Some(outcome) = unsafe { self.deliver_unexpected(buffer, capacity, selector) } {
            return outcome;
        }
        let take = |message: Status, body: Body<'_>| {
            let body = self.route(message, body)?;
            if selector.accepts(message) {
                // SAFETY: as above; this closure is called only before this function returns.
                return unsafe { self.deliver(message, body, buffer, capacity) };
            }
            self.matching.borrow_mut().keep_unexpected(UnexpectedMessage::new(message, body));
            None
        };
        let ready = || {
            while let Some(outcome) = self.next(take) {
                if outcome.is_some() {
                    return outcome;
                }
            }
            None
        };
        self.block_until(|| selector.to_string(), ready)
    }
}
