//! Prefetching.

/// Size of a cache line, in bytes.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE: usize = 64;

/// Lets the processor load the cache lines of a value while it executes something else, for a value
/// that will be needed soon. Does nothing for `None`, and on processors other than x86-64.
///
/// The argument is what `slice.get(index)` returns, so that callers may guess an index without
/// checking it.
#[inline(always)]
#[expect(clippy::inline_always, reason = "one instruction")]
pub fn prefetch<T>(value: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = value {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in 0..size_of::<T>().div_ceil(CACHE_LINE) {
            let address = std::ptr::from_ref(value).cast::<i8>().wrapping_add(line * CACHE_LINE);
            // SAFETY: PREFETCHT0 belongs to SSE, which every x86-64 processor has. It neither
            // faults nor changes memory or registers, whatever the address, so nothing is required
            // of `address`.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
