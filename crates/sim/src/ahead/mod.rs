//! The run-ahead engine: simulates a program without an event queue.
//!
//! # The idea
//!
//! A discrete-event simulator usually keeps a queue of events and always executes the earliest,
//! since an earlier event may change what a later one does. Here no event of another rank can,
//! under three conditions that [`choose_engine`](crate::choose_engine) checks: messages share at
//! most the ports of their own rank ([`Sharing::None`](crate::Sharing::None) or
//! [`Sharing::Endpoints`](crate::Sharing::Endpoints)), no receive has a wildcard, and every rank
//! has a processor and a network interface of its own. Ranks are then the processes of a *Kahn
//! process network* (G. Kahn, "The Semantics of a Simple Language for Parallel Programming", IFIP
//! Congress 1974): each runs sequential code, they communicate over FIFO channels with one sender
//! and one receiver each, a receive names its channel and blocks until a message is there, and
//! nothing can ask whether a channel is empty. (A program contains no open test: what a trace
//! polled in vain is an operation of fixed cost.) Kahn showed that the sequence of messages on
//! every channel is then a function of the program alone, whatever the order in which processes are
//! executed.
//!
//! Time does not change that, because it travels with the data. Each rank has a virtual clock of
//! its own. A send stamps the message with its arrival: the sender's clock, or the time at which
//! the injection port has taken its previous message if that is later, plus the costs that the
//! machine charges for this size and distance. A receive advances the receiver's clock to at least
//! the arrival, or to the time at which the ejection port is through with the message (`ejecting`).
//! So each clock depends on the rank's own operations and on the messages that it received, and
//! both are determined.
//!
//! Hence the engine picks any rank that can proceed and lets it *run ahead*: it executes operation
//! after operation, however far its clock gets ahead of the others', until it needs a message that
//! has not been sent. It is blocked then, and ready again when the message is sent. There is no
//! global time, nothing is sorted and nothing is rolled back. The run ends when no rank is ready:
//! either every rank has executed everything, or those that have not are in a deadlock.
//!
//! # Rendezvous without a global order
//!
//! A rendezvous or synchronous send completes at a time that depends on the receiver, too: on when
//! it posts the receive. That looks like feedback in time, but it is only a message in the opposite
//! direction. Two facts are needed, when the request to send arrives (known to the sender) and when
//! the receive is posted (known to the receiver). As soon as both are known, in whichever order,
//! the receiver's side computes `matched = max(arrival of the request, time of the post)` and from
//! it when the clear to send reaches the sender, when the data has left and when it arrives. The
//! sender gets its completion time as a `SendCompletion`; if it is blocked on that send, it becomes
//! ready. See `rendezvous`.
//!
//! # Threads
//!
//! A *helper* (see [`program`](crate::program)) is an auxiliary rank and is treated like one. The
//! *position* of a rank or helper is its place in memory, where helpers follow their rank.
//!
//! The ranks are divided into `Partition`s, one for each thread: a range of neighbouring positions
//! and the channels that end at them. A thread executes the ranks of its own partition only, so
//! ranks and channels need no locks. What it sends to another partition is collected and handed
//! over many messages at a time through the `exchange`, which also detects that all partitions have
//! run out of work. A channel has one sender, hence one partition that feeds it, and messages are
//! delivered in the order in which they were sent; so the results are identical for every number of
//! threads, bit by bit.
//!
//! # Cost
//!
//! An operation is O(1): nothing is searched or sorted, and the costs of a message come from a
//! table. With many ranks, what remains is waiting for memory. Five things reduce it:
//!
//! - A rank's state is one cache line (64 bytes), a channel half of one (32 bytes), an operation 16
//!   bytes (`rank`, `channels`, [`program`](crate::program)).
//! - Ranks run in *blocks* of neighbours whose data fit in an L2 cache, block after block
//!   (`ready_queue`): most messages go to a neighbour, and are received while they are in the
//!   cache.
//! - Operations of neighbouring ranks, and channels of neighbouring ranks, lie interleaved in the
//!   order in which they are used (`interleaved_ops`, `channel_order`), in huge pages
//!   ([`panto_memory`]), so that few TLB entries cover them.
//! - What the next ranks need is prefetched (`prefetch`).
//! - A rank that runs far ahead would fill memory with messages that are not received yet. It
//!   yields after a fixed number of operations, and when an eager message to its own partition
//!   finds many others waiting on the channel.
//!
//! [`PreparedProgram`] holds the order of ranks, channels and operations. It depends on the program
//! only, and is computed once for all machines of a sweep; blocks and partitions are chosen in each
//! run.

mod channel_order;
mod channels;
pub(crate) mod cost;
mod ejecting;
mod exchange;
mod interleaved_ops;
mod local_ops;
mod outcome;
mod partition;
mod prefetch;
mod prepared;
pub(crate) mod rank;
mod ready_queue;
mod receiving;
mod rendezvous;
mod sending;

pub use prepared::PreparedProgram;

use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use panto_units::Time;

use exchange::{Exchange, Outbox, PartitionStarts};
use outcome::PartitionOutcome;
use partition::Partition;

use crate::config::RunConfig;
use crate::error::RunError;
use crate::observe::{NoObserver, Observer};
use crate::program::Program;

/// Number of turns after which a thread hands over and collects messages: often enough that other
/// threads do not run out of work, rarely enough that the checks cost little.
const TURNS_PER_EXCHANGE: u32 = 8;

/// Runs a program on one thread. Returns when each rank ends, followed by each helper.
///
/// Links must not be shared, and every rank must have a processor of its own. A wildcard receive
/// blocks forever, which is reported as a deadlock.
pub fn run<O: Observer>(
    program: &Program,
    config: &RunConfig<'_>,
    observer: &mut O,
) -> Result<Vec<Time>, RunError> {
    PreparedProgram::new(program).run(config, observer)
}

/// Runs a program on `observers.len()` threads, or on one if there are no observers, under the
/// conditions of [`run`]. Each observer sees the ranks of one thread. Returns when each rank ends,
/// followed by each helper.
pub fn run_on<O: Observer + Send>(
    program: &Program,
    config: &RunConfig<'_>,
    observers: &mut [O],
) -> Result<Vec<Time>, RunError> {
    PreparedProgram::new(program).run_on(config, observers)
}

impl PreparedProgram<'_> {
    /// Runs the program on one thread, like [`run`].
    pub fn run<O: Observer>(&self, config: &RunConfig<'_>, observer: &mut O) -> Result<Vec<Time>, RunError> {
        let positions = 0..self.program().codes.len() as u32;
        let mut partition = Partition::new(self, config, observer, positions, Outbox::default());
        while partition.turn() {}
        outcome::join(self, vec![partition.outcome()])
    }

    /// Runs the program on `observers.len()` threads, like [`run_on`]: the first observer sees the
    /// first ranks, and so on.
    pub fn run_on<O: Observer + Send>(
        &self,
        config: &RunConfig<'_>,
        observers: &mut [O],
    ) -> Result<Vec<Time>, RunError> {
        if observers.is_empty() {
            return self.run(config, &mut NoObserver);
        }
        let partitions = self.partitions(observers.len());
        let starts = PartitionStarts {
            positions: partitions.iter().map(|partition| partition.start).collect(),
            channels: partitions.iter().map(|partition| self.channels_to(partition).start).collect(),
        };
        let exchange = Exchange::new(partitions.len());
        let outcomes = thread::scope(|scope| {
            let work =
                partitions.into_iter().zip(observers).enumerate().map(|(number, (positions, observer))| {
                    let outbox = Outbox::new(starts.clone());
                    let exchange = &exchange;
                    scope.spawn(move || {
                        self.run_partition(config, observer, positions, outbox, (exchange, number))
                    })
                });
            let threads: Vec<_> = work.collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        outcome::join(self, outcomes)
    }

    /// Runs one partition on the calling thread, until no partition has work.
    fn run_partition<O: Observer>(
        &self,
        config: &RunConfig<'_>,
        observer: &mut O,
        positions: Range<u32>,
        outbox: Outbox,
        (exchange, number): (&Exchange, usize),
    ) -> PartitionOutcome {
        let _guard = exchange.guard();
        let mut partition = Partition::new(self, config, observer, positions, outbox);
        let mut received = Vec::new();
        loop {
            let mut turns = 0_u32;
            while partition.turn() {
                turns += 1;
                if turns.is_multiple_of(TURNS_PER_EXCHANGE) {
                    exchange.hand_over(&mut partition.outbox);
                    if exchange.has_messages(number) {
                        exchange.collect(number, &mut received);
                        partition.deliver_all(&received);
                        exchange.give_back(&mut received);
                    }
                }
            }
            if !exchange.wait(number, &mut partition.outbox, &mut received) {
                return partition.outcome();
            }
            partition.deliver_all(&received);
            exchange.give_back(&mut received);
        }
    }
}
