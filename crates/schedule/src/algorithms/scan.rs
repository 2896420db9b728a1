//! Prefix reductions: recursive doubling and a chain. All keep the order of the ranks.

use crate::layout::{ceil_log2, exchange, order};
use crate::{Order, Schedule, Span, Step};

/// Recursive doubling: ranks exchange the combination of their aligned run, and higher ranks also
/// add it to their prefix. lg (alpha + n beta), up to 2 lg n gamma.
///
/// Any number of ranks: an absent partner is skipped, since only ranks above a run need it, and no
/// rank is above a run that is cut short by the end. Hillis and Steele, "Data parallel algorithms",
/// 1986; the exchange is MPICH's.
pub(crate) struct Doubling {
    pub ranks: usize,
    pub count: usize,
    /// Whether a rank's own vector is part of its result.
    pub inclusive: bool,
}

impl Doubling {
    fn begin(&self, steps: &mut Vec<Step>) {
        let input = Span::input(0, self.count);
        if self.ranks > 1 {
            steps.push(Step::Copy { from: input, to: self.run() });
        }
        if self.inclusive {
            steps.push(Step::Copy { from: input, to: self.prefix() });
        }
    }

    /// Returns the span with the combination of the rank's aligned run.
    fn run(&self) -> Span {
        Span::scratch(0, self.count)
    }

    fn arrived(&self) -> Span {
        Span::scratch(self.count, self.count)
    }

    fn prefix(&self) -> Span {
        Span::output(0, self.count)
    }

    fn add_to_prefix(&self, rank: usize, bit: usize, steps: &mut Vec<Step>) {
        let (from, into) = (self.arrived(), self.prefix());
        let first = !self.inclusive && rank.trailing_zeros() as usize == bit;
        steps.push(if first {
            Step::Copy { from, to: into }
        } else {
            Step::Reduce { from, into, order: Order::FromFirst }
        });
    }
}

impl Schedule for Doubling {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        if self.ranks > 1 { 2 * self.count } else { 0 }
    }

    fn rounds(&self, _rank: usize) -> usize {
        ceil_log2(self.ranks) + 1
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        if index == 0 {
            return self.begin(steps);
        }
        let peer = rank ^ (1 << (index - 1));
        if peer >= self.ranks {
            return;
        }
        exchange(steps, peer, self.run(), peer, self.arrived());
        if peer < rank {
            self.add_to_prefix(rank, index - 1, steps);
        }
        if index < ceil_log2(self.ranks) {
            steps.push(Step::Reduce { from: self.arrived(), into: self.run(), order: order(rank, peer) });
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// Chain: each rank adds its vector to what its predecessor sent, and forwards the sum. (P -
/// 1)(alpha + n beta + n gamma).
pub(crate) struct Chain {
    pub ranks: usize,
    pub count: usize,
    /// Whether a rank's own vector is part of its result.
    pub inclusive: bool,
}

impl Chain {
    fn inclusive_round(&self, rank: usize, next: Option<usize>, steps: &mut Vec<Step>) {
        let (prefix, arrived) = (Span::output(0, self.count), Span::scratch(0, self.count));
        steps.push(Step::Copy { from: Span::input(0, self.count), to: prefix });
        if rank > 0 {
            steps.push(Step::Receive { from: rank - 1, span: arrived });
            steps.push(Step::Reduce { from: arrived, into: prefix, order: Order::FromFirst });
        }
        steps.extend(next.map(|to| Step::Send { to, span: prefix }));
    }

    fn exclusive_round(&self, rank: usize, next: Option<usize>, steps: &mut Vec<Step>) {
        let (input, prefix) = (Span::input(0, self.count), Span::output(0, self.count));
        let with_own = Span::scratch(0, self.count);
        if rank == 0 {
            return steps.extend(next.map(|to| Step::Send { to, span: input }));
        }
        if next.is_some() {
            steps.push(Step::Copy { from: input, to: with_own });
        }
        steps.push(Step::Receive { from: rank - 1, span: prefix });
        if let Some(to) = next {
            steps.push(Step::Reduce { from: prefix, into: with_own, order: Order::FromFirst });
            steps.push(Step::Send { to, span: with_own });
        }
    }
}

impl Schedule for Chain {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, rank: usize) -> usize {
        let last = rank + 1 == self.ranks;
        if rank == 0 || last && !self.inclusive { 0 } else { self.count }
    }

    fn rounds(&self, _rank: usize) -> usize {
        1
    }

    fn round(&self, rank: usize, _index: usize, steps: &mut Vec<Step>) {
        let next = Some(rank + 1).filter(|&next| next < self.ranks);
        if self.inclusive {
            self.inclusive_round(rank, next, steps);
        } else {
            self.exclusive_round(rank, next, steps);
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
