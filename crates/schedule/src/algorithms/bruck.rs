//! Bruck's complete exchange in lg rounds.

use crate::layout::{ceil_log2, exchange};
use crate::{Schedule, Span, Step};

/// A complete exchange in which blocks are numbered by their distance, and in round k all blocks
/// whose number has bit k set travel 2^k ranks. lg (alpha + n/2 beta) for powers of two (never more
/// for others), and about (lg + 2) n elements copied.
///
/// Bruck and others, "Efficient algorithms for all-to-all communications in multiport
/// message-passing systems", 1997.
pub(crate) struct Bruck {
    pub ranks: usize,
    pub count: usize,
}

impl Bruck {
    /// Returns the blocks that travel together: the runs of numbers below P with the bit set.
    fn runs(&self, bit: usize) -> impl Iterator<Item = (usize, usize)> {
        let (ranks, len) = (self.ranks, 1 << bit);
        (len..ranks).step_by(2 * len).map(move |start| (start, len.min(ranks - start)))
    }

    /// Returns the span of the block with distance `far` and of the blocks after it.
    fn held(&self, far: usize, blocks: usize) -> Span {
        Span::scratch(far * self.count, blocks * self.count)
    }

    /// Returns where blocks are packed before they are sent, or received before they are unpacked.
    fn packed(&self, arriving: bool, first: usize, blocks: usize) -> Span {
        let half = if arriving { self.ranks / 2 } else { 0 };
        self.held(self.ranks + half + first, blocks)
    }

    fn rotate(&self, rank: usize, steps: &mut Vec<Step>) {
        let (count, head) = (self.count, self.ranks - rank);
        steps.push(Step::Copy { from: Span::input(rank * count, head * count), to: self.held(0, head) });
        steps.push(Step::Copy { from: Span::input(0, rank * count), to: self.held(head, rank) });
    }

    fn travel(&self, rank: usize, bit: usize, steps: &mut Vec<Step>) {
        let ranks = self.ranks;
        let mut blocks = 0;
        for (start, len) in self.runs(bit) {
            steps.push(Step::Copy { from: self.held(start, len), to: self.packed(false, blocks, len) });
            blocks += len;
        }
        let (to, from) = ((rank + (1 << bit)) % ranks, (rank + ranks - (1 << bit)) % ranks);
        exchange(steps, to, self.packed(false, 0, blocks), from, self.packed(true, 0, blocks));
        let mut unpacked = 0;
        for (start, len) in self.runs(bit) {
            steps.push(Step::Copy { from: self.packed(true, unpacked, len), to: self.held(start, len) });
            unpacked += len;
        }
    }

    /// Appends the final rotation: a block that has travelled a distance came from the rank that
    /// far behind.
    fn unrotate(&self, rank: usize, steps: &mut Vec<Step>) {
        for far in 0..self.ranks {
            let source = (rank + self.ranks - far) % self.ranks;
            let to = Span::output(source * self.count, self.count);
            steps.push(Step::Copy { from: self.held(far, 1), to });
        }
    }
}

impl Schedule for Bruck {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        2 * self.ranks * self.count
    }

    fn rounds(&self, _rank: usize) -> usize {
        ceil_log2(self.ranks) + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        if index == 0 {
            self.rotate(rank, steps);
        } else if index + 1 < self.rounds(rank) {
            self.travel(rank, index - 1, steps);
        } else {
            self.unrotate(rank, steps);
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
