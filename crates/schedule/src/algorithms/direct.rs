//! Direct exchange: every rank sends to every other and nothing is forwarded, which is how PUPPET
//! expands collectives (P6).

use crate::{Order, Schedule, Span, Step};

/// A direct exchange: each rank starts all its receives, then all its sends. P - 1 messages per
/// rank.
pub(crate) struct Direct<S, R> {
    pub ranks: usize,
    pub scratch: usize,
    /// Returns the span to send to a rank.
    pub sent: S,
    /// Returns the span to receive into from a rank.
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
        // Every rank starts with its neighbour, so that rank 0 is not the first target of all.
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

/// The local phase of a direct reduction: each rank combines the blocks received in scratch with
/// its own input, in rank order.
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
