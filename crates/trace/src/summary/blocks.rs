//! The lengths of blocks of computation, as a distribution, because a mean would hide it.

/// Blocks whose lengths have the same number of decimal digits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decade {
    /// The number of blocks.
    pub count: u64,
    /// Their computation in total, in nanoseconds.
    pub total: u64,
}

/// Lengths have up to 20 decimal digits: all that 64 bits can hold.
const DECADES: usize = 20;

/// Bits of the mantissa of a histogram bin: lengths in one bin differ by less than one part in 64.
const FINE_BITS: u32 = 6;
const FINE: usize = 1 << FINE_BITS;

/// The lengths of blocks of computation, in nanoseconds.
#[derive(Debug, Clone)]
pub struct Blocks {
    decades: [Decade; DECADES],
    fine: Vec<Decade>,
}

impl Default for Blocks {
    fn default() -> Self {
        Self { decades: [Decade::default(); DECADES], fine: vec![Decade::default(); place(u64::MAX) + 1] }
    }
}

impl Blocks {
    #[inline]
    pub(super) fn add(&mut self, length: u64) {
        self.decades[length.checked_ilog10().unwrap_or(0) as usize].add(1, length);
        self.fine[place(length)].add(1, length);
    }

    pub(super) fn merge(&mut self, more: &Self) {
        let sums = self.decades.iter_mut().chain(&mut self.fine);
        for (sum, more) in sums.zip(more.decades.iter().chain(&more.fine)) {
            sum.add(more.count, more.total);
        }
    }

    /// Returns the number of blocks.
    pub fn count(&self) -> u64 {
        self.decades.iter().map(|decade| decade.count).sum()
    }

    /// Returns the blocks by decade: below 10 ns, below 100 ns, and so on.
    pub fn decades(&self) -> &[Decade] {
        &self.decades
    }

    /// Returns the length that this share of the blocks does not exceed, to one part in 64;
    /// exactly, if all blocks of about that length are equal.
    pub fn quantile(&self, share: f64) -> u64 {
        let wanted = (share * self.count() as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let reached = |lengths: &&Decade| {
            seen += lengths.count;
            seen >= wanted
        };
        self.fine.iter().find(reached).map_or(0, |lengths| lengths.total / lengths.count.max(1))
    }
}

impl Decade {
    #[inline]
    fn add(&mut self, count: u64, total: u64) {
        self.count += count;
        self.total = self.total.saturating_add(total);
    }
}

/// Returns the histogram bin of a length.
#[inline]
fn place(length: u64) -> usize {
    let octave = length.checked_ilog2().unwrap_or(0).saturating_sub(FINE_BITS);
    FINE * octave as usize + (length >> octave) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_share_a_place_are_about_the_same() {
        let lengths = (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) + (1 << bit) / 3, u64::MAX >> bit]);
        for length in lengths.filter(|length| *length < u64::MAX / 2) {
            let beyond = length + length / 64 + 1;
            assert!(place(beyond) > place(length), "{length} and {beyond}");
        }
        let places: Vec<usize> = (0..5000).map(place).collect();
        assert!(places.windows(2).all(|pair| pair[0] <= pair[1] && pair[1] <= pair[0] + 1));
    }

    #[test]
    fn most_blocks_and_most_computation_are_told_apart() {
        let mut blocks = Blocks::default();
        for _ in 0..99 {
            blocks.add(50);
        }
        blocks.add(1_000_000);
        assert_eq!((blocks.count(), blocks.quantile(0.5), blocks.quantile(0.95)), (100, 50, 50));
        assert_eq!(blocks.decades()[1], Decade { count: 99, total: 4950 });
        assert_eq!(blocks.decades()[6], Decade { count: 1, total: 1_000_000 });
        let mut twice = blocks.clone();
        twice.merge(&blocks);
        assert_eq!((twice.count(), twice.quantile(0.5)), (200, 50));
    }

    #[test]
    fn no_blocks_have_no_length() {
        assert_eq!(Blocks::default().quantile(0.5), 0);
    }
}
