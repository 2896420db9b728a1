//! Small arithmetic that the algorithms share.

use crate::{Order, Schedule, Span, Step};

/// A vector cut into parts whose lengths differ by at most one, the longer ones first.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub total: usize,
    pub parts: usize,
}

impl Cut {
    /// Where a part begins; `parts` itself gives the end.
    pub fn start(self, part: usize) -> usize {
        part * (self.total / self.parts) + part.min(self.total % self.parts)
    }

    /// The parts from `first` up to but without `end`, inside of a span that holds the whole vector.
    pub fn range(self, whole: Span, first: usize, end: usize) -> Span {
        let start = self.start(first);
        whole.part(start, self.start(end) - start)
    }

    /// One part, inside of a span that holds the whole vector.
    pub fn part(self, whole: Span, part: usize) -> Span {
        self.range(whole, part, part + 1)
    }

    /// The length of the longest part.
    pub fn longest(self) -> usize {
        self.total.div_ceil(self.parts)
    }
}

/// Ranks counted from the root on, around the end.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    pub ranks: usize,
    pub root: usize,
}

impl Turn {
    /// The number of a rank when the root is number 0.
    pub fn relative(self, rank: usize) -> usize {
        (rank + self.ranks - self.root) % self.ranks
    }

    /// The rank with a number.
    pub fn rank(self, relative: usize) -> usize {
        (relative + self.root) % self.ranks
    }
}

/// ceil(log2 n): how often n ranks can be halved.
pub(crate) fn ceil_log2(n: usize) -> usize {
    n.next_power_of_two().trailing_zeros() as usize
}

/// Send and receive at the same time, which cannot deadlock even with synchronous sends.
pub(crate) fn exchange(steps: &mut Vec<Step>, to: usize, sent: Span, from: usize, received: Span) {
    steps.push(Step::StartReceive { from, span: received });
    steps.push(Step::StartSend { to, span: sent });
    steps.push(Step::WaitAll);
}

/// Who stands first when `into` holds what ranks near `mine` gave, and `from` what ranks near `theirs` gave.
pub(crate) fn order(mine: usize, theirs: usize) -> Order {
    if theirs < mine { Order::FromFirst } else { Order::IntoFirst }
}

/// A single copy on every rank, as a phase of its own.
pub(crate) struct CopyOwn<F> {
    pub ranks: usize,
    /// From where to where, by rank.
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
