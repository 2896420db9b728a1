//! Index arithmetic shared by the algorithms.

use crate::{Order, Schedule, Span, Step};

/// A vector cut into parts whose lengths differ by at most one, the longer ones first.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub total: usize,
    pub parts: usize,
}

impl Cut {
    /// Returns where a part begins; for `parts`, the end of the vector.
    pub fn start(self, part: usize) -> usize {
        part * (self.total / self.parts) + part.min(self.total % self.parts)
    }

    /// Returns the parts `first..end` within a span that holds the whole vector.
    pub fn range(self, whole: Span, first: usize, end: usize) -> Span {
        let start = self.start(first);
        whole.part(start, self.start(end) - start)
    }

    /// Returns one part within a span that holds the whole vector.
    pub fn part(self, whole: Span, part: usize) -> Span {
        self.range(whole, part, part + 1)
    }

    /// Returns the length of the longest part.
    pub fn longest(self) -> usize {
        self.total.div_ceil(self.parts)
    }
}

/// A rotation of rank numbers that makes the root number 0.
#[derive(Clone, Copy)]
pub(crate) struct Rotation {
    pub ranks: usize,
    pub root: usize,
}

impl Rotation {
    /// Returns the number of a rank relative to the root.
    pub fn relative(self, rank: usize) -> usize {
        (rank + self.ranks - self.root) % self.ranks
    }

    /// Returns the rank with a relative number.
    pub fn rank(self, relative: usize) -> usize {
        (relative + self.root) % self.ranks
    }
}

/// Returns ceil(log2 n), the number of times n ranks can be halved.
pub(crate) fn ceil_log2(n: usize) -> usize {
    n.next_power_of_two().trailing_zeros() as usize
}

/// Appends a simultaneous send and receive, which cannot deadlock even with synchronous sends.
pub(crate) fn exchange(steps: &mut Vec<Step>, to: usize, sent: Span, from: usize, received: Span) {
    steps.push(Step::StartReceive { from, span: received });
    steps.push(Step::StartSend { to, span: sent });
    steps.push(Step::WaitAll);
}

/// Returns the operand order that keeps rank order when `into` comes from ranks near `mine` and
/// `from` from ranks near `theirs`.
pub(crate) fn order(mine: usize, theirs: usize) -> Order {
    if theirs < mine { Order::FromFirst } else { Order::IntoFirst }
}

/// A phase that consists of one local copy on every rank.
pub(crate) struct CopyOwn<F> {
    pub ranks: usize,
    /// Returns the source and the destination of a rank.
    pub spans: F,
}

impl<F: Fn(usize) -> (Span, Span) + Send + Sync> Schedule for CopyOwn<F> {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, _rank: usize) -> usize {
        1
    }

    fn round(&self, rank: usize, _index: usize, steps: &mut Vec<Step>) {
        let (from, to) = (self.spans)(rank);
        steps.push(Step::Copy { from, to });
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
