//! Reduce: linear, and along a tree.

use crate::layout::{Rotation, order};
use crate::tree::{Shape, Tree};
use crate::{Order, Schedule, Span, Step};

/// Linear: the root receives and combines in the order of the ranks. (P - 1)(alpha + n beta + n
/// gamma).
pub(crate) struct Linear {
    pub ranks: usize,
    pub root: usize,
    pub count: usize,
}

impl Schedule for Linear {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, rank: usize) -> usize {
        if rank == self.root { self.count } else { 0 }
    }

    fn rounds(&self, rank: usize) -> usize {
        if rank == self.root { self.ranks } else { 1 }
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let (input, sum) = (Span::input(0, self.count), Span::output(0, self.count));
        let arrived = Span::scratch(0, self.count);
        if rank != self.root {
            return steps.push(Step::Send { to: self.root, span: input });
        }
        match (index == self.root, index == 0) {
            (true, true) => steps.push(Step::Copy { from: input, to: sum }),
            (true, false) => steps.push(Step::Reduce { from: input, into: sum, order: Order::IntoFirst }),
            (false, true) => steps.push(Step::Receive { from: index, span: sum }),
            (false, false) => {
                steps.push(Step::Receive { from: index, span: arrived });
                steps.push(Step::Reduce { from: arrived, into: sum, order: Order::IntoFirst });
            }
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// A reduction along a tree: each rank combines the vectors of its children. Binomial: lg (alpha +
/// n beta + n gamma).
///
/// Ranks are counted from the root on, so the order of the ranks is kept when the root is rank 0.
pub(crate) struct TreeReduce {
    rotation: Rotation,
    tree: Tree,
    count: usize,
    /// Whether all ranks have an output to combine in.
    everywhere: bool,
}

impl TreeReduce {
    pub fn new(shape: Shape, ranks: usize, root: usize, count: usize) -> TreeReduce {
        let tree = Tree { shape, size: ranks };
        TreeReduce { rotation: Rotation { ranks, root }, tree, count, everywhere: false }
    }

    /// The first half of an allreduce: all ranks combine in their outputs, rank 0 has the result.
    pub fn first_half(shape: Shape, ranks: usize, count: usize) -> TreeReduce {
        TreeReduce { everywhere: true, ..TreeReduce::new(shape, ranks, 0, count) }
    }

    /// Returns the accumulator and the receive buffer of a rank.
    fn buffers(&self, rank: usize) -> (Span, Span) {
        let count = self.count;
        if self.everywhere || rank == self.rotation.root {
            (Span::output(0, count), Span::scratch(0, count))
        } else {
            (Span::scratch(0, count), Span::scratch(count, count))
        }
    }
}

impl Schedule for TreeReduce {
    fn ranks(&self) -> usize {
        self.rotation.ranks
    }

    fn scratch(&self, rank: usize) -> usize {
        let arrived = self.buffers(rank).1;
        if self.tree.degree(self.rotation.relative(rank)) == 0 { 0 } else { arrived.start + arrived.len }
    }

    fn rounds(&self, rank: usize) -> usize {
        self.tree.degree(self.rotation.relative(rank)) + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let node = self.rotation.relative(rank);
        let degree = self.tree.degree(node);
        let parent = self.tree.parent(node).map(|parent| self.rotation.rank(parent));
        let input = Span::input(0, self.count);
        let (sum, arrived) = self.buffers(rank);
        if index == 0 {
            // A leaf has nothing to combine: it sends its input directly.
            if degree > 0 || parent.is_none() {
                steps.push(Step::Copy { from: input, to: sum });
            }
        } else if index <= degree {
            let child = self.tree.child_upwards(node, index - 1);
            steps.push(Step::Receive { from: self.rotation.rank(child), span: arrived });
            steps.push(Step::Reduce { from: arrived, into: sum, order: order(node, child) });
        } else if let Some(to) = parent {
            steps.push(Step::Send { to, span: if degree == 0 { input } else { sum } });
        }
    }

    fn keeps_order(&self) -> bool {
        self.rotation.root == 0
    }
}
