//! The trait that all algorithms implement, and the walk over one rank's steps.

use crate::Step;

/// A communication pattern as steps, produced lazily.
///
/// A rank's steps come round by round, so that a million ranks need no million lists; a round is what an algorithm
/// finds natural (often one exchange) and may be empty.
pub trait Schedule: Send + Sync {
    /// How many ranks take part.
    fn ranks(&self) -> usize;

    /// Elements of scratch space that this rank needs.
    fn scratch(&self, rank: usize) -> usize;

    /// How many rounds this rank has.
    fn rounds(&self, rank: usize) -> usize;

    /// Appends the steps of one round.
    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>);

    /// Whether reductions are applied in the order of the ranks, which makes the schedule valid for operations that
    /// do not commute (all must associate). A schedule that reduces nothing says yes.
    fn keeps_order(&self) -> bool;
}

/// The steps of one rank, in order. Holds the steps of one round at a time.
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

/// Schedules one after the other, over the same three buffers: what one leaves in scratch the next may use.
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
