//! Reduce-scatter of equal blocks: pairwise, ring.

use crate::layout::exchange;
use crate::{Order, Schedule, Span, Step};

/// Pairwise: every rank sends each block directly to its owner. (P - 1)(alpha + n/P beta + n/P
/// gamma).
///
/// Blocks arrive in the order of distance, so the order of the ranks is not kept.
pub(crate) struct Pairwise {
    pub ranks: usize,
    pub count: usize,
}

impl Schedule for Pairwise {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        self.count
    }

    fn rounds(&self, _rank: usize) -> usize {
        self.ranks
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let Pairwise { ranks, count } = *self;
        let (sum, arrived) = (Span::output(0, count), Span::scratch(0, count));
        if index == 0 {
            return steps.push(Step::Copy { from: Span::input(rank * count, count), to: sum });
        }
        let (to, from) = ((rank + index) % ranks, (rank + ranks - index) % ranks);
        exchange(steps, to, Span::input(to * count, count), from, arrived);
        steps.push(Step::Reduce { from: arrived, into: sum, order: Order::FromFirst });
    }

    fn keeps_order(&self) -> bool {
        false
    }
}

/// Ring: the block of rank b starts on its successor, travels to b and is combined on each rank
/// that it passes. (P - 1)(alpha + n/P beta + n/P gamma), all of it between neighbours.
///
/// Each block is combined from another rank on, so the order of the ranks is not kept.
pub(crate) struct Ring {
    pub ranks: usize,
    pub count: usize,
}

impl Ring {
    /// Returns the receive buffer of a round: two blocks of scratch alternate, and the last block
    /// arrives in the output.
    fn arriving(&self, round: usize) -> Span {
        if round + 1 == self.ranks {
            Span::output(0, self.count)
        } else {
            Span::scratch(round % 2 * self.count, self.count)
        }
    }
}

impl Schedule for Ring {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        if self.ranks > 2 { 2 * self.count } else { 0 }
    }

    fn rounds(&self, _rank: usize) -> usize {
        self.ranks
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let Ring { ranks, count } = *self;
        let input = |block: usize| Span::input(block % ranks * count, count);
        if index == 0 {
            if ranks == 1 {
                steps.push(Step::Copy { from: input(0), to: Span::output(0, count) });
            }
            return;
        }
        let (to, from) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let sent = if index == 1 { input(rank + ranks - 1) } else { self.arriving(index - 1) };
        let arrived = self.arriving(index);
        exchange(steps, to, sent, from, arrived);
        let own = input(rank + 2 * ranks - 1 - index);
        steps.push(Step::Reduce { from: own, into: arrived, order: Order::IntoFirst });
    }

    fn keeps_order(&self) -> bool {
        false
    }
}
