//! A send that waits for its receiver (rendezvous): one copy, from the sender's buffer straight to the receiver's.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

const OPEN: u8 = 0;
const TAKEN: u8 = 1;
const SHARED: u8 = 2;
const DONE: u8 = 3;
const WITHDRAWN: u8 = 4;

/// Messages from this size on are copied in pieces, by both sides: the sender has nothing better to do while it waits,
/// and two cores move more than one.
const LARGE: usize = 32 << 10;
/// A quarter of the message is a piece, within these bounds: enough pieces to share them fairly, and each long enough that
/// the hardware sees a stream.
const PIECES: (usize, usize) = (16 << 10, 64 << 10);

/// The bytes of a sender, and who may touch them.
///
/// While `OPEN` nobody does. The receiver that changes it to `TAKEN` copies. If the message is large it says where to and
/// changes the state to `SHARED`, from when on both sides draw pieces and copy them; the receiver waits for the last piece
/// before it changes the state to `DONE`, so neither buffer can go while a piece is being copied. After `DONE` and
/// `WITHDRAWN` the memory is the sender's again.
pub(super) struct Offer {
    state: AtomicU8,
    data: *const u8,
    len: usize,
    to: AtomicPtr<u8>,
    pieces: AtomicUsize,
    drawn: AtomicUsize,
    copied: AtomicUsize,
}

// SAFETY: `data` is read only after the state was won, while the sender keeps it alive and unchanged (the contract of
// `start_send`); the receiver's buffer is written only between `SHARED` and the last piece, while `accept` has not
// returned. Pieces are disjoint, and each is drawn once.
unsafe impl Send for Offer {}
// SAFETY: as above.
unsafe impl Sync for Offer {}

impl Offer {
    /// # Safety
    /// `data[..len]` must stay readable until `is_done` or `withdraw` returned.
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

    /// Copies as much as fits into `buffer` and releases the sender; false if the sender took it back.
    ///
    /// # Safety
    /// `buffer[..capacity]` must be writable and not overlap the sender's data.
    pub(super) unsafe fn accept(&self, buffer: *mut u8, capacity: usize) -> bool {
        // Acquire: the sender's bytes were written before the offer was made.
        if self.state.compare_exchange(OPEN, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        if self.len >= LARGE && self.len <= capacity {
            self.share(buffer);
        } else {
            // SAFETY: the state is ours, so the sender's memory is valid; the caller vouches for the buffer.
            unsafe { ptr::copy_nonoverlapping(self.data, buffer, self.len.min(capacity)) };
        }
        // Release: the copy is over. The receiver rings the sender's bell after this, see `shared`.
        self.state.store(DONE, Ordering::Release);
        true
    }

    /// Copies together with the sender, and returns when everything is copied.
    fn share(&self, buffer: *mut u8) {
        let pieces = self.len.div_ceil(self.piece());
        self.to.store(buffer, Ordering::Relaxed);
        self.pieces.store(pieces, Ordering::Relaxed);
        // Release: whoever sees `SHARED` sees where to copy.
        self.state.store(SHARED, Ordering::Release);
        self.copy_pieces();
        // Acquire: the sender's pieces are in the buffer.
        while self.copied.load(Ordering::Acquire) < pieces {
            // The sender may have lost its core in the middle of a piece.
            std::thread::yield_now();
        }
    }

    fn piece(&self) -> usize {
        (self.len / 4).clamp(PIECES.0, PIECES.1)
    }

    /// Draws pieces and copies them until there are none left. Both sides call this, once the state is `SHARED`.
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
            // SAFETY: the piece lies within both buffers and is ours alone. Both are alive, because `accept` does not
            // return before this piece is counted below, and the sender does not before the state is `DONE`.
            unsafe { ptr::copy_nonoverlapping(self.data.add(start), to.add(start), len) };
            self.copied.fetch_add(1, Ordering::Release);
        }
    }

    /// Was the message taken? Acquire: nobody reads the memory any more. A sender that asks while a large message is
    /// being copied lends a hand.
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

    /// Has the sender taken it back?
    pub(super) fn is_withdrawn(&self) -> bool {
        self.state.load(Ordering::Relaxed) == WITHDRAWN
    }

    /// Takes the offer back, or waits for the copy that is just being made; true if the message was taken.
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
        for len in [0, 1, LARGE - 1, LARGE, LARGE + 1, 100_000, 10 * PIECES.1 + 17] {
            for _ in 0..20 {
                let (data, mut buffer) = (pattern(len), vec![0; len]);
                // SAFETY: the data lives until the threads have ended.
                let offer = unsafe { Offer::new(data.as_ptr(), len) };
                let to = AtomicPtr::new(buffer.as_mut_ptr());
                std::thread::scope(|scope| {
                    // SAFETY: the buffer has `len` bytes and lives as long.
                    scope.spawn(|| assert!(unsafe { offer.accept(to.load(Ordering::Relaxed), len) }));
                    while !offer.is_done() {
                        std::thread::yield_now();
                    }
                });
                assert_eq!(buffer, data);
            }
        }
    }

    #[test]
    fn a_buffer_too_small_gets_what_fits() {
        let (data, mut buffer) = (pattern(LARGE + 5), vec![0; LARGE]);
        // SAFETY: both live until the end, and the buffer has as many bytes as it says.
        let taken = unsafe { Offer::new(data.as_ptr(), data.len()).accept(buffer.as_mut_ptr(), LARGE) };
        assert!(taken);
        assert_eq!(buffer, data[..LARGE]);
    }

    #[test]
    fn a_withdrawn_offer_is_not_taken() {
        let data = pattern(8);
        // SAFETY: the data lives until the end.
        let offer = unsafe { Offer::new(data.as_ptr(), 8) };
        assert!(!offer.withdraw());
        let mut buffer = [0; 8];
        // SAFETY: the buffer has 8 bytes.
        assert!(!unsafe { offer.accept(buffer.as_mut_ptr(), 8) });
        assert_eq!(buffer, [0; 8]);
    }
}
