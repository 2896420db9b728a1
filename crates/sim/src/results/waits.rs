//! How long each rank waited for each other rank.

use panto_units::Time;
use rustc_hash::FxHashMap;

/// Pairs of ranks for each entry of the hash table from which on a matrix is no larger, and needs
/// no search: an entry takes up to four times the 8 bytes of a pair.
const PAIRS_PER_ENTRY: u64 = 4;

/// The times of pairs of ranks. Most programs have few pairs; where most ranks wait for most
/// others, the pairs become a matrix.
#[derive(Debug, Clone)]
pub(super) struct Waits {
    ranks: u32,
    /// The times of a few pairs.
    sparse: FxHashMap<(u32, u32), Time>,
    /// The times of all pairs, row by row; empty as long as there are few.
    dense: Vec<Time>,
}

impl Waits {
    /// No rank of `ranks` has waited.
    pub(super) fn new(ranks: u32) -> Self {
        Self { ranks, sparse: FxHashMap::default(), dense: Vec::new() }
    }

    /// Adds the time that a rank waited for a peer.
    #[inline]
    pub(super) fn add(&mut self, rank: u32, peer: u32, time: Time) {
        let place = rank as usize * self.ranks as usize + peer as usize;
        if let Some(sum) = self.dense.get_mut(place) {
            *sum = sum.saturating_add(time);
        } else {
            let sum = self.sparse.entry((rank, peer)).or_default();
            *sum = sum.saturating_add(time);
            if self.sparse.len() as u64 * PAIRS_PER_ENTRY > u64::from(self.ranks).pow(2) {
                self.make_dense();
            }
        }
    }

    #[cold]
    fn make_dense(&mut self) {
        self.dense = vec![Time::ZERO; (self.ranks as usize).pow(2)];
        for ((rank, peer), time) in std::mem::take(&mut self.sparse) {
            self.dense[rank as usize * self.ranks as usize + peer as usize] = time;
        }
    }

    /// Returns all waits, as (rank, peer, time), in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32, Time)> {
        let dense = self.dense.iter().enumerate().filter(|(_, time)| **time > Time::ZERO);
        let ranks = self.ranks.max(1) as usize;
        let dense = dense.map(move |(place, time)| ((place / ranks) as u32, (place % ranks) as u32, *time));
        dense.chain(self.sparse.iter().map(|((rank, peer), time)| (*rank, *peer, *time)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_pairs_have_the_same_times() {
        const RANKS: u32 = 8;
        let mut waits = Waits::new(RANKS);
        let mut expected = FxHashMap::default();
        for nth in 1..200_u32 {
            let (rank, peer) = (nth * 5 % RANKS, nth * 3 / 7 % RANKS);
            waits.add(rank, peer, Time::from_nanos(nth.into()));
            let sum: &mut Time = expected.entry((rank, peer)).or_default();
            *sum = sum.saturating_add(Time::from_nanos(nth.into()));
            let found = waits.iter().map(|(rank, peer, time)| ((rank, peer), time));
            assert_eq!(found.collect::<FxHashMap<_, _>>(), expected, "after {nth}");
        }
        assert!(waits.sparse.is_empty() && !waits.dense.is_empty(), "half of the pairs waited");
    }
}
