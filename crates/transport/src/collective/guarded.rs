//! Buffers with guards around them: writes beyond a buffer are noticed, whoever did them.

use std::fmt;

/// A cache line: buffers begin at one, as those of programs that care do.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code, reason = "it is read by its address")] [u8; LINE]);

const LINE: usize = 64;
/// What guards consist of. Data is written over it only by accident.
const GUARD: u8 = 0xa5;

/// A buffer on the heap, between two guards. It stays at its place when this is moved.
pub(super) struct Guarded {
    // Raw, because a box that moves would claim memory that the transport is using.
    lines: *mut [Line],
    len: usize,
}

/// Somebody wrote beyond a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spilled {
    /// How far from the buffer: negative before it, and from 1 on behind it.
    pub distance: isize,
    /// Bytes of the buffer.
    pub len: usize,
}

impl fmt::Display for Spilled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { distance, len } = *self;
        let side = if distance < 0 { "before" } else { "behind" };
        write!(f, "the byte {} {side} a buffer of {len} bytes was written to", distance.unsigned_abs())
    }
}

impl Guarded {
    /// So many zeros.
    pub(super) fn new(len: usize) -> Self {
        let lines = vec![Line([GUARD; LINE]); len.div_ceil(LINE) + 2].into_boxed_slice();
        let mut guarded = Self { lines: Box::into_raw(lines), len };
        guarded.bytes_mut().fill(0);
        guarded
    }

    /// The first byte of the buffer.
    pub(super) fn start(&self) -> *mut u8 {
        // SAFETY: there is a line before the buffer, and one behind it.
        unsafe { self.lines.cast::<u8>().add(LINE) }
    }

    /// Nobody else may be using the memory.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the buffer lies within the lines, which were written when they were made.
        unsafe { std::slice::from_raw_parts(self.start(), self.len) }
    }

    /// Nobody else may be using the memory.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and it is borrowed with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.len) }
    }

    /// Are the guards as they were?
    pub(super) fn check(&self) -> Result<(), Spilled> {
        let whole = self.lines.len() * LINE;
        // SAFETY: all of the lines, which are bytes without gaps.
        let all = unsafe { std::slice::from_raw_parts(self.lines.cast::<u8>(), whole) };
        let (before, rest) = all.split_at(LINE);
        let spilled = |distance| Err(Spilled { distance, len: self.len });
        if let Some(place) = before.iter().rposition(|&byte| byte != GUARD) {
            return spilled(place as isize - LINE as isize);
        }
        match rest[self.len..].iter().position(|&byte| byte != GUARD) {
            Some(place) => spilled(place as isize + 1),
            None => Ok(()),
        }
    }

    /// Makes the guards what they should be.
    pub(super) fn mend(&mut self) {
        let whole = self.lines.len() * LINE;
        // SAFETY: as in `check`, and it is borrowed with `self`.
        let all = unsafe { std::slice::from_raw_parts_mut(self.lines.cast::<u8>(), whole) };
        let (before, rest) = all.split_at_mut(LINE);
        before.fill(GUARD);
        rest[self.len..].fill(GUARD);
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and whoever used it has ended before.
        drop(unsafe { Box::from_raw(self.lines) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_beyond_the_buffer_is_noticed() {
        for len in [0, 1, 63, 64, 65, 1000] {
            let mut buffer = Guarded::new(len);
            assert_eq!(buffer.start().align_offset(64), 0);
            assert_eq!((buffer.bytes().len(), buffer.check()), (len, Ok(())));
            for (distance, offset) in [(1, len as isize), (-1, -1), (-64, -64), (30, len as isize + 29)] {
                // SAFETY: within the lines of the guards.
                unsafe { *buffer.start().offset(offset) = 1 };
                assert_eq!(buffer.check(), Err(Spilled { distance, len }));
                buffer.mend();
            }
            assert_eq!(buffer.check(), Ok(()));
        }
        let text = Spilled { distance: 3, len: 8 }.to_string();
        assert_eq!(text, "the byte 3 behind a buffer of 8 bytes was written to");
    }
}
