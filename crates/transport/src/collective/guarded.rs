//! Buffers between guard bytes, which detect writes just outside of a buffer.

use std::fmt;

/// A cache line: buffers are aligned to one.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct CacheLine(#[allow(dead_code, reason = "it is read by its address")] [u8; LINE]);

const LINE: usize = 64;
/// The value of guard bytes.
const GUARD: u8 = 0xa5;

/// A buffer on the heap between two guards. Its address does not change when this is moved.
pub(super) struct GuardedBuffer {
    // Raw: moving a box would assert access to memory that the transport is using.
    lines: *mut [CacheLine],
    len: usize,
}

/// A write just outside of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfBoundsWrite {
    /// The distance from the buffer in bytes: negative before it, from 1 on behind it.
    pub distance: isize,
    /// The length of the buffer in bytes.
    pub len: usize,
}

impl fmt::Display for OutOfBoundsWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { distance, len } = *self;
        let side = if distance < 0 { "before" } else { "behind" };
        write!(f, "out-of-bounds write: byte {} {side} a buffer of {len} bytes", distance.unsigned_abs())
    }
}

impl GuardedBuffer {
    /// Allocates a buffer of `len` zeros.
    pub(super) fn new(len: usize) -> Self {
        let lines = vec![CacheLine([GUARD; LINE]); len.div_ceil(LINE) + 2].into_boxed_slice();
        let mut guarded = Self { lines: Box::into_raw(lines), len };
        // SAFETY: no operation uses the memory yet.
        unsafe { guarded.bytes_mut() }.fill(0);
        guarded
    }

    /// Returns the address of the buffer's first byte.
    pub(super) fn start(&self) -> *mut u8 {
        // SAFETY: the allocation has a line before the buffer, and at least one behind it.
        unsafe { self.lines.cast::<u8>().add(LINE) }
    }

    /// Returns the buffer.
    ///
    /// # Safety
    /// No operation may write to the buffer while the result is in use.
    pub(super) unsafe fn bytes(&self) -> &[u8] {
        // SAFETY: the buffer lies within the lines, which were initialised when they were made; the
        // caller promises that it is not written to.
        unsafe { std::slice::from_raw_parts(self.start(), self.len) }
    }

    /// Returns the buffer for writing.
    ///
    /// # Safety
    /// No operation may use the buffer while the result is in use.
    pub(super) unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the buffer lies within the lines, which were initialised when they were made; the
        // caller promises that nothing else uses it.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.len) }
    }

    /// Returns an error if the guards have changed.
    pub(super) fn check(&self) -> Result<(), OutOfBoundsWrite> {
        let error = |distance| Err(OutOfBoundsWrite { distance, len: self.len });
        let (before, behind) = self.guards();
        // SAFETY: `guards` returns two ranges of the allocation. They exclude the buffer, so no
        // operation uses them.
        let (before, behind) = unsafe { (&*before, &*behind) };
        if let Some(place) = before.iter().rposition(|&byte| byte != GUARD) {
            return error(place as isize - LINE as isize);
        }
        match behind.iter().position(|&byte| byte != GUARD) {
            Some(place) => error(place as isize + 1),
            None => Ok(()),
        }
    }

    /// Restores the guards.
    pub(super) fn reset_guards(&mut self) {
        let (before, behind) = self.guards();
        // SAFETY: as in `check`, and the allocation is exclusively borrowed with `self`.
        let (before, behind) = unsafe { (&mut *before, &mut *behind) };
        before.fill(GUARD);
        behind.fill(GUARD);
    }

    /// Returns the bytes before and behind the buffer.
    fn guards(&self) -> (*mut [u8], *mut [u8]) {
        let behind = (self.lines.len() - 1) * LINE - self.len;
        // SAFETY: the end of the buffer is within the allocation.
        let end = unsafe { self.start().add(self.len) };
        (
            std::ptr::slice_from_raw_parts_mut(self.lines.cast(), LINE),
            std::ptr::slice_from_raw_parts_mut(end, behind),
        )
    }
}

impl Drop for GuardedBuffer {
    fn drop(&mut self) {
        // SAFETY: it was made by `Box::into_raw`, and operations on the buffer have ended before.
        drop(unsafe { Box::from_raw(self.lines) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_bounds_writes_are_detected() {
        for len in [0, 1, 63, 64, 65, 1000] {
            let mut buffer = GuardedBuffer::new(len);
            assert_eq!(buffer.start().align_offset(64), 0);
            assert_eq!((buffer.len, buffer.check()), (len, Ok(())));
            for (distance, offset) in [(1, len as isize), (-1, -1), (-64, -64), (30, len as isize + 29)] {
                // SAFETY: within the guards of the allocation.
                unsafe { *buffer.start().offset(offset) = 1 };
                assert_eq!(buffer.check(), Err(OutOfBoundsWrite { distance, len }));
                buffer.reset_guards();
            }
            assert_eq!(buffer.check(), Ok(()));
        }
        let text = OutOfBoundsWrite { distance: 3, len: 8 }.to_string();
        assert_eq!(text, "out-of-bounds write: byte 3 behind a buffer of 8 bytes");
    }
}
