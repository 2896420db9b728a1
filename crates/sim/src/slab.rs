//! A slab: values under small numbers that are used again, so that memory follows how many values
//! exist at once, not how many there have been.

use panto_memory::{HugeVec, prefetch};

/// Values by number. The entry of a removed value keeps what it held until it is used again.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    entries: HugeVec<T>,
    /// Numbers of unused entries; the last is used next.
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { entries: HugeVec::new(), free: Vec::new() }
    }
}

/// Number of insertions ahead of which a free entry is prefetched.
const PREFETCH_AHEAD: usize = 8;

impl<T: Default> Slab<T> {
    /// Reserves an entry for the caller to write to. It may hold an earlier value, whose
    /// allocations can be used again.
    #[inline]
    pub(crate) fn reserve(&mut self) -> u32 {
        self.prefetch_free();
        self.free.pop().unwrap_or_else(|| {
            self.entries.push(T::default());
            (self.entries.len() - 1) as u32
        })
    }
}

impl<T> Slab<T> {
    /// Stores a value and returns its number.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        let Some(slot) = self.free.pop() else {
            self.entries.push(value);
            return (self.entries.len() - 1) as u32;
        };
        self.prefetch_free();
        self.entries[slot as usize] = value;
        slot
    }

    #[inline]
    fn prefetch_free(&self) {
        let later = self.free.len().checked_sub(PREFETCH_AHEAD).and_then(|place| self.free.get(place));
        if let Some(&later) = later {
            self.prefetch(later);
        }
    }

    /// Returns how many entries there are, in use or free.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Prefetches an entry, if there is one of this number.
    #[inline]
    pub(crate) fn prefetch(&self, slot: u32) {
        prefetch(self.entries.get(slot as usize));
    }

    /// Frees an entry.
    #[inline]
    pub(crate) fn free(&mut self, slot: u32) {
        self.free.push(slot);
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, slot: u32) -> &T {
        &self.entries[slot as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut T {
        &mut self.entries[slot as usize]
    }
}
