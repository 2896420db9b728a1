//! Slots for requests: the lowest free one first, so that each iteration of a loop uses the same
//! ones.

/// A bitmap of free slots.
#[derive(Default)]
pub struct SlotAllocator {
    /// One bit for each slot, set if it is free.
    words: Vec<u64>,
    /// No word before this one has a free slot.
    first: usize,
    /// One more than the highest slot that was ever taken.
    high_water: u32,
    /// The number of slots that are taken.
    taken: u32,
}

const BITS: usize = u64::BITS as usize;

impl SlotAllocator {
    /// Takes the lowest free slot.
    pub fn take(&mut self) -> u32 {
        while self.words.get(self.first) == Some(&0) {
            self.first += 1;
        }
        if self.first == self.words.len() {
            self.words.push(u64::MAX);
        }
        let word = &mut self.words[self.first];
        let bit = word.trailing_zeros();
        *word &= *word - 1;
        self.taken += 1;
        let slot = (self.first * BITS) as u32 + bit;
        self.high_water = self.high_water.max(slot + 1);
        slot
    }

    /// Frees a slot.
    pub fn free(&mut self, slot: u32) {
        let word = slot as usize / BITS;
        self.words[word] |= 1 << (slot as usize % BITS);
        self.taken -= 1;
        self.first = self.first.min(word);
    }

    /// Returns whether no slot is taken.
    #[inline]
    pub fn is_unused(&self) -> bool {
        self.taken == 0
    }

    /// The number of slots that were ever needed.
    pub fn high_water(&self) -> u32 {
        self.high_water
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_slot_is_taken() {
        let mut slots = SlotAllocator::default();
        let taken: Vec<u32> = (0..130).map(|_| slots.take()).collect();
        assert_eq!(taken, (0..130).collect::<Vec<_>>());
        for slot in [100, 3, 64] {
            slots.free(slot);
        }
        assert_eq!([slots.take(), slots.take(), slots.take(), slots.take()], [3, 64, 100, 130]);
        assert_eq!(slots.high_water(), 131);
    }
}
