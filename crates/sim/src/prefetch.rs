//! A hint to the processor.
#![allow(unsafe_code, reason = "there is no safe function for it yet")]

/// Bytes that the processor fetches at once.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Tells the processor that this will be needed soon, so that it fetches it while something else is done. Where it has no such hint it
/// waits when the time comes.
#[inline(always)]
#[expect(clippy::inline_always, reason = "one instruction")]
pub(crate) fn soon<T>(what: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(what) = what {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in 0..size_of::<T>().div_ceil(LINE) {
            let address = std::ptr::from_ref(what).cast::<i8>().wrapping_add(line * LINE);
            // SAFETY: the instruction is part of every x86-64 processor, and changes nothing that a program can see, whatever the address is.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}
