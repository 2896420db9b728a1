//! Rabenseifner's reductions for long vectors: a reduce-scatter by recursive halving, then a
//! gather.

use crate::fold::{Fold, Role};
use crate::layout::{Cut, exchange, order};
use crate::{Schedule, Span, Step};

/// Reduce to all: 2 lg alpha + 2 (P-1)/P n beta + (P-1)/P n gamma. Reduce to the root: the same,
/// but the second half is a gather and no exchange.
///
/// The nearest ranks exchange first, half of the vector each, then ranks twice as far a quarter,
/// and so on; so every part is combined over runs of ranks and the order of the ranks is kept.
/// Numbers of ranks that are no power of two are folded in neighbouring pairs. Rabenseifner,
/// "Optimization of collective reduction operations", 2004.
pub(crate) struct Rabenseifner {
    ranks: usize,
    /// The rank that gets the result; `None` for an allreduce.
    root: Option<usize>,
    fold: Fold,
    cut: Cut,
}

impl Rabenseifner {
    pub fn new(ranks: usize, root: Option<usize>, count: usize) -> Rabenseifner {
        let fold = Fold::new(ranks, root.unwrap_or(0));
        Rabenseifner { ranks, root, fold, cut: Cut { total: count, parts: fold.width } }
    }

    fn has_output(&self, rank: usize) -> bool {
        self.root.is_none_or(|root| root == rank)
    }

    /// Returns the accumulator and the receive buffer of a rank.
    fn buffers(&self, rank: usize) -> (Span, Span) {
        let count = self.cut.total;
        if self.has_output(rank) {
            (Span::output(0, count), Span::scratch(0, count))
        } else {
            (Span::scratch(0, count), Span::scratch(count, count))
        }
    }

    /// Returns the parts that an active rank reduces after `level` halvings.
    fn window(&self, whole: Span, index: usize, level: usize) -> Span {
        let (mut first, mut len) = (0, self.fold.width);
        for bit in 0..level {
            len /= 2;
            first += len * (index >> bit & 1);
        }
        self.cut.range(whole, first, first + len)
    }

    fn halve(&self, rank: usize, index: usize, bit: usize, steps: &mut Vec<Step>) {
        let (sum, temporary) = self.buffers(rank);
        let other = index ^ (1 << bit);
        let peer = self.fold.rank(other);
        let (mine, theirs) = (self.window(sum, index, bit + 1), self.window(sum, other, bit + 1));
        let arrived = temporary.part(0, mine.len);
        exchange(steps, peer, theirs, peer, arrived);
        steps.push(Step::Reduce { from: arrived, into: mine, order: order(index, other) });
    }

    fn collect(&self, rank: usize, index: usize, bit: usize, steps: &mut Vec<Step>) {
        let sum = self.buffers(rank).0;
        let other = index ^ (1 << bit);
        let peer = self.fold.rank(other);
        let (mine, theirs) = (self.window(sum, index, bit + 1), self.window(sum, other, bit + 1));
        let Some(root) = self.root else {
            return exchange(steps, peer, mine, peer, theirs);
        };
        let Role::Active { index: root, .. } = self.fold.role(root) else { return };
        match (index ^ root) >> bit {
            0 => steps.push(Step::Receive { from: peer, span: theirs }),
            1 => steps.push(Step::Send { to: peer, span: mine }),
            _ => {} // Already sent its part to its partner.
        }
    }
}

impl Schedule for Rabenseifner {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, rank: usize) -> usize {
        if self.has_output(rank) { self.cut.total } else { 2 * self.cut.total }
    }

    fn rounds(&self, _rank: usize) -> usize {
        2 * self.fold.levels() + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let levels = self.fold.levels();
        let (sum, temporary) = self.buffers(rank);
        if index == 0 {
            return self.fold.reduce_in(rank, Span::input(0, self.cut.total), sum, temporary, steps);
        }
        if index > 2 * levels {
            if self.root.is_none() {
                self.fold.send_out(rank, sum, steps);
            }
            return;
        }
        let Role::Active { index: mine, .. } = self.fold.role(rank) else { return };
        if index <= levels {
            self.halve(rank, mine, index - 1, steps);
        } else {
            self.collect(rank, mine, 2 * levels - index, steps);
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
