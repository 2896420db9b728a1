//! A gather in which the root prompts each rank in turn.

use crate::{Schedule, Span, Step};

/// A synchronized linear gather: the root prompts a rank with an empty message and receives its
/// block before it prompts the next, so that no message is unexpected. 2 (P - 1) alpha + (P-1)/P n
/// beta. Open MPI calls it `linear_sync`.
pub(crate) struct LinearSync {
    pub ranks: usize,
    pub root: usize,
    pub count: usize,
}

impl Schedule for LinearSync {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, rank: usize) -> usize {
        if rank == self.root { self.ranks } else { 1 }
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let LinearSync { root, count, .. } = *self;
        let own = Span::input(0, count);
        if rank != root {
            steps.push(Step::Receive { from: root, span: Span::EMPTY });
            return steps.push(Step::Send { to: root, span: own });
        }
        let place = Span::output(index * count, count);
        if index == root {
            return steps.push(Step::Copy { from: own, to: place });
        }
        steps.push(Step::Send { to: index, span: Span::EMPTY });
        steps.push(Step::Receive { from: index, span: place });
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
