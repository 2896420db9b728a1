//! Numbered places for what comes and goes, used again and again: memory follows what is under way, not what has been.

use crate::large::Large;
use crate::prefetch;

/// Things with small numbers.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    places: Large<T>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { places: Large::new(), free: Vec::new() }
    }
}

/// So many puts ahead, a place is asked for.
const AHEAD: usize = 8;

impl<T: Default> Slots<T> {
    /// A place to write to. It may hold what was there before, whose memory can be used again.
    #[inline]
    pub(crate) fn take(&mut self) -> u32 {
        self.touch_free();
        self.free.pop().unwrap_or_else(|| {
            self.places.push(T::default());
            (self.places.len() - 1) as u32
        })
    }
}

impl<T> Slots<T> {
    /// Puts something in a free place.
    #[inline]
    pub(crate) fn put(&mut self, what: T) -> u32 {
        let Some(slot) = self.free.pop() else {
            self.places.push(what);
            return (self.places.len() - 1) as u32;
        };
        self.touch_free();
        self.places[slot as usize] = what;
        slot
    }

    /// A place will be taken soon.
    #[inline]
    fn touch_free(&self) {
        if let Some(&later) = self.free.len().checked_sub(AHEAD).and_then(|place| self.free.get(place)) {
            self.soon(later);
        }
    }

    /// How many places there are, taken or not.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// What is in this place, if it is one, will be needed soon.
    #[inline]
    pub(crate) fn soon(&self, slot: u32) {
        prefetch::soon(self.places.get(slot as usize));
    }

    /// The place may be taken again.
    #[inline]
    pub(crate) fn give_back(&mut self, slot: u32) {
        self.free.push(slot);
    }
}

impl<T> std::ops::Index<u32> for Slots<T> {
    type Output = T;
    #[inline]
    fn index(&self, slot: u32) -> &T {
        &self.places[slot as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slots<T> {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut T {
        &mut self.places[slot as usize]
    }
}
