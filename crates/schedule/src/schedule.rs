//! The trait that all algorithms implement, and the iterator over one rank's steps.

use crate::Step;

/// A communication pattern as steps, produced lazily.
///
/// A rank's steps are produced round by round, so that a million ranks do not need a million lists.
/// A round is the natural unit of the algorithm, often one exchange, and may be empty.
pub trait Schedule: Send + Sync {
    /// Returns the number of ranks.
    fn ranks(&self) -> usize;

    /// Returns the scratch space this rank needs, in elements.
    fn scratch(&self, rank: usize) -> usize;

    /// Returns the number of rounds of this rank.
    fn rounds(&self, rank: usize) -> usize;

    /// Appends the steps of one round.
    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>);

    /// Returns whether reductions are applied in rank order, which makes the schedule valid for
    /// operations that are associative but not commutative. True for a schedule without reductions.
    fn keeps_order(&self) -> bool;
}

/// Returns the steps of one rank, in order. Holds the steps of one round at a time.
pub fn steps(schedule: &dyn Schedule, rank: usize) -> impl Iterator<Item = Step> + '_ {
    let rounds = if rank < schedule.ranks() { schedule.rounds(rank) } else { 0 };
    let mut next_round = 0;
    let mut held = Vec::new();
    let mut position = 0;
    std::iter::from_fn(move || {
        while position == held.len() {
            if next_round == rounds {
                return None;
            }
            held.clear();
            position = 0;
            schedule.round(rank, next_round, &mut held);
            next_round += 1;
        }
        position += 1;
        Some(held[position - 1])
    })
}

/// Schedules in sequence over the same three buffers: a phase may use what the previous one left in
/// scratch.
pub(crate) struct Phases(pub Vec<Box<dyn Schedule>>);

impl Schedule for Phases {
    fn ranks(&self) -> usize {
        self.0.first().map_or(0, |phase| phase.ranks())
    }

    fn scratch(&self, rank: usize) -> usize {
        self.0.iter().map(|phase| phase.scratch(rank)).max().unwrap_or(0)
    }

    fn rounds(&self, rank: usize) -> usize {
        self.0.iter().map(|phase| phase.rounds(rank)).sum()
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let mut index = index;
        for phase in &self.0 {
            let rounds = phase.rounds(rank);
            if index < rounds {
                return phase.round(rank, index, steps);
            }
            index -= rounds;
        }
    }

    fn keeps_order(&self) -> bool {
        self.0.iter().all(|phase| phase.keeps_order())
    }
}
