//! Gather and scatter along a tree: linear and binomial.

use crate::layout::Rotation;
use crate::tree::{Shape, Tree};
use crate::{Schedule, Span, Step};

/// The layout of subtrees in the root's buffer: the data of a node and its descendants is a run of
/// blocks that may wrap around the end.
struct Wrapped {
    rotation: Rotation,
    tree: Tree,
    count: usize,
}

impl Wrapped {
    fn new(shape: Shape, ranks: usize, root: usize, count: usize) -> Wrapped {
        Wrapped { rotation: Rotation { ranks, root }, tree: Tree { shape, size: ranks }, count }
    }

    /// Returns the number of elements of a node and its descendants.
    fn len(&self, node: usize) -> usize {
        self.tree.extent(node) * self.count
    }

    /// Returns how many of the elements lie before the end of the buffer; the rest wraps to its
    /// start.
    fn head(&self, node: usize) -> usize {
        let until_end = (self.rotation.ranks - self.rotation.rank(node)) * self.count;
        self.len(node).min(until_end)
    }

    fn wraps(&self, node: usize) -> bool {
        self.head(node) < self.len(node)
    }

    /// Returns the two pieces of a run that wraps around: each in the root's buffer and in scratch.
    fn pieces(&self, node: usize, buffer: Span) -> [(Span, Span); 2] {
        let (head, len) = (self.head(node), self.len(node));
        let start = self.rotation.rank(node) * self.count;
        [
            (buffer.part(start, head), Span::scratch(0, head)),
            (buffer.part(0, len - head), Span::scratch(head, len - head)),
        ]
    }

    fn scratch(&self, rank: usize) -> usize {
        let node = self.rotation.relative(rank);
        if node > 0 {
            return if self.tree.degree(node) == 0 { 0 } else { self.len(node) };
        }
        // A star's runs are single blocks, which never wrap.
        let degree = if self.tree.shape == Shape::Star { 0 } else { self.tree.degree(0) };
        let children = (0..degree).map(|index| self.tree.child(0, index));
        children.filter(|&child| self.wraps(child)).map(|child| self.len(child)).max().unwrap_or(0)
    }
}

/// Gather: linear (P - 1) alpha + (P-1)/P n beta, binomial lg alpha + (P-1)/P n beta.
///
/// Inner ranks collect their run in scratch, leaves send their input directly. Where the root is
/// not rank 0, one run wraps around the end of the root's output; it arrives in scratch and is
/// copied in two pieces.
pub(crate) struct Gather(Wrapped);

impl Gather {
    pub fn new(shape: Shape, ranks: usize, root: usize, count: usize) -> Gather {
        Gather(Wrapped::new(shape, ranks, root, count))
    }

    fn receive_at_root(&self, child: usize, steps: &mut Vec<Step>) {
        let tree = &self.0;
        let from = tree.rotation.rank(child);
        if !tree.wraps(child) {
            return steps
                .push(Step::Receive { from, span: Span::output(from * tree.count, tree.len(child)) });
        }
        steps.push(Step::Receive { from, span: Span::scratch(0, tree.len(child)) });
        for (to, from) in tree.pieces(child, Span::output(0, 0)) {
            steps.push(Step::Copy { from, to });
        }
    }
}

impl Schedule for Gather {
    fn ranks(&self) -> usize {
        self.0.rotation.ranks
    }

    fn scratch(&self, rank: usize) -> usize {
        self.0.scratch(rank)
    }

    fn rounds(&self, rank: usize) -> usize {
        self.0.tree.degree(self.0.rotation.relative(rank)) + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let Wrapped { rotation, tree, count } = &self.0;
        let node = rotation.relative(rank);
        let degree = tree.degree(node);
        let own = Span::input(0, *count);
        match (tree.parent(node), index) {
            (None, 0) => steps.push(Step::Copy { from: own, to: Span::output(rank * count, *count) }),
            (Some(_), 0) if degree > 0 => steps.push(Step::Copy { from: own, to: Span::scratch(0, *count) }),
            (parent, 1..) if index <= degree => {
                let child = tree.child_upwards(node, index - 1);
                if parent.is_none() {
                    return self.receive_at_root(child, steps);
                }
                let span = Span::scratch((child - node) * count, self.0.len(child));
                steps.push(Step::Receive { from: rotation.rank(child), span });
            }
            (Some(parent), 1..) => {
                let span = if degree == 0 { own } else { Span::scratch(0, self.0.len(node)) };
                steps.push(Step::Send { to: rotation.rank(parent), span });
            }
            _ => {}
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// Scatter: the gather reversed, at the same cost.
pub(crate) struct Scatter(Wrapped);

impl Scatter {
    pub fn new(shape: Shape, ranks: usize, root: usize, count: usize) -> Scatter {
        Scatter(Wrapped::new(shape, ranks, root, count))
    }

    fn send_from_root(&self, child: usize, steps: &mut Vec<Step>) {
        let tree = &self.0;
        let to = tree.rotation.rank(child);
        if !tree.wraps(child) {
            return steps.push(Step::Send { to, span: Span::input(to * tree.count, tree.len(child)) });
        }
        for (from, to) in tree.pieces(child, Span::input(0, 0)) {
            steps.push(Step::Copy { from, to });
        }
        steps.push(Step::Send { to, span: Span::scratch(0, tree.len(child)) });
    }
}

impl Schedule for Scatter {
    fn ranks(&self) -> usize {
        self.0.rotation.ranks
    }

    fn scratch(&self, rank: usize) -> usize {
        self.0.scratch(rank)
    }

    fn rounds(&self, rank: usize) -> usize {
        self.0.tree.degree(self.0.rotation.relative(rank)) + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let Wrapped { rotation, tree, count } = &self.0;
        let node = rotation.relative(rank);
        let degree = tree.degree(node);
        let own = Span::output(0, *count);
        match (tree.parent(node), index) {
            (Some(parent), 0) => {
                let span = if degree == 0 { own } else { Span::scratch(0, self.0.len(node)) };
                steps.push(Step::Receive { from: rotation.rank(parent), span });
            }
            (parent, 1..) if index <= degree => {
                let child = tree.child(node, index - 1);
                if parent.is_none() {
                    return self.send_from_root(child, steps);
                }
                let span = Span::scratch((child - node) * count, self.0.len(child));
                steps.push(Step::Send { to: rotation.rank(child), span });
            }
            // The own block last: no other rank waits for it.
            (None, 1..) => steps.push(Step::Copy { from: Span::input(rank * count, *count), to: own }),
            (Some(_), 1..) if degree > 0 => {
                steps.push(Step::Copy { from: Span::scratch(0, *count), to: own });
            }
            _ => {}
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
