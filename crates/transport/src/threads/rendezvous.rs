//! Rendezvous: a send that waits for its receiver, with one copy from buffer to buffer.
//!
//! The sender puts a shared [`Rendezvous`] into the receiver's ring and waits. Its state says which
//! side may use the sender's buffer:
//!
//! ```text
//!           accept                share                    last piece copied
//!   OPEN ----------> TAKEN --------------------> SHARED --------------------> DONE
//!    |                 \-- small, or too long for the receive's buffer: ------^
//!    |                     the receiver copies alone
//!    | withdraw
//!    v
//!   WITHDRAWN
//! ```
//!
//! While `OPEN`, neither side reads the buffer. The receiver that moves it to `TAKEN` owns the
//! copy. A small message, or one that is too long for the receive's buffer, it copies alone. For a
//! large one it publishes its own buffer, moves to `SHARED`, and claims pieces with an atomic
//! counter and copies them. A sender that is polling does the same, since two cores move more bytes
//! per second than one; a sender that sleeps or computes is not woken for it. A sender withdraws
//! when its handle is cancelled, or when the run fails during a blocking send. After `DONE` or
//! `WITHDRAWN` the memory belongs to the sender alone again.
//!
//! # Memory ordering
//!
//! - `OPEN -> TAKEN`: popping the rendezvous from the ring has already acquired the bytes, so
//!   `Relaxed` would suffice; `Acquire` costs nothing and spares the reader that argument.
//! - `SHARED` is stored with release after the target address and the number of pieces, which are
//!   relaxed; the sender loads the state with acquire before it reads them.
//! - A piece is claimed with a relaxed increment: atomicity alone makes pieces disjoint.
//! - Each copied piece is counted with release; the receiver acquires the count, so the whole
//!   message is in its buffer when the count is complete, and no sender still writes there.
//! - `DONE` is stored with release and loaded with acquire: after it the receiver reads nothing of
//!   the sender's buffer, so the sender may reuse it.
//! - `withdraw` either wins `OPEN -> WITHDRAWN`, after which `accept` fails, or waits for `DONE`.
//!
//! A sender in the middle of a piece keeps the receiver in `accept` until the piece is counted, so
//! neither buffer can be freed while a copy is in progress.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

const OPEN: u8 = 0;
const TAKEN: u8 = 1;
const SHARED: u8 = 2;
const DONE: u8 = 3;
const WITHDRAWN: u8 = 4;

/// Messages of at least this many bytes are copied by both sides in pieces.
const SHARED_COPY_MIN: usize = 32 << 10;
/// Smallest and largest piece in bytes. A piece is a quarter of the message within these bounds:
/// enough pieces to share them evenly, each long enough for the hardware prefetcher.
const PIECE_BOUNDS: (usize, usize) = (16 << 10, 64 << 10);

/// A sender's buffer, and which side may use it; see the module's documentation.
pub(super) struct Rendezvous {
    state: AtomicU8,
    data: *const u8,
    len: usize,
    to: AtomicPtr<u8>,
    pieces: AtomicUsize,
    drawn: AtomicUsize,
    copied: AtomicUsize,
}

// SAFETY: `data` is read only by the side that the state permits, while the sender keeps it alive
// and unchanged (`Rendezvous::new`). The receiver's buffer is written only between `SHARED` and the
// last counted piece, before `accept` returns. Pieces are disjoint, and each is claimed once.
unsafe impl Send for Rendezvous {}
// SAFETY: as above; all shared fields are atomic.
unsafe impl Sync for Rendezvous {}

impl Rendezvous {
    /// Offers `data[..len]` to a receiver.
    ///
    /// # Safety
    /// `data[..len]` must stay readable and unchanged until `is_done` has returned `true` or
    /// `withdraw` has returned.
    pub(super) unsafe fn new(data: *const u8, len: usize) -> Self {
        Self {
            state: AtomicU8::new(OPEN),
            data,
            len,
            to: AtomicPtr::new(ptr::null_mut()),
            pieces: AtomicUsize::new(0),
            drawn: AtomicUsize::new(0),
            copied: AtomicUsize::new(0),
        }
    }

    /// Copies as much as fits into `buffer` and releases the sender. Returns `false` if the sender
    /// has withdrawn the message.
    ///
    /// # Safety
    /// `buffer[..capacity]` must be writable, used by nothing else until this returns, and not
    /// overlap the sender's data.
    pub(super) unsafe fn accept(&self, buffer: *mut u8, capacity: usize) -> bool {
        // Acquire: see the module's documentation. Relaxed on failure: nothing is read then.
        if self.state.compare_exchange(OPEN, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        if self.len >= SHARED_COPY_MIN && self.len <= capacity {
            // SAFETY: the state is `TAKEN` by this call, and the caller promises that the buffer is
            // writable for `capacity` bytes, which is at least the length of the message.
            unsafe { self.share(buffer) };
        } else {
            // SAFETY: the state is `TAKEN` by this call, so the sender keeps `data[..len]` valid;
            // the caller promises the same of `buffer[..capacity]`, and at most the smaller of both
            // lengths is copied.
            unsafe { ptr::copy_nonoverlapping(self.data, buffer, self.len.min(capacity)) };
        }
        // Release: the copy is complete. The receiver signals the sender after this, see `shared`.
        self.state.store(DONE, Ordering::Release);
        true
    }

    /// Copies the message together with the sender, and returns when all of it is copied.
    ///
    /// # Safety
    /// The state must be `TAKEN` by the caller, and `buffer` must be writable for the whole message
    /// and used by nothing else until this returns.
    unsafe fn share(&self, buffer: *mut u8) {
        let pieces = self.len.div_ceil(self.piece());
        self.to.store(buffer, Ordering::Relaxed);
        self.pieces.store(pieces, Ordering::Relaxed);
        // Release: publishes `to` and `pieces` to a sender that sees `SHARED`.
        self.state.store(SHARED, Ordering::Release);
        self.copy_pieces();
        // Acquire: the sender's pieces are in the buffer.
        while self.copied.load(Ordering::Acquire) < pieces {
            // The sender may have been descheduled in the middle of a piece.
            std::thread::yield_now();
        }
    }

    fn piece(&self) -> usize {
        (self.len / 4).clamp(PIECE_BOUNDS.0, PIECE_BOUNDS.1)
    }

    /// Claims pieces and copies them until none is left. Both sides call this once the state is
    /// `SHARED`.
    fn copy_pieces(&self) {
        let (to, pieces) = (self.to.load(Ordering::Relaxed), self.pieces.load(Ordering::Relaxed));
        let size = self.piece();
        loop {
            let piece = self.drawn.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                return;
            }
            let start = piece * size;
            let len = size.min(self.len - start);
            // SAFETY: the piece lies within both buffers and is claimed by this thread alone. The
            // receiver's buffer is alive because `accept` does not return before this piece is
            // counted below; the sender's because it waits for `DONE`, which follows the last
            // piece.
            unsafe { ptr::copy_nonoverlapping(self.data.add(start), to.add(start), len) };
            self.copied.fetch_add(1, Ordering::Release);
        }
    }

    /// Whether the message was taken, and the buffer is the sender's again. A sender that calls
    /// this while a large message is being copied copies pieces of it.
    pub(super) fn is_done(&self) -> bool {
        match self.state.load(Ordering::Acquire) {
            DONE => true,
            SHARED => {
                self.copy_pieces();
                self.state.load(Ordering::Acquire) == DONE
            }
            _ => false,
        }
    }

    /// Whether the sender has withdrawn the message.
    pub(super) fn is_withdrawn(&self) -> bool {
        self.state.load(Ordering::Relaxed) == WITHDRAWN
    }

    /// Withdraws the message, or waits for the copy in progress. Returns `true` if the message was
    /// taken.
    pub(super) fn withdraw(&self) -> bool {
        let was = self.state.compare_exchange(OPEN, WITHDRAWN, Ordering::AcqRel, Ordering::Acquire);
        if matches!(was, Err(TAKEN | SHARED)) {
            while !self.is_done() {
                std::thread::yield_now();
            }
        }
        was.is_err() && self.is_done()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(len: usize) -> Vec<u8> {
        (0..len).map(|place| (place % 251) as u8).collect()
    }

    #[test]
    fn both_sides_copy_every_byte_once() {
        for len in [
            0,
            1,
            SHARED_COPY_MIN - 1,
            SHARED_COPY_MIN,
            SHARED_COPY_MIN + 1,
            100_000,
            10 * PIECE_BOUNDS.1 + 17,
        ] {
            for _ in 0..20 {
                let (data, mut buffer) = (pattern(len), vec![0; len]);
                // SAFETY: `data` lives until both threads have ended.
                let rendezvous = unsafe { Rendezvous::new(data.as_ptr(), len) };
                let to = AtomicPtr::new(buffer.as_mut_ptr());
                std::thread::scope(|scope| {
                    // SAFETY: the buffer has `len` bytes and lives until both threads have ended.
                    scope.spawn(|| assert!(unsafe { rendezvous.accept(to.load(Ordering::Relaxed), len) }));
                    while !rendezvous.is_done() {
                        std::thread::yield_now();
                    }
                });
                assert_eq!(buffer, data);
            }
        }
    }

    #[test]
    fn a_buffer_too_small_gets_what_fits() {
        let (data, mut buffer) = (pattern(SHARED_COPY_MIN + 5), vec![0; SHARED_COPY_MIN]);
        // SAFETY: both vectors live until the end of the test, and have at least the stated
        // lengths.
        let taken = unsafe {
            Rendezvous::new(data.as_ptr(), data.len()).accept(buffer.as_mut_ptr(), SHARED_COPY_MIN)
        };
        assert!(taken);
        assert_eq!(buffer, data[..SHARED_COPY_MIN]);
    }

    #[test]
    fn a_withdrawn_offer_is_not_taken() {
        let data = pattern(8);
        // SAFETY: `data` lives until the end of the test.
        let rendezvous = unsafe { Rendezvous::new(data.as_ptr(), 8) };
        assert!(!rendezvous.withdraw());
        let mut buffer = [0; 8];
        // SAFETY: the buffer has 8 bytes.
        assert!(!unsafe { rendezvous.accept(buffer.as_mut_ptr(), 8) });
        assert_eq!(buffer, [0; 8]);
    }
}
