//! Numbered places for what comes and goes, used again and again: memory follows what is under way, not what has been.

/// Things with small numbers.
#[derive(Debug)]
pub(super) struct Slots<T> {
    places: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}

impl<T: Default> Slots<T> {
    /// A place to write to. It may hold what was there before, whose memory can be used again.
    #[inline]
    pub(super) fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.places.push(T::default());
            (self.places.len() - 1) as u32
        })
    }

    /// The place may be taken again.
    #[inline]
    pub(super) fn give_back(&mut self, slot: u32) {
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
