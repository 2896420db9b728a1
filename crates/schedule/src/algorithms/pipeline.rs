//! A pipelined reduction along a chain of ranks.

use crate::layout::{Cut, Rotation};
use crate::{Order, Schedule, Span, Step};

/// A reduction along a chain: each rank combines a segment from its successor with its own and
/// forwards it while the next segment arrives. With s segments (P - 2 + s)(alpha + n beta / s + n
/// gamma / s).
///
/// Ranks are counted from the root on, so the order of the ranks is kept when the root is rank 0.
pub(crate) struct ChainReduce {
    rotation: Rotation,
    cut: Cut,
}

impl ChainReduce {
    /// Creates the reduction; the number of segments is lowered to the number of elements.
    pub fn new(ranks: usize, root: usize, count: usize, segments: usize) -> ChainReduce {
        let cut = Cut { total: count, parts: segments.min(count).max(1) };
        ChainReduce { rotation: Rotation { ranks, root }, cut }
    }

    /// Returns the accumulator: the output, or the start of scratch space. The last rank has
    /// nothing to combine.
    fn sum(&self, node: usize) -> Span {
        match node {
            0 => Span::output(0, self.cut.total),
            _ if self.is_last(node) => Span::input(0, self.cut.total),
            _ => Span::scratch(0, self.cut.total),
        }
    }

    /// Returns where a segment is received, after the accumulator.
    fn arrived(&self, node: usize, len: usize) -> Span {
        Span::scratch(if node == 0 { 0 } else { self.cut.total }, len)
    }

    fn is_last(&self, node: usize) -> bool {
        node + 1 == self.rotation.ranks
    }

    /// Appends one stage: receives a segment while the previous one is forwarded, then combines it.
    fn pass(&self, node: usize, arriving: Option<usize>, leaving: Option<usize>, steps: &mut Vec<Step>) {
        let sum = self.sum(node);
        let grown = arriving.map(|segment| self.cut.part(sum, segment));
        if let Some(grown) = grown {
            let from = self.rotation.rank(node + 1);
            steps.push(Step::StartReceive { from, span: self.arrived(node, grown.len) });
        }
        if let Some(segment) = leaving {
            steps.push(Step::StartSend {
                to: self.rotation.rank(node - 1),
                span: self.cut.part(sum, segment),
            });
        }
        steps.push(Step::WaitAll);
        if let Some(into) = grown {
            let from = self.arrived(node, into.len);
            steps.push(Step::Reduce { from, into, order: Order::IntoFirst });
        }
    }
}

impl Schedule for ChainReduce {
    fn ranks(&self) -> usize {
        self.rotation.ranks
    }

    fn scratch(&self, rank: usize) -> usize {
        let node = self.rotation.relative(rank);
        if self.is_last(node) {
            return 0;
        }
        let arrived = self.arrived(node, self.cut.longest());
        arrived.start + arrived.len
    }

    fn rounds(&self, _rank: usize) -> usize {
        self.cut.parts + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let node = self.rotation.relative(rank);
        if index == 0 {
            if node == 0 || !self.is_last(node) {
                steps.push(Step::Copy { from: Span::input(0, self.cut.total), to: self.sum(node) });
            }
            return;
        }
        let segment = |round: usize| round.checked_sub(1).filter(|segment| *segment < self.cut.parts);
        let arriving = segment(index).filter(|_| !self.is_last(node));
        // The last rank has its segments from the start; the others forward a segment one round
        // after it arrives.
        let leaving = segment(if self.is_last(node) { index } else { index - 1 }).filter(|_| node > 0);
        if arriving.is_some() || leaving.is_some() {
            self.pass(node, arriving, leaving, steps);
        }
    }

    fn keeps_order(&self) -> bool {
        self.rotation.root == 0
    }
}
