//! A vector in huge pages.
//!
//! Linux backs memory with huge pages transparently, but in its default configuration on many
//! systems only where a program asks for it (`madvise(MADV_HUGEPAGE)`), and only where a range
//! covers a whole huge page, that is, begins at a multiple of 2 MiB. The allocation of a `Vec` does
//! so by chance alone. A [`HugeVec`] of half a huge page or more is therefore allocated in whole,
//! aligned huge pages and advised once; a smaller one is an ordinary allocation.
//!
//! # Invariants
//!
//! - `capacity == 0` if and only if nothing is allocated; `start` dangles then.
//! - Otherwise `start` was returned by the global allocator for `layout::<T>(capacity)`. The layout
//!   rounds the size up to whole huge pages and the capacity is what fits, so `layout` of that
//!   capacity is the layout of the allocation, and deallocation computes it again.
//! - The first `len` elements are initialized, and `len <= capacity`.
//!
//! Pushing is amortized O(1): the capacity doubles, as that of `Vec` does.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Size and alignment of a huge page, in bytes, as on x86-64.
const HUGE_PAGE: usize = 2 << 20;
/// Smallest allocation that gets huge pages, in bytes. A smaller one would waste more than half of
/// its page, and its translations fit in the TLB.
const MIN_HUGE_BYTES: usize = HUGE_PAGE / 2;

/// A growable vector whose memory lies in huge pages once it is large, if the system has them.
///
/// It offers the part of `Vec`'s interface that the simulator needs. Elements must not be
/// zero-sized, which is checked when it is compiled.
pub struct HugeVec<T> {
    start: NonNull<T>,
    len: usize,
    capacity: usize,
}

// SAFETY: a `HugeVec` owns its elements exclusively, as a `Vec` does: sending it sends them.
unsafe impl<T: Send> Send for HugeVec<T> {}
// SAFETY: `&HugeVec<T>` gives out nothing but `&T`, as `&Vec<T>` does.
unsafe impl<T: Sync> Sync for HugeVec<T> {}

impl<T> HugeVec<T> {
    /// Returns an empty vector, without an allocation.
    pub const fn new() -> Self {
        Self { start: NonNull::dangling(), len: 0, capacity: 0 }
    }

    /// Returns the elements of an iterator, in one allocation.
    pub fn collect(elements: impl ExactSizeIterator<Item = T>) -> Self {
        let mut all = Self::with_capacity(elements.len());
        elements.for_each(|element| all.push(element));
        all
    }

    /// Returns `count` clones of an element.
    pub fn filled(element: T, count: usize) -> Self
    where
        T: Clone,
    {
        Self::collect((0..count).map(|_| element.clone()))
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, element: T) {
        if self.len == self.capacity {
            self.grow();
        }
        // SAFETY: `len < capacity` after `grow`, so the place is inside the allocation; it is not
        // initialized, so nothing is overwritten that would have to be dropped.
        unsafe { self.start.add(self.len).write(element) };
        self.len += 1;
    }

    /// Returns an empty vector with room for `count` elements or more.
    pub fn with_capacity(count: usize) -> Self {
        const { assert!(size_of::<T>() > 0) };
        if count == 0 {
            return Self::new();
        }
        let layout = layout::<T>(count);
        // SAFETY: the layout's size is not zero: `count` is not, and `T` is not zero-sized.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        advise(start, layout);
        Self { start: start.cast(), len: 0, capacity: layout.size() / size_of::<T>() }
    }

    #[cold]
    fn grow(&mut self) {
        let mut more = Self::with_capacity(self.capacity.saturating_mul(2).max(4));
        // SAFETY: both are allocations of their own, and the new one has room for `self.len`
        // elements. The elements move: `self.len` is zero before `self` is dropped below, so they
        // are not dropped there.
        unsafe { more.start.copy_from_nonoverlapping(self.start, self.len) };
        more.len = std::mem::take(&mut self.len);
        *self = more;
    }
}

/// Returns the layout of an allocation for `count` elements. The capacity that comes of it
/// (`size / size_of::<T>()`) has the same layout.
fn layout<T>(count: usize) -> Layout {
    let layout = Layout::array::<T>(count).ok();
    let whole_pages = |layout: Layout| match layout.size() {
        0..MIN_HUGE_BYTES => Some(layout),
        bytes => {
            let bytes = bytes.checked_next_multiple_of(HUGE_PAGE)?;
            Layout::from_size_align(bytes, HUGE_PAGE.max(layout.align())).ok()
        }
    };
    layout.and_then(whole_pages).expect("the capacity overflows the address space")
}

/// Asks for huge pages. Failure is ignored: the memory is the same, in ordinary pages.
fn advise(start: NonNull<u8>, layout: Layout) {
    #[cfg(target_os = "linux")]
    if layout.size() >= MIN_HUGE_BYTES {
        use rustix::mm::{Advice, madvise};
        // SAFETY: the range is one allocation of this crate, in whole pages. This advice changes
        // neither the contents nor the access rights of the memory.
        let _ = unsafe { madvise(start.as_ptr().cast(), layout.size(), Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, layout);
}

impl<T> Drop for HugeVec<T> {
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: the first `len` elements are initialized and not used after this; `start` was
            // allocated with `layout::<T>(self.capacity)` (see the invariants of the module).
            unsafe {
                std::ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.len).drop_in_place();
                dealloc(self.start.as_ptr().cast(), layout::<T>(self.capacity));
            }
        }
    }
}

impl<T> Deref for HugeVec<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the first `len` elements are initialized, and live as long as `self`; `start` is
        // aligned and not null also when it dangles (`len` is zero then).
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for HugeVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; `self` is borrowed exclusively, and so are its elements.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T> Default for HugeVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for HugeVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn no_element_is_lost_below_and_above_the_huge_page_threshold() {
        let threshold = MIN_HUGE_BYTES / size_of::<u64>();
        for count in [0, 1, 4, 5, threshold - 1, threshold, 2 * threshold + 77] {
            assert!(HugeVec::collect((0..count).map(|nth| nth as u64)).iter().copied().eq(0..count as u64));
            assert!(HugeVec::filled(7_u64, count).iter().all(|&seven| seven == 7));
            let mut all = HugeVec::new();
            (0..count).for_each(|nth| all.push(nth));
            assert!(all.iter().copied().eq(0..count));
        }
    }

    #[test]
    fn a_large_allocation_is_whole_aligned_huge_pages() {
        let all = HugeVec::filled([7_u8; 24], MIN_HUGE_BYTES / 24 + 1);
        assert_eq!(all.as_ptr().align_offset(HUGE_PAGE), 0);
        assert_eq!(all.capacity, HUGE_PAGE / 24);
        assert_eq!(layout::<[u8; 24]>(all.capacity), Layout::from_size_align(HUGE_PAGE, HUGE_PAGE).unwrap());
    }

    #[test]
    fn each_element_is_dropped_once() {
        let element = Rc::new(());
        let mut all = HugeVec::filled(Rc::clone(&element), 100_000);
        (0..100_000).for_each(|_| all.push(Rc::clone(&element)));
        assert_eq!(Rc::strong_count(&element), 200_001);
        drop(all);
        assert_eq!(Rc::strong_count(&element), 1);
    }
}
