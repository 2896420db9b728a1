//! Reproducible bytes that distinguish messages.

use panto_random::SplitMix64;

/// Random choices that are the same on every rank and every machine.
pub(super) struct Random(SplitMix64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(super) fn pick<A: Copy>(&mut self, from: &[A]) -> A {
        from[self.below(from.len())]
    }
}

/// Returns the bytes of message number `seed`.
pub(super) fn pattern(seed: usize, len: usize) -> Vec<u8> {
    let mut random = Random::new(seed as u64);
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        bytes.extend(random.next().to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}
