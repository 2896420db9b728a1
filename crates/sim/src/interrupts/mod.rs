//! The interrupt-driven engine: `LogGOPSim`'s model of a processor.
//!
//! On most machines a rank handles a message when it receives it. Where
//! [`Processor::interrupts`](panto_machine::Processor::interrupts) is set, the processor handles it
//! as soon as it arrives and the processor is idle, whatever the rank would do next, and takes in
//! its bytes itself. So a message delays sends that the rank has already decided on, and what
//! happens depends on which of the two comes first. These are the rules of `LogGOPSim` (T. Hoefler,
//! T. Schneider and A. Lumsdaine, "LogGOPSim: Simulating Large-Scale Applications in the LogGOPS
//! Model", LSAP 2010), in terms of three times for each processor, at which the processor, its
//! injection port and its ejection port are free:
//!
//! - A computation of length c starts when the processor is free, and occupies it for c.
//! - A send of n bytes starts when processor and injection port are free. It occupies the processor
//!   for o + (n - 1) O and the port for g + (n - 1) G. The first byte arrives o + L after the
//!   start.
//! - An arrived message is handled when processor and ejection port are free. It occupies the
//!   processor for o + (n - 1) max(O, G) and the port for g + (n - 1) G. Then it is matched, or
//!   queued as unexpected; receiving an unexpected message takes no time.
//! - A send above S bytes, or a synchronous one, completes when its message is matched, without a
//!   further message. All others complete when the processor is through with them.
//!
//! Things that become possible at the same time happen in the order in which they were scheduled.
//!
//! This is a discrete-event simulation with one event for each operation and each message, which is
//! scheduled again if its resources are busy. *Cost*: O(log n) for an event. Sharing of links does
//! not apply; wildcards and shared processors are left to the [time-ordered
//! engine](crate::ordered).

mod messages;
mod rank;

use panto_units::Time;

use crate::config::RunConfig;
use crate::error::{BlockedRank, Deadlock, MAX_REPORTED_RANKS, RunError};
use crate::observe::{Cause, Observer};
use crate::program::Program;
use crate::radix_heap::{RadixHeap, Timed};
use crate::slab::Slab;
use messages::{ChannelQueues, Message};
use rank::RankProgress;

/// Later than any time that can be counted.
const NEVER: Time = Time::from_picos(u64::MAX);

/// Runs a program on a machine whose processors are interrupted by messages, as
/// [`choose_engine`](crate::choose_engine) decides. Returns when each rank ends, followed by each
/// helper.
pub fn run<O: Observer>(
    program: &Program,
    config: &RunConfig<'_>,
    observer: &mut O,
) -> Result<Vec<Time>, RunError> {
    let mut simulation = Simulation::new(program, config, observer);
    while let Some(event) = simulation.events.pop() {
        simulation.now = event.time;
        match event.target {
            Target::Rank(code) => simulation.resume(code, event.number),
            Target::Message(id) => simulation.handle(id, event.number),
        }
    }
    simulation.ends()
}

/// A program while it runs.
struct Simulation<'a, O> {
    program: &'a Program,
    config: &'a RunConfig<'a>,
    observer: &'a mut O,
    ranks: Vec<RankProgress<'a>>,
    processors: Vec<Processor>,
    channels: Vec<ChannelQueues>,
    messages: Slab<Message>,
    events: RadixHeap<Event>,
    /// How many events have been scheduled, without those that were scheduled again.
    scheduled: u64,
    now: Time,
}

/// When the resources of a processor are free.
#[derive(Debug, Clone, Copy, Default)]
struct Processor {
    free: Time,
    injection_free: Time,
    ejection_free: Time,
}

/// Something that can happen from a time on, if its resources are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Event {
    time: Time,
    /// The order in which events were scheduled, which breaks ties.
    number: u64,
    target: Target,
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A rank or helper executes its next operation.
    Rank(u32),
    /// The first byte of a message has arrived.
    Message(u32),
}

impl Timed for Event {
    fn time(&self) -> u64 {
        self.time.as_picos()
    }
}

impl Ord for Event {
    /// The earliest event is the greatest.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.time, other.number).cmp(&(self.time, self.number))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a, O: Observer> Simulation<'a, O> {
    fn new(program: &'a Program, config: &'a RunConfig<'a>, observer: &'a mut O) -> Self {
        let mut simulation = Self {
            program,
            config,
            observer,
            ranks: program.codes.iter().map(RankProgress::new).collect(),
            processors: vec![Processor::default(); program.ranks as usize],
            channels: program.channels.iter().map(|_| ChannelQueues::default()).collect(),
            messages: Slab::default(),
            events: RadixHeap::default(),
            scheduled: 0,
            now: Time::ZERO,
        };
        for code in 0..program.codes.len() as u32 {
            simulation.schedule(Time::ZERO, Target::Rank(code));
        }
        simulation
    }

    /// Schedules a new event.
    fn schedule(&mut self, time: Time, target: Target) {
        self.scheduled += 1;
        self.events.push(Event { time, number: self.scheduled, target });
    }

    /// The processor of a rank or helper.
    fn processor(&mut self, code: u32) -> &mut Processor {
        &mut self.processors[self.program.home(code) as usize]
    }

    /// Reports that a rank waited from the end of what it did last until now.
    fn waited(&mut self, code: u32, cause: Cause) {
        let rank = &mut self.ranks[code as usize];
        let since = rank.clock;
        if self.now > since {
            rank.clock = self.now;
            self.observer.waited(code, since, self.now, cause);
        }
    }

    /// Returns when each rank ended, or the ranks that are in a deadlock.
    fn ends(self) -> Result<Vec<Time>, RunError> {
        if self.now == NEVER || self.ranks.iter().any(|rank| rank.clock == NEVER) {
            return Err(RunError::TimeOverflow);
        }
        let blocked = |(code, rank): (usize, &RankProgress<'_>)| {
            let awaits = rank.awaits()?;
            Some(BlockedRank { rank: code as u32, calls: rank.calls, awaits })
        };
        let blocked: Vec<BlockedRank> = self.ranks.iter().enumerate().filter_map(blocked).collect();
        if blocked.is_empty() {
            return Ok(self.ranks.iter().map(|rank| rank.clock).collect());
        }
        let count = blocked.len();
        let blocked = blocked.into_iter().take(MAX_REPORTED_RANKS).collect();
        Err(RunError::Deadlock(Deadlock { count, blocked }))
    }
}
