//! The one pseudo-random number generator of this workspace.
//!
//! [`SplitMix64`] is from Steele, Lea & Flood, "Fast splittable pseudorandom number generators",
//! OOPSLA 2014: a 64-bit counter with a fixed odd increment (a Weyl sequence), whose value is mixed
//! by two multiplications and three shifts. Any seed is good, the period is 2^64, and a number
//! costs about a nanosecond. It suits shuffling, resampling and modelled noise; it is not for
//! secrets.
//!
//! Results must be reproducible: the same seed gives the same numbers on every machine and in every
//! version of Panto, so the constants and the order of draws never change.
#![forbid(unsafe_code)]

use std::f64::consts::TAU;

/// The increment of the Weyl sequence: the odd integer next to 2^64 divided by the golden ratio.
///
/// Multiplying an index by it spreads neighbouring indices over all 64 bits, which makes one seed
/// for each rank or each repetition out of a common seed.
pub const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A seeded pseudo-random number generator with 64 bits of state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Creates a generator whose numbers are determined by `seed` alone.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        // Stafford's variant 13 of the mixing function, as in the paper.
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a uniformly distributed integer in `0..n`; 0 if `n` is 0.
    ///
    /// Multiplication with rejection (Lemire, "Fast random integer generation in an interval", ACM
    /// TOMACS 29, 2019).
    pub fn below(&mut self, n: u64) -> u64 {
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            let low = product as u64;
            // The exact threshold costs a division, so it is computed only when rejection is
            // possible.
            if low >= n || low >= n.wrapping_neg().checked_rem(n).unwrap_or(0) {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns a uniformly distributed number in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * f64::EPSILON / 2.0
    }

    /// Shuffles the items, each permutation equally likely (Fisher & Yates; O(n)).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// Returns a uniformly distributed index into a slice of `n` items; 0 if `n` is 0.
    pub fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    /// Returns a standard normal number (Box & Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first outputs of the authors' reference program for seed 1234567.
        let mut rng = SplitMix64::new(1_234_567);
        assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn below_is_uniform_over_its_range() {
        let mut rng = SplitMix64::new(1);
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
        let mut rng = SplitMix64::new(2);
        let values: Vec<f64> = (0..10_000).map(|_| rng.unit()).collect();
        assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
        let mean = values.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }

    #[test]
    fn shuffle_keeps_all_items() {
        let mut items: Vec<u32> = (0..100).collect();
        SplitMix64::new(3).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.iter().copied().eq(0..100));
        SplitMix64::new(3).shuffle::<u8>(&mut []);
    }
}
