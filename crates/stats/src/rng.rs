/// A small seeded generator of pseudo-random numbers; the same seed gives the same numbers for ever.
///
/// `SplitMix64` (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): one 64-bit
/// word of state, any seed is good, period 2^64. Right for shuffling and resampling, wrong for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator whose whole future is fixed by `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        // The odd constant is 2^64 divided by the golden ratio; the mixing constants are the paper's variant 13.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..n`, each equally likely; 0 when `n` is 0.
    ///
    /// Multiply-and-reject (Lemire, "Fast random integer generation in an interval", ACM TOMACS 29, 2019).
    pub fn below(&mut self, n: u64) -> u64 {
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            let low = product as u64;
            // The exact threshold costs a division, so it is computed only when rejection is possible at all.
            if low >= n || low >= n.wrapping_neg().checked_rem(n).unwrap_or(0) {
                return (product >> 64) as u64;
            }
        }
    }

    /// A number in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * f64::EPSILON / 2.0
    }

    /// Puts the items into random order, each order equally likely (Fisher & Yates; O(n)).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// [`Rng::below`] for positions in a slice.
    pub(crate) fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    /// A standard normal number, for the simulations in tests (Box & Muller 1958).
    #[cfg(test)]
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // The first outputs of the authors' reference program for seed 1234567.
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn below_stays_below_and_reaches_all() {
        let mut rng = Rng::new(1);
        let mut seen = [0_usize; 7];
        for _ in 0..7000 {
            seen[rng.index(7)] += 1;
        }
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn unit_is_half_open_and_centred() {
        let mut rng = Rng::new(2);
        let values: Vec<f64> = (0..10_000).map(|_| rng.unit()).collect();
        assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
        let mean = values.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }

    #[test]
    fn shuffle_keeps_all_items() {
        let mut items: Vec<u32> = (0..100).collect();
        Rng::new(3).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.iter().copied().eq(0..100));
        Rng::new(3).shuffle::<u8>(&mut []);
    }
}
