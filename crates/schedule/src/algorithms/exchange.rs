//! Complete exchange without forwarding: linear, pairwise, and LEX and PEX of the CM-5 paper.
//!
//! Each block goes straight to its owner, P (P - 1) messages in all. The CM-5 paper is Ponnusamy,
//! Choudhary and Fox, "Communication overhead on CM-5: an experimental performance
//! evaluation", 1992.

use crate::layout::exchange;
use crate::{Schedule, Span, Step};

/// The order of the messages.
#[derive(Clone, Copy)]
pub(crate) enum ExchangeOrder {
    /// All messages are started at once, receives first. (P - 1) alpha + (P-1)/P n beta.
    Linear,
    /// P - 1 rounds; in round i a rank sends to the rank i ahead and receives from the rank i
    /// behind. (P - 1) alpha + (P-1)/P n beta.
    Pairwise,
    /// P rounds; in round i rank i receives from all others in ascending order. At most P (P -
    /// 1)(alpha + n/P beta) with blocking sends.
    Lex,
    /// As [`Lex`](Self::Lex), but no rank waits for a message before all are started. (P - 1) alpha
    /// + (P-1)/P n beta, unless the receivers are the bottleneck: all send to rank 0 first.
    LexAsync,
    /// Rounds i = 1, 2, ...; each rank exchanges with itself xor i, and the lower of the two
    /// receives first. Published for powers of two, 2 (P - 1)(alpha + n/P beta). Other numbers of
    /// ranks run over the next power of two; a rank whose partner does not exist skips that round.
    Pex,
    /// As [`Linear`](Self::Linear), but with this number of partners at a time; not 0.
    Scattered(usize),
}

/// A complete exchange of blocks of `count` elements. The own block is copied first.
pub(crate) struct Exchange {
    pub way: ExchangeOrder,
    pub ranks: usize,
    pub count: usize,
}

impl Exchange {
    fn sent(&self, to: usize) -> Span {
        Span::input(to * self.count, self.count)
    }

    fn received(&self, from: usize) -> Span {
        Span::output(from * self.count, self.count)
    }

    fn send(&self, to: usize) -> Step {
        Step::Send { to, span: self.sent(to) }
    }

    fn receive(&self, from: usize) -> Step {
        Step::Receive { from, span: self.received(from) }
    }

    fn linear(&self, rank: usize, index: usize) -> Step {
        let others = self.ranks - 1;
        if index <= others {
            let from = (rank + self.ranks - index) % self.ranks;
            return Step::StartReceive { from, span: self.received(from) };
        }
        if index <= 2 * others {
            let to = (rank + index - others) % self.ranks;
            return Step::StartSend { to, span: self.sent(to) };
        }
        Step::WaitAll
    }

    /// Appends one window: sends to the ranks more than `done` ahead, receives from those as far
    /// behind.
    fn scattered(&self, rank: usize, done: usize, window: usize, steps: &mut Vec<Step>) {
        let distances = done + 1..=(done + window).min(self.ranks - 1);
        for from in distances.clone().map(|distance| (rank + self.ranks - distance) % self.ranks) {
            steps.push(Step::StartReceive { from, span: self.received(from) });
        }
        for to in distances.map(|distance| (rank + distance) % self.ranks) {
            steps.push(Step::StartSend { to, span: self.sent(to) });
        }
        steps.push(Step::WaitAll);
    }

    /// Returns step `index` of LEX: sends to lower ranks, then all receives, then sends to higher
    /// ranks.
    fn lex(&self, rank: usize, index: usize) -> Step {
        let others = self.ranks - 1;
        let position = index - 1;
        if position < rank {
            return self.send(position);
        }
        if position < rank + others {
            let nth = position - rank;
            return self.receive(if nth < rank { nth } else { nth + 1 });
        }
        self.send(position - others + 1)
    }

    /// Returns step `index` of LEX with messages that are only started.
    fn lex_async(&self, rank: usize, index: usize) -> Step {
        if index > 2 * (self.ranks - 1) {
            return Step::WaitAll;
        }
        match self.lex(rank, index) {
            Step::Send { to, span } => Step::StartSend { to, span },
            Step::Receive { from, span } => Step::StartReceive { from, span },
            step => step,
        }
    }

    fn pex(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let peer = rank ^ index;
        if peer >= self.ranks {
            return;
        }
        let pair = [self.receive(peer), self.send(peer)];
        if rank < peer { steps.extend(pair) } else { steps.extend(pair.into_iter().rev()) }
    }
}

impl Schedule for Exchange {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, _rank: usize) -> usize {
        match self.way {
            ExchangeOrder::Linear | ExchangeOrder::LexAsync => 2 * self.ranks,
            ExchangeOrder::Pairwise => self.ranks,
            ExchangeOrder::Lex => 2 * self.ranks - 1,
            ExchangeOrder::Pex => self.ranks.next_power_of_two(),
            ExchangeOrder::Scattered(window) => 1 + (self.ranks - 1).div_ceil(window),
        }
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        if index == 0 {
            return steps.push(Step::Copy { from: self.sent(rank), to: self.received(rank) });
        }
        match self.way {
            ExchangeOrder::Linear => steps.push(self.linear(rank, index)),
            ExchangeOrder::Pairwise => {
                let (to, from) = ((rank + index) % self.ranks, (rank + self.ranks - index) % self.ranks);
                exchange(steps, to, self.sent(to), from, self.received(from));
            }
            ExchangeOrder::Lex => steps.push(self.lex(rank, index)),
            ExchangeOrder::LexAsync => steps.push(self.lex_async(rank, index)),
            ExchangeOrder::Pex => self.pex(rank, index, steps),
            ExchangeOrder::Scattered(window) => self.scattered(rank, (index - 1) * window, window, steps),
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
