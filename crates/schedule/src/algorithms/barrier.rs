//! Barriers, built from empty messages.

use crate::fold::{Fold, Role};
use crate::layout::{ceil_log2, exchange};
use crate::tree::{Shape, Tree};
use crate::{Schedule, Span, Step};

/// Dissemination: in round k every rank notifies the one 2^k ahead. lg alpha and P lg messages, for
/// any P. Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", 1988.
pub(crate) struct Dissemination {
    pub ranks: usize,
}

impl Schedule for Dissemination {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, _rank: usize) -> usize {
        ceil_log2(self.ranks)
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let far = 1 << index;
        let (to, from) = ((rank + far) % self.ranks, (rank + self.ranks - far) % self.ranks);
        exchange(steps, to, Span::EMPTY, from, Span::EMPTY);
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// Recursive doubling: partners 1, 2, 4, ... apart exchange. lg alpha for powers of two; other
/// numbers of ranks are folded in neighbouring pairs for two more rounds.
pub(crate) struct Doubling {
    pub ranks: usize,
}

impl Schedule for Doubling {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, _rank: usize) -> usize {
        Fold::new(self.ranks, 0).levels() + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let fold = Fold::new(self.ranks, 0);
        let last = index > fold.levels();
        match fold.role(rank) {
            Role::Folded { into: to } if index == 0 => steps.push(Step::Send { to, span: Span::EMPTY }),
            Role::Active { folded, .. } if index == 0 => {
                steps.extend(folded.map(|from| Step::Receive { from, span: Span::EMPTY }));
            }
            Role::Active { index: mine, .. } if !last => {
                let peer = fold.rank(mine ^ (1 << (index - 1)));
                exchange(steps, peer, Span::EMPTY, peer, Span::EMPTY);
            }
            _ if last => fold.send_out(rank, Span::EMPTY, steps),
            _ => {}
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// Gather and release along a tree: 2 (P - 1) messages, the minimum, which pays when ranks
/// outnumber processors. Star (central): 2 (P - 1) alpha. Binomial: 2 lg alpha.
pub(crate) struct UpAndDown {
    tree: Tree,
}

impl UpAndDown {
    pub fn new(shape: Shape, ranks: usize) -> UpAndDown {
        UpAndDown { tree: Tree { shape, size: ranks } }
    }
}

impl Schedule for UpAndDown {
    fn ranks(&self) -> usize {
        self.tree.size
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, rank: usize) -> usize {
        2 * self.tree.degree(rank) + 1
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let degree = self.tree.degree(rank);
        let span = Span::EMPTY;
        if index < degree {
            steps.push(Step::Receive { from: self.tree.child_upwards(rank, index), span });
        } else if index > degree {
            steps.push(Step::Send { to: self.tree.child(rank, index - degree - 1), span });
        } else if let Some(parent) = self.tree.parent(rank) {
            steps.push(Step::Send { to: parent, span });
            steps.push(Step::Receive { from: parent, span });
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
