//! Lists in large pages of memory.
//!
//! With thousands of ranks nearly every turn comes to another page, and to find out where a page of 4 KiB is can take longer than to read
//! from it. Many systems give larger pages only to those who ask, and only where one begins at a multiple of its size, which the memory
//! of a `Vec` does by chance.
#![allow(unsafe_code, reason = "a list whose memory begins where it must cannot be made of safe ones")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// A large page.
const PAGE: usize = 2 << 20;
/// With less, nobody has to look for pages for long.
const LEAST: usize = PAGE / 2;

/// A list as `Vec` is one, in large pages if there is much of it and the system has them.
pub(crate) struct Large<T> {
    start: NonNull<T>,
    len: usize,
    capacity: usize,
}

// SAFETY: it owns its things as `Vec` does.
unsafe impl<T: Send> Send for Large<T> {}
// SAFETY: likewise.
unsafe impl<T: Sync> Sync for Large<T> {}

impl<T> Large<T> {
    pub(crate) const fn new() -> Self {
        Self { start: NonNull::dangling(), len: 0, capacity: 0 }
    }

    /// What an iterator of a known length gives.
    pub(crate) fn collect(things: impl ExactSizeIterator<Item = T>) -> Self {
        let mut all = Self::with_capacity(things.len());
        things.for_each(|thing| all.push(thing));
        all
    }

    /// So many of the same.
    pub(crate) fn filled(thing: T, count: usize) -> Self
    where
        T: Clone,
    {
        Self::collect((0..count).map(|_| thing.clone()))
    }

    #[inline]
    pub(crate) fn push(&mut self, thing: T) {
        if self.len == self.capacity {
            self.grow();
        }
        // SAFETY: there is room behind the last thing.
        unsafe { self.start.add(self.len).write(thing) };
        self.len += 1;
    }

    /// Room for so many or more.
    fn with_capacity(count: usize) -> Self {
        const { assert!(size_of::<T>() > 0) };
        if count == 0 {
            return Self::new();
        }
        let layout = layout::<T>(count);
        // SAFETY: the layout is not of no bytes: there is a thing, and things have a size.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        advise(start, layout);
        Self { start: start.cast(), len: 0, capacity: layout.size() / size_of::<T>() }
    }

    #[cold]
    fn grow(&mut self) {
        let mut more = Self::with_capacity(self.capacity.saturating_mul(2).max(4));
        // SAFETY: there is room for all things, which are in the other place from then on: nobody drops them here.
        unsafe { more.start.copy_from_nonoverlapping(self.start, self.len) };
        more.len = std::mem::take(&mut self.len);
        *self = more;
    }
}

/// The memory of so many things; a capacity that comes of it has the same one.
fn layout<T>(count: usize) -> Layout {
    let layout = Layout::array::<T>(count).ok();
    let whole = |layout: Layout| match layout.size() {
        0..LEAST => Some(layout),
        bytes => {
            Layout::from_size_align(bytes.checked_next_multiple_of(PAGE)?, PAGE.max(layout.align())).ok()
        }
    };
    layout.and_then(whole).expect("so many things are more than a memory has addresses")
}

/// Asks for large pages. Whether the system listens does not matter: the memory is the same.
fn advise(start: NonNull<u8>, layout: Layout) {
    #[cfg(target_os = "linux")]
    if layout.size() >= LEAST {
        use rustix::mm::{Advice, madvise};
        // SAFETY: whole pages of memory that belongs to the list; the advice changes neither what is in them nor who may use them.
        let _ = unsafe { madvise(start.as_ptr().cast(), layout.size(), Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, layout);
}

impl<T> Drop for Large<T> {
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: the things are there, and nobody asks for them any more; the memory is what `layout` said when it was taken.
            unsafe {
                std::ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.len).drop_in_place();
                dealloc(self.start.as_ptr().cast(), layout::<T>(self.capacity));
            }
        }
    }
}

impl<T> Deref for Large<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: so many things are there.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Large<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: so many things are there, and nobody else has them.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T> Default for Large<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Large<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn everything_is_there_whether_it_is_much_or_not() {
        for count in [0, 1, 4, 5, LEAST / 8 - 1, LEAST / 8, LEAST / 4 + 77] {
            assert!(Large::collect((0..count).map(|nth| nth as u64)).iter().copied().eq(0..count as u64));
            assert!(Large::filled(7_u64, count).iter().all(|&seven| seven == 7));
            let mut all = Large::new();
            (0..count).for_each(|nth| all.push(nth));
            assert!(all.iter().copied().eq(0..count));
        }
    }

    #[test]
    fn much_of_it_begins_with_a_large_page_and_ends_with_one() {
        let all = Large::filled([7_u8; 24], LEAST / 24 + 1);
        assert_eq!(all.as_ptr().align_offset(PAGE), 0);
        assert_eq!(all.capacity, PAGE / 24);
        assert_eq!(layout::<[u8; 24]>(all.capacity), Layout::from_size_align(PAGE, PAGE).unwrap());
    }

    #[test]
    fn each_thing_is_dropped_once() {
        let thing = Rc::new(());
        let mut all = Large::filled(Rc::clone(&thing), 100_000);
        (0..100_000).for_each(|_| all.push(Rc::clone(&thing)));
        assert_eq!(Rc::strong_count(&thing), 200_001);
        drop(all);
        assert_eq!(Rc::strong_count(&thing), 1);
    }
}
