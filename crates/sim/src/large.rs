//! Memory in large pages.
//!
//! With thousands of ranks nearly every turn comes to another page, and to find out where a page of 4 KiB is can take longer than to read
//! from it. Many systems give larger pages only to those who ask.
#![allow(unsafe_code, reason = "there is no safe function for it")]

/// With less, nobody has to look for pages for long.
const LEAST: usize = 8 << 20;

/// What an iterator of a known length gives, in large pages if there is much of it and the system has them.
pub(crate) fn collect<T>(things: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::with_capacity(things.len());
    ask(&all);
    all.extend(things);
    all
}

/// So many of the same, likewise.
pub(crate) fn filled<T: Clone>(thing: T, count: usize) -> Vec<T> {
    let mut all = Vec::with_capacity(count);
    ask(&all);
    all.resize(count, thing);
    all
}

/// Whether the system listens does not matter: the memory is the same.
fn ask<T>(all: &Vec<T>) {
    let bytes = all.capacity().saturating_mul(size_of::<T>());
    #[cfg(target_os = "linux")]
    if bytes >= LEAST {
        use rustix::mm::{Advice, madvise};
        let page = rustix::param::page_size();
        let start = all.as_ptr().cast_mut().cast::<u8>();
        let skipped = start.align_offset(page);
        let whole = (bytes - skipped) / page * page;
        // SAFETY: whole pages of memory that belongs to the vector; the advice changes neither what is in them nor who may use them.
        let _ = unsafe { madvise(start.wrapping_add(skipped).cast(), whole, Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (bytes, LEAST);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_there_whether_it_is_much_or_not() {
        for count in [0, 1, LEAST / 8 - 1, LEAST / 8, LEAST / 4 + 77] {
            assert!(collect((0..count).map(|nth| nth as u64)).into_iter().eq(0..count as u64));
            assert!(filled(7_u64, count).iter().all(|&seven| seven == 7));
        }
    }
}
