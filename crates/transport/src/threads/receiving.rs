//! How a rank receives: messages from the ring to the receives that wait for them.

use super::endpoint::Endpoint;
use super::matching::Posted;
use super::packet::{Body, Stored};
use crate::error::{Error, Result};
use crate::message::{Status, Want};

impl Endpoint {
    /// Lets `consume` have the next message from the ring.
    #[inline]
    pub(super) fn next<R>(&self, consume: impl FnOnce(Status, Body<'_>) -> R) -> Option<R> {
        // SAFETY: an endpoint is the only receiver of its mailbox, and it is not `Sync`.
        unsafe { self.mailbox().ring.pop(consume) }
    }

    /// Gives a message to the receive that waits for it, or back to the caller.
    #[inline]
    pub(super) fn route<'a>(&self, message: Status, body: Body<'a>) -> Option<Body<'a>> {
        let Some((place, posted)) = self.matching.borrow_mut().take_posted(message) else {
            return Some(body);
        };
        self.fill(place, posted, message, body);
        None
    }

    #[inline]
    pub(super) fn fill(&self, place: usize, posted: Posted, message: Status, body: Body<'_>) {
        // SAFETY: the contract of `start_receive` holds until the receive completes or is cancelled.
        let outcome = unsafe { self.deliver(message, body, posted.buffer, posted.capacity) };
        let mut matching = self.matching.borrow_mut();
        match outcome {
            Some(outcome) => matching.complete(&posted, outcome),
            None => matching.put_back(place, posted),
        }
    }

    /// Copies a message to where it goes. `None`: its sender has withdrawn it.
    ///
    /// # Safety
    /// `buffer[..capacity]` must be writable, and nobody else's.
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
            // SAFETY: the message has `len` bytes, and `fits` of them have room.
            Body::Bytes(bytes) => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, fits) },
            // SAFETY: as above.
            Body::Owned(bytes) => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, fits) },
            Body::Offer(offer) => {
                // SAFETY: the caller vouches for the buffer.
                if !unsafe { offer.accept(buffer, capacity) } {
                    return None;
                }
                self.shared.mailboxes[message.source].ring_bell();
            }
        }
        if message.len > capacity {
            return Some(Err(Error::Truncated { rank: self.rank, message, capacity }));
        }
        Some(Ok(message))
    }

    /// Takes everything out of the ring: to receives that wait, or aside.
    pub(super) fn progress(&self) {
        while self.next(|message, body| self.route_or_keep(message, body)).is_some() {}
    }

    pub(super) fn route_or_keep(&self, message: Status, body: Body<'_>) {
        if let Some(body) = self.route(message, body) {
            self.matching.borrow_mut().keep_unexpected(Stored::new(message, body));
        }
    }

    /// Delivers the oldest message that came before its receive.
    ///
    /// # Safety
    /// As for [`deliver`](Self::deliver).
    #[inline]
    pub(super) unsafe fn deliver_unexpected(
        &self,
        buffer: *mut u8,
        capacity: usize,
        want: Want,
    ) -> Option<Result<Status>> {
        loop {
            let stored = self.matching.borrow_mut().take_unexpected(want)?;
            // SAFETY: the caller vouches for the buffer.
            let outcome = unsafe { self.deliver(stored.status, stored.body(), buffer, capacity) };
            if outcome.is_some() {
                return outcome;
            }
        }
    }

    /// # Safety
    /// As for [`Transport::start_receive`], until this returns.
    pub(super) unsafe fn receive_raw(&self, buffer: *mut u8, capacity: usize, want: Want) -> Result<Status> {
        // SAFETY: the caller vouches for the buffer.
        if let Some(outcome) = unsafe { self.deliver_unexpected(buffer, capacity, want) } {
            return outcome;
        }
        let take = |message: Status, body: Body<'_>| {
            let body = self.route(message, body)?;
            if want.accepts(message) {
                // SAFETY: the caller vouches for the buffer.
                return unsafe { self.deliver(message, body, buffer, capacity) };
            }
            self.matching.borrow_mut().keep_unexpected(Stored::new(message, body));
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
        self.block_until(|| want.to_string(), ready)
    }
}
