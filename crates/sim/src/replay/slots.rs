//! Places for requests: the lowest free one first, so that a loop uses the same ones in each round.

/// Which places are taken.
#[derive(Default)]
pub struct Slots {
    /// A bit for each: is it free?
    words: Vec<u64>,
    /// No word before this one has a free place.
    first: usize,
    /// One more than the highest that was ever taken.
    most: u32,
}

const BITS: usize = u64::BITS as usize;

impl Slots {
    /// Takes the lowest free place.
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
        let slot = (self.first * BITS) as u32 + bit;
        self.most = self.most.max(slot + 1);
        slot
    }

    /// A place is free again.
    pub fn give(&mut self, slot: u32) {
        let word = slot as usize / BITS;
        self.words[word] |= 1 << (slot as usize % BITS);
        self.first = self.first.min(word);
    }

    /// How many were ever needed.
    pub fn most(&self) -> u32 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_place_is_taken() {
        let mut slots = Slots::default();
        let taken: Vec<u32> = (0..130).map(|_| slots.take()).collect();
        assert_eq!(taken, (0..130).collect::<Vec<_>>());
        for slot in [100, 3, 64] {
            slots.give(slot);
        }
        assert_eq!([slots.take(), slots.take(), slots.take(), slots.take()], [3, 64, 100, 130]);
        assert_eq!(slots.most(), 131);
    }
}
