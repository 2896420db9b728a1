//! Allreduce: recursive doubling, ring.

use crate::fold::{Fold, Role};
use crate::layout::{Cut, exchange, order};
use crate::{Order, Schedule, Span, Step};

/// Recursive doubling: whole vectors are exchanged and combined. lg (alpha + n beta + n gamma) for
/// powers of two.
///
/// Other numbers of ranks are folded in neighbouring pairs, which costs two more rounds. Keeps the
/// order of the ranks.
pub(crate) struct Doubling {
    pub ranks: usize,
    pub count: usize,
}

impl Schedule for Doubling {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        self.count
    }

    fn rounds(&self, _rank: usize) -> usize {
        Fold::new(self.ranks, 0).levels() + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let fold = Fold::new(self.ranks, 0);
        let (sum, arrived) = (Span::output(0, self.count), Span::scratch(0, self.count));
        if index == 0 {
            return fold.reduce_in(rank, Span::input(0, self.count), sum, arrived, steps);
        }
        if index > fold.levels() {
            return fold.send_out(rank, sum, steps);
        }
        if let Role::Active { index: mine, .. } = fold.role(rank) {
            let theirs = mine ^ (1 << (index - 1));
            let peer = fold.rank(theirs);
            exchange(steps, peer, sum, peer, arrived);
            steps.push(Step::Reduce { from: arrived, into: sum, order: order(mine, theirs) });
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// The reducing half of a ring: each part travels once around and grows. (P - 1) alpha + (P-1)/P n
/// (beta + gamma).
///
/// Afterwards rank r has part r + 1 complete in its output. A part is combined in the order in
/// which it travels, which begins at another rank for each part: the order of the ranks is not
/// kept. Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", 2009.
pub(crate) struct RingReduce {
    pub ranks: usize,
    pub cut: Cut,
}

impl Schedule for RingReduce {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        self.cut.longest()
    }

    fn rounds(&self, _rank: usize) -> usize {
        self.ranks
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let ranks = self.ranks;
        let sum = Span::output(0, self.cut.total);
        if index == 0 {
            return steps.push(Step::Copy { from: Span::input(0, self.cut.total), to: sum });
        }
        let newest = rank + 1 + ranks - index;
        let grown = self.cut.part(sum, (newest - 1) % ranks);
        let arrived = Span::scratch(0, grown.len);
        let (to, from) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        exchange(steps, to, self.cut.part(sum, newest % ranks), from, arrived);
        steps.push(Step::Reduce { from: arrived, into: grown, order: Order::FromFirst });
    }

    fn keeps_order(&self) -> bool {
        false
    }
}
