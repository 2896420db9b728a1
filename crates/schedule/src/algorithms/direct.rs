//! Everybody sends to everybody, with nothing forwarded: what PUPPET makes of collectives (P6).

use crate::{Order, Schedule, Span, Step};

/// Each rank sends something to each other, all started at once, receives first. P - 1 messages a rank.
pub(crate) struct Direct<S, R> {
    pub ranks: usize,
    pub scratch: usize,
    /// What goes to a rank.
    pub sent: S,
    /// Where that of a rank arrives.
    pub received: R,
}

impl<S, R> Schedule for Direct<S, R>
where
    S: Fn(usize) -> Span + Send + Sync,
    R: Fn(usize) -> Span + Send + Sync,
{
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        self.scratch
    }

    fn rounds(&self, _rank: usize) -> usize {
        2 * (self.ranks - 1) + 1
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let others = self.ranks - 1;
        // Every rank begins with its neighbour, so that not all send to rank 0 at first.
        steps.push(if index < others {
            let from = (rank + others - index) % self.ranks;
            Step::StartReceive { from, span: (self.received)(from) }
        } else if index < 2 * others {
            let to = (rank + 1 + index - others) % self.ranks;
            Step::StartSend { to, span: (self.sent)(to) }
        } else {
            Step::WaitAll
        });
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// Each rank combines the blocks for it that have arrived in scratch, its own from its input, in the order of the ranks.
pub(crate) struct CombineArrived {
    pub ranks: usize,
    pub count: usize,
}

impl Schedule for CombineArrived {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        self.ranks * self.count
    }

    fn rounds(&self, _rank: usize) -> usize {
        self.ranks
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let own = Span::input(rank * self.count, self.count);
        let from = if index == rank { own } else { Span::scratch(index * self.count, self.count) };
        let sum = Span::output(0, self.count);
        steps.push(if index == 0 {
            Step::Copy { from, to: sum }
        } else {
            Step::Reduce { from, into: sum, order: Order::IntoFirst }
        });
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
