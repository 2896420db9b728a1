//! Reduce-scatter by recursive halving.

use crate::fold::{Fold, Role};
use crate::layout::{exchange, order};
use crate::{Schedule, Span, Step};

/// Ranks half the machine apart exchange half of the blocks, then a quarter apart a quarter, and so
/// on. lg alpha + (P-1)/P n (beta + gamma) for powers of two.
///
/// Distant ranks are combined first, so the order of the ranks is not kept. Other numbers of ranks
/// are folded: the active rank of a pair reduces the blocks of both, for two more rounds and up to
/// n more elements. Iannello, "Efficient algorithms for the reduce-scatter operation in
/// `LogGP`", 1997.
pub(crate) struct Halving {
    pub ranks: usize,
    pub count: usize,
}

impl Halving {
    fn total(&self) -> usize {
        self.ranks * self.count
    }

    fn sum(&self) -> Span {
        Span::scratch(0, self.total())
    }

    fn arrived(&self) -> Span {
        Span::scratch(self.total(), self.total())
    }

    fn halve(&self, fold: Fold, index: usize, level: usize, steps: &mut Vec<Step>) {
        let half = fold.width >> (level + 1);
        let other = index ^ half;
        let blocks = |index: usize| {
            let first = index & !(half - 1);
            let (start, end) = (fold.first(first), fold.first(first + half));
            self.sum().part(start * self.count, (end - start) * self.count)
        };
        let (mine, theirs) = (blocks(index), blocks(other));
        let arrived = self.arrived().part(0, mine.len);
        exchange(steps, fold.rank(other), theirs, fold.rank(other), arrived);
        steps.push(Step::Reduce { from: arrived, into: mine, order: order(index, other) });
    }

    fn deliver(&self, role: Role, rank: usize, steps: &mut Vec<Step>) {
        let output = Span::output(0, self.count);
        let block = |rank: usize| self.sum().part(rank * self.count, self.count);
        match role {
            Role::Folded { into } => steps.push(Step::Receive { from: into, span: output }),
            Role::Active { folded, .. } => {
                // The neighbour waits for its block, so it goes before the own copy.
                steps.extend(folded.map(|to| Step::Send { to, span: block(to) }));
                steps.push(Step::Copy { from: block(rank), to: output });
            }
        }
    }
}

impl Schedule for Halving {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, rank: usize) -> usize {
        match Fold::new(self.ranks, 0).role(rank) {
            Role::Active { .. } => 2 * self.total(),
            Role::Folded { .. } => 0,
        }
    }

    fn rounds(&self, _rank: usize) -> usize {
        Fold::new(self.ranks, 0).levels() + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let fold = Fold::new(self.ranks, 0);
        if index == 0 {
            let input = Span::input(0, self.total());
            fold.reduce_in(rank, input, self.sum(), self.arrived(), steps);
        } else if index > fold.levels() {
            self.deliver(fold.role(rank), rank, steps);
        } else if let Role::Active { index: mine, .. } = fold.role(rank) {
            self.halve(fold, mine, index - 1, steps);
        }
    }

    fn keeps_order(&self) -> bool {
        false
    }
}
