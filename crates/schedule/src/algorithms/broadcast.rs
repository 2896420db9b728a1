//! Broadcasts along a tree: linear, chain, binomial, and the recursive broadcast of the CM-5 paper.

use crate::layout::{Cut, Rotation};
use crate::tree::{Shape, Tree};
use crate::{Schedule, Span, Step};

/// A broadcast along a tree, optionally pipelined in segments.
///
/// | tree | time with s segments | literature |
/// |---|---|---|
/// | star | (P - 1)(alpha + n beta) | LIB of Ponnusamy, Choudhary and Fox, "Communication overhead on CM-5", 1992 |
/// | chain | (P - 2 + s)(alpha + n beta / s) | folklore |
/// | binomial | lg (alpha + n beta) | Johnsson and Ho, "Optimum broadcasting and personalized communication in hypercubes", 1989 |
/// | halving | lg (alpha + n beta); in segments at most s lg (alpha + n beta / s) | REB, the CM-5 paper |
///
/// REB is published for powers of two: the holder sends to the rank N/2 away, then both send to the
/// ranks N/4 away. Here the run of ranks is halved whatever its length, and the holder keeps the
/// larger half; for a power of two that is the published order (and a binomial tree), for others
/// the halves stay as equal as they can.
///
/// The number of segments is lowered to the number of elements, so that no empty segment is sent; a
/// broadcast of nothing is one empty message on each edge.
pub(crate) struct TreeBroadcast {
    rotation: Rotation,
    tree: Tree,
    cut: Cut,
}

impl TreeBroadcast {
    /// Creates a broadcast from the root's output to the outputs of all other ranks.
    pub fn new(shape: Shape, ranks: usize, root: usize, count: usize, segments: usize) -> TreeBroadcast {
        let cut = Cut { total: count, parts: segments.min(count).max(1) };
        let tree = Tree { shape, size: ranks };
        TreeBroadcast { rotation: Rotation { ranks, root }, tree, cut }
    }

    fn output(&self, segment: usize) -> Span {
        self.cut.part(Span::output(0, self.cut.total), segment)
    }

    /// Appends one send per round, since the root of a star has many.
    fn root_round(&self, index: usize, steps: &mut Vec<Step>) {
        let degree = self.tree.degree(0);
        let to = self.rotation.rank(self.tree.child(0, index % degree));
        steps.push(Step::Send { to, span: self.output(index / degree) });
    }

    fn send_to_children(&self, node: usize, segment: usize, steps: &mut Vec<Step>) {
        for child in 0..self.tree.degree(node) {
            let to = self.rotation.rank(self.tree.child(node, child));
            steps.push(Step::Send { to, span: self.output(segment) });
        }
    }
}

impl Schedule for TreeBroadcast {
    fn ranks(&self) -> usize {
        self.rotation.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, rank: usize) -> usize {
        let segments = self.cut.parts;
        let node = self.rotation.relative(rank);
        if node == 0 { self.tree.degree(0) * segments } else { segments + 1 }
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let node = self.rotation.relative(rank);
        let Some(parent) = self.tree.parent(node) else {
            return self.root_round(index, steps);
        };
        let from = self.rotation.rank(parent);
        // Between the first receive and the last send, the next segment arrives while the last one
        // is forwarded.
        if index == 0 || index < self.cut.parts && self.tree.degree(node) == 0 {
            steps.push(Step::Receive { from, span: self.output(index) });
        } else if index < self.cut.parts {
            steps.push(Step::StartReceive { from, span: self.output(index) });
            self.send_to_children(node, index - 1, steps);
            steps.push(Step::WaitAll);
        } else {
            self.send_to_children(node, index - 1, steps);
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// The first half of van de Geijn's broadcast: part v of the root's vector reaches the output of
/// the v-th rank from the root on, along a binomial tree. lg alpha + (P-1)/P n beta.
pub(crate) struct PartScatter {
    rotation: Rotation,
    tree: Tree,
    cut: Cut,
}

impl PartScatter {
    pub fn new(ranks: usize, root: usize, count: usize) -> PartScatter {
        let tree = Tree { shape: Shape::Binomial, size: ranks };
        PartScatter { rotation: Rotation { ranks, root }, tree, cut: Cut { total: count, parts: ranks } }
    }

    fn run(&self, whole: Span, node: usize) -> Span {
        self.cut.range(whole, node, node + self.tree.extent(node))
    }
}

impl Schedule for PartScatter {
    fn ranks(&self) -> usize {
        self.rotation.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, rank: usize) -> usize {
        let node = self.rotation.relative(rank);
        self.tree.degree(node) + usize::from(self.tree.parent(node).is_some())
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let output = Span::output(0, self.cut.total);
        let node = self.rotation.relative(rank);
        match (self.tree.parent(node), index) {
            (Some(parent), 0) => {
                steps.push(Step::Receive { from: self.rotation.rank(parent), span: self.run(output, node) });
            }
            (parent, _) => {
                let child = self.tree.child(node, index - usize::from(parent.is_some()));
                steps.push(Step::Send { to: self.rotation.rank(child), span: self.run(output, child) });
            }
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
