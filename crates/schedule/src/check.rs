//! Runs all ranks of a schedule on symbolic data, in one thread and with *synchronous* sends.
//!
//! For tests, here and in other crates: a schedule that passes needs no buffering in the transport.
//! Elements are of any type; with lists as elements and concatenation as the operation, the result
//! shows the order of a reduction.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::{Buffer, Order, Plan, Span, Step};

/// The cost of a message in virtual time. A rank sends one message and receives one message at a
/// time (full duplex).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Cost per message.
    pub message: u64,
    /// Cost per element of a message.
    pub element: u64,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<T> {
    /// The output of each rank.
    pub outputs: Vec<Vec<T>>,
    /// Number of messages sent.
    pub messages: usize,
    /// Number of elements sent.
    pub elements: usize,
    /// The makespan. With a cost of 1 per message and 0 per element it is the number of rounds.
    pub time: u64,
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A rank has no plan, or an input of the wrong length.
    Setup {
        /// The first such rank.
        rank: usize,
    },
    /// These ranks wait for each other, each in the given step.
    Deadlock(Vec<(usize, Step)>),
    /// A message and its receive differ in length.
    Lengths {
        /// The sending rank.
        from: usize,
        /// The receiving rank.
        to: usize,
        /// Elements sent.
        sent: usize,
        /// Elements expected.
        expected: usize,
    },
}

/// The initial buffers of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialBuffers<T> {
    /// The input.
    pub input: Vec<T>,
    /// The initial contents of the output; the root of a broadcast has its data there.
    pub output: Vec<T>,
}

/// Executes the plans of all ranks. Scratch space is initialised to `blank`.
pub fn run<T: Clone>(
    plans: &[Plan],
    brought: Vec<InitialBuffers<T>>,
    blank: &T,
    combine: impl Fn(&T, &T) -> T,
    cost: Cost,
) -> Result<Outcome<T>, Failure> {
    check_setup(plans, &brought)?;
    let ranks = plans.iter().zip(brought).map(|(plan, brought)| Rank::new(plan, brought, blank)).collect();
    let mut world = World {
        plans,
        ranks,
        channels: BTreeMap::new(),
        ready: (0..plans.len()).collect(),
        cost,
        sent: (0, 0),
    };
    while let Some(rank) = world.ready.pop_front() {
        world.advance(rank, &combine)?;
    }
    world.finish()
}

fn check_setup<T>(plans: &[Plan], brought: &[InitialBuffers<T>]) -> Result<(), Failure> {
    let fits = |rank: usize| {
        let (plan, brought) = (&plans[rank], brought.get(rank));
        plan.rank() == rank
            && plan.ranks() == plans.len()
            && brought.is_some_and(|b| (b.input.len(), b.output.len()) == (plan.input(), plan.output()))
    };
    match (0..plans.len()).find(|&rank| !fits(rank)) {
        Some(rank) => Err(Failure::Setup { rank }),
        None => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Waiting {
    Not,
    Message,
    All,
}

struct Rank<T> {
    buffers: [Vec<T>; 3],
    next: usize,
    now: u64,
    waiting: Waiting,
    /// Messages started and not yet complete.
    open: usize,
    /// The time when the last started message completed.
    settled: u64,
    sends_until: u64,
    receives_until: u64,
}

impl<T: Clone> Rank<T> {
    fn new(plan: &Plan, brought: InitialBuffers<T>, blank: &T) -> Rank<T> {
        let buffers = [brought.input, brought.output, vec![blank.clone(); plan.scratch()]];
        Rank {
            buffers,
            next: 0,
            now: 0,
            waiting: Waiting::Not,
            open: 0,
            settled: 0,
            sends_until: 0,
            receives_until: 0,
        }
    }

    fn get(&self, span: Span) -> Vec<T> {
        self.buffers[slot(span)][span.start..span.start + span.len].to_vec()
    }

    fn set(&mut self, span: Span, values: Vec<T>) {
        for (to, value) in self.buffers[slot(span)][span.start..].iter_mut().zip(values) {
            *to = value;
        }
    }

    /// Completes a message; returns whether the rank can proceed.
    fn complete(&mut self, blocking: bool, done: u64) -> bool {
        if blocking {
            self.now = self.now.max(done);
        } else {
            self.open -= 1;
            self.settled = self.settled.max(done);
        }
        let wakes = blocking || self.waiting == Waiting::All && self.open == 0;
        if wakes {
            self.now = if blocking { self.now } else { self.now.max(self.settled) };
            self.waiting = Waiting::Not;
        }
        wakes
    }
}

#[derive(Clone, Copy)]
struct Posted {
    span: Span,
    time: u64,
    blocking: bool,
}

#[derive(Default)]
struct Channel {
    sends: VecDeque<Posted>,
    receives: VecDeque<Posted>,
}

struct World<'a, T> {
    plans: &'a [Plan],
    ranks: Vec<Rank<T>>,
    channels: BTreeMap<(usize, usize), Channel>,
    ready: VecDeque<usize>,
    cost: Cost,
    sent: (usize, usize),
}

impl<T: Clone> World<'_, T> {
    /// Runs a rank until it blocks or ends.
    fn advance(&mut self, rank: usize, combine: &impl Fn(&T, &T) -> T) -> Result<(), Failure> {
        while let Some(&step) = self.plans[rank].steps().get(self.ranks[rank].next) {
            self.ranks[rank].next += 1;
            match step {
                Step::Send { to, span } => return self.post(rank, (rank, to), span, true),
                Step::Receive { from, span } => return self.post(rank, (from, rank), span, true),
                Step::StartSend { to, span } => self.post(rank, (rank, to), span, false)?,
                Step::StartReceive { from, span } => self.post(rank, (from, rank), span, false)?,
                Step::WaitAll if self.ranks[rank].open > 0 => {
                    self.ranks[rank].waiting = Waiting::All;
                    return Ok(());
                }
                Step::WaitAll => self.ranks[rank].now = self.ranks[rank].now.max(self.ranks[rank].settled),
                Step::Copy { from, to } => {
                    let values = self.ranks[rank].get(from);
                    self.ranks[rank].set(to, values);
                }
                Step::Reduce { from, into, order } => {
                    let values = reduced(&self.ranks[rank], from, into, order, combine);
                    self.ranks[rank].set(into, values);
                }
            }
        }
        Ok(())
    }

    fn post(&mut self, rank: usize, pair: (usize, usize), span: Span, blocking: bool) -> Result<(), Failure> {
        let posted = Posted { span, time: self.ranks[rank].now, blocking };
        if blocking {
            self.ranks[rank].waiting = Waiting::Message;
        } else {
            self.ranks[rank].open += 1;
        }
        let channel = self.channels.entry(pair).or_default();
        let side = if rank == pair.0 { &mut channel.sends } else { &mut channel.receives };
        side.push_back(posted);
        if channel.sends.is_empty() || channel.receives.is_empty() {
            return Ok(());
        }
        let (send, receive) = (channel.sends.pop_front(), channel.receives.pop_front());
        send.zip(receive).map_or(Ok(()), |(send, receive)| self.deliver(pair, send, receive))
    }

    fn deliver(&mut self, (from, to): (usize, usize), send: Posted, receive: Posted) -> Result<(), Failure> {
        let len = send.span.len;
        if len != receive.span.len {
            return Err(Failure::Lengths { from, to, sent: len, expected: receive.span.len });
        }
        let values = self.ranks[from].get(send.span);
        self.ranks[to].set(receive.span, values);
        self.sent = (self.sent.0 + 1, self.sent.1 + len);
        let posted = send.time.max(receive.time);
        let begin = posted.max(self.ranks[from].sends_until).max(self.ranks[to].receives_until);
        let done = begin + self.cost.message + self.cost.element * len as u64;
        self.ranks[from].sends_until = done;
        self.ranks[to].receives_until = done;
        for (rank, blocking) in [(from, send.blocking), (to, receive.blocking)] {
            if self.ranks[rank].complete(blocking, done) {
                self.ready.push_back(rank);
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Outcome<T>, Failure> {
        let stuck = |(rank, state): (usize, &Rank<T>)| {
            (state.waiting != Waiting::Not).then(|| (rank, self.plans[rank].steps()[state.next - 1]))
        };
        let waiting: Vec<_> = self.ranks.iter().enumerate().filter_map(stuck).collect();
        if !waiting.is_empty() {
            return Err(Failure::Deadlock(waiting));
        }
        let time = self.ranks.iter().map(|rank| rank.now).max().unwrap_or(0);
        let outputs =
            self.ranks.into_iter().map(|rank| rank.buffers.into_iter().nth(1).unwrap_or_default()).collect();
        Ok(Outcome { outputs, messages: self.sent.0, elements: self.sent.1, time })
    }
}

fn reduced<T: Clone>(
    rank: &Rank<T>,
    from: Span,
    into: Span,
    order: Order,
    combine: &impl Fn(&T, &T) -> T,
) -> Vec<T> {
    let pairs = rank.get(from).into_iter().zip(rank.get(into));
    match order {
        Order::FromFirst => pairs.map(|(from, into)| combine(&from, &into)).collect(),
        Order::IntoFirst => pairs.map(|(from, into)| combine(&into, &from)).collect(),
    }
}

fn slot(span: Span) -> usize {
    match span.buffer {
        Buffer::Input => 0,
        Buffer::Output => 1,
        Buffer::Scratch => 2,
    }
}

impl std::error::Error for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Setup { rank } => {
                write!(
                    f,
                    "rank {rank} has no plan, or an input of another length than planned; pass one of each per rank, in rank order"
                )
            }
            Failure::Deadlock(waiting) => {
                f.write_str("deadlock: the ranks wait for each other:")?;
                waiting.iter().try_for_each(|(rank, step)| write!(f, " rank {rank} in \"{step}\";"))?;
                f.write_str(" reorder their steps or start them")
            }
            Failure::Lengths { from, to, sent, expected } => write!(
                f,
                "rank {from} sends {sent} elements to rank {to}, which expects {expected}; make the two agree"
            ),
        }
    }
}
