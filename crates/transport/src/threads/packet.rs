//! What travels from rank to rank.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use smallvec::SmallVec;

use crate::message::Status;

/// Bytes that are kept without an allocation.
const KEPT: usize = 32;

/// The bytes of a message, as the receiver finds them.
pub(super) enum Body<'a> {
    /// In the ring; they must be copied before the slot is released.
    Bytes(&'a [u8]),
    /// A copy of their own.
    Owned(Box<[u8]>),
    /// Still with the sender, to be copied once, straight into the receiver's buffer.
    Offer(Arc<Offer>),
}

/// A message that came before its receive.
pub(super) struct Stored {
    pub(super) status: Status,
    bytes: Bytes,
}

enum Bytes {
    Copied(SmallVec<[u8; KEPT]>),
    Owned(Box<[u8]>),
    Offer(Arc<Offer>),
}

impl Stored {
    pub(super) fn new(status: Status, body: Body<'_>) -> Self {
        let bytes = match body {
            Body::Bytes(bytes) => Bytes::Copied(bytes.into()),
            Body::Owned(bytes) => Bytes::Owned(bytes),
            Body::Offer(offer) => Bytes::Offer(offer),
        };
        Self { status, bytes }
    }

    pub(super) fn is_withdrawn(&self) -> bool {
        matches!(&self.bytes, Bytes::Offer(offer) if offer.state.load(Ordering::Relaxed) == WITHDRAWN)
    }

    pub(super) fn body(&self) -> Body<'_> {
        match &self.bytes {
            Bytes::Copied(bytes) => Body::Bytes(bytes),
            Bytes::Owned(bytes) => Body::Bytes(bytes),
            Bytes::Offer(offer) => Body::Offer(Arc::clone(offer)),
        }
    }
}

const OPEN: u8 = 0;
const TAKEN: u8 = 1;
const DONE: u8 = 2;
const WITHDRAWN: u8 = 3;

/// A send that waits for its receiver (rendezvous).
///
/// The state decides who may touch the sender's memory: while `OPEN` nobody does, the one who changes it to
/// `TAKEN` copies, and afterwards the memory is the sender's again.
pub(super) struct Offer {
    state: AtomicU8,
    data: *const u8,
    len: usize,
}

// SAFETY: `data` is read only in `accept` after the state was won, while the sender keeps it alive and
// unchanged (the contract of `start_send`); the state orders the two.
unsafe impl Send for Offer {}
// SAFETY: as above.
unsafe impl Sync for Offer {}

impl Offer {
    /// # Safety
    /// `data[..len]` must stay readable until `is_done` or `withdraw` returned.
    pub(super) unsafe fn new(data: *const u8, len: usize) -> Self {
        Self { state: AtomicU8::new(OPEN), data, len }
    }

    /// Copies as much as fits into `buffer` and releases the sender; false if the sender took it back.
    ///
    /// # Safety
    /// `buffer[..capacity]` must be writable and not overlap the sender's data.
    pub(super) unsafe fn accept(&self, buffer: *mut u8, capacity: usize) -> bool {
        // Acquire: the sender's bytes were written before the offer was made.
        if self.state.compare_exchange(OPEN, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        // SAFETY: the state is ours, so the sender's memory is valid; the caller vouches for the buffer.
        unsafe { std::ptr::copy_nonoverlapping(self.data, buffer, self.len.min(capacity)) };
        // Release: the copy is over. The receiver rings the sender's bell after this, see `shared`.
        self.state.store(DONE, Ordering::Release);
        true
    }

    /// Was the message taken? Acquire: the receiver has stopped reading the memory.
    pub(super) fn is_done(&self) -> bool {
        self.state.load(Ordering::Acquire) == DONE
    }

    /// Takes the offer back, or waits for the copy that is just being made; true if the message was taken.
    pub(super) fn withdraw(&self) -> bool {
        let was = self.state.compare_exchange(OPEN, WITHDRAWN, Ordering::AcqRel, Ordering::Acquire);
        if was == Err(TAKEN) {
            while !self.is_done() {
                std::thread::yield_now();
            }
        }
        was.is_err() && self.is_done()
    }
}
