//! All ranks side by side, in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use panto_timeline::{Cause, Message, State, StateKind};
use panto_trace::{Action, CallSite, RegionNames, Stamps, Trace, World};
use panto_units::Time;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::Doubts;
use crate::begin::Beginning;
use crate::clock::Clocks;
use crate::collectives::HostSpan;
use crate::error::Result;
use crate::needs::Known;
use crate::rank::{Call, Rank, kind};

/// A function that is called, and from where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Called {
    pub function: String,
    /// The place in the program, if it was recorded.
    pub site: Option<CallSite>,
}

/// Returns the names of calls, of which some are marks of regions.
pub fn region_names(calls: &[Called]) -> RegionNames {
    RegionNames::new(calls.iter().map(|call| call.function.clone()).collect())
}

/// What happens next on a rank. At the same time calls begin before others end, because what ends a
/// call has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    Begin,
    End,
}

/// What takes the states and messages of a walk.
pub trait Sink {
    /// A state of a rank.
    fn state(&mut self, rank: u32, state: State);
    /// A message, which may have been received before it was sent.
    fn message(&mut self, message: Message);
    /// All ranks have left a collective in which each needs all others.
    fn collective(&mut self, _hosts: &[HostSpan]) {}
}

/// Reads the ranks of a trace in the order of time.
pub struct Walk<'w, S> {
    world: &'w World,
    ranks: Vec<Rank>,
    known: Known,
    /// The numbers of functions and their call sites.
    calls: FxHashMap<(&'w str, Option<&'w CallSite>), u32>,
    regions: RegionNames,
    sink: &'w mut S,
    doubts: Doubts,
    queue: BinaryHeap<Reverse<(Time, Moment, usize)>>,
}

impl<'w, S: Sink> Walk<'w, S> {
    /// A walk that has not begun. `calls` are all functions that are called.
    pub fn new(
        trace: &Trace,
        world: &'w World,
        clocks: &Clocks,
        calls: &'w [Called],
        sink: &'w mut S,
    ) -> Self {
        let ranks = trace.ranks().iter().zip(clocks.ranks());
        Self {
            world,
            ranks: ranks.map(|(rank, clock)| Rank::new(rank, *clock)).collect(),
            known: Known::new(clocks.hosts()),
            calls: calls.iter().map(|call| (&call.function[..], call.site.as_ref())).zip(0..).collect(),
            regions: region_names(calls),
            sink,
            doubts: Doubts::default(),
            queue: BinaryHeap::new(),
        }
    }

    /// Reads all ranks. Returns what the sink was not told.
    pub fn run(mut self) -> Result<Doubts> {
        for place in 0..self.ranks.len() {
            self.read(place)?;
        }
        while let Some(Reverse((_, moment, place))) = self.queue.pop() {
            match moment {
                Moment::Begin => self.begin(place)?,
                Moment::End => {
                    self.end(place);
                    self.read(place)?;
                }
            }
        }
        let (messages, unmatched) = self.known.transfers.finish();
        for message in messages {
            self.sink.message(message);
        }
        self.doubts.unmatched = unmatched;
        Ok(self.doubts)
    }

    /// Reads the next call of a rank, whose beginning is then in the queue.
    fn read(&mut self, place: usize) -> Result<()> {
        let rank = &mut self.ranks[place];
        let Some(event) = rank.events.next()? else { return Ok(()) };
        let Some(mut stamps) = event.stamps() else { return Ok(()) };
        let action = event.action()?;
        match action {
            // Time begins when MPI_Init returns, and ends when MPI_Finalize is called.
            Action::Initialise { .. } => stamps = Stamps::default(),
            Action::Finalise {} => stamps.inside = 0,
            Action::Thread { .. } => self.doubts.has_threads = true,
            _ => {}
        }
        let (from, to) = rank.position.advance(stamps);
        let without_core = stamps.gap.saturating_sub(event.before());
        self.doubts.between_calls =
            self.doubts.between_calls + Time::from_picos(stamps.gap.saturating_mul(1000));
        self.doubts.without_core =
            self.doubts.without_core + Time::from_picos(without_core.saturating_mul(1000));
        let number = event.number();
        if rank.functions.len() <= number {
            rank.functions.resize(number + 1, None);
        }
        let function = *rank.functions[number]
            .get_or_insert_with(|| self.calls.get(&(event.name(), event.site())).copied().unwrap_or(0));
        let kind = kind(&action);
        rank.call = Some(Call { function, kind, from, to, needs: SmallVec::new() });
        self.queue.push(Reverse((from, Moment::Begin, place)));
        Ok(())
    }

    /// A call begins: messages are sent, receives posted, collectives entered.
    fn begin(&mut self, place: usize) -> Result<()> {
        let Rank { number, host, events, comms, requests, call: Some(call), .. } = &mut self.ranks[place]
        else {
            return Ok(());
        };
        let event = events.current();
        let mut beginning = Beginning {
            rank: *number,
            host: *host,
            at: call.from,
            comms,
            requests,
            known: &mut self.known,
            world: self.world,
            tables: event.tables(),
            needs: &mut call.needs,
            unknown: 0,
        };
        beginning.action(&event.action()?, event.name());
        self.doubts.unknown += beginning.unknown;
        self.queue.push(Reverse((call.to, Moment::End, place)));
        Ok(())
    }

    /// A call ends: its states are written, and the messages that it completes.
    fn end(&mut self, place: usize) {
        let rank = &mut self.ranks[place];
        let Some(Call { function, kind, from, to, needs }) = rank.call.take() else { return };
        let cause = self.known.satisfy(&needs, to, rank.host, self.sink);
        let waited = cause.map_or(from, |(_, at)| at.clamp(from, to));
        let cause = cause.map(|(rank, at)| Cause { rank, at: at.min(to) });
        let before = std::mem::replace(&mut rank.position.end, to);
        let region = rank.regions.innermost();
        if rank.regions.event(&self.regions, function) {
            // The mark of a region is no call: its own time is the tracer's.
            if before < to {
                self.sink
                    .state(rank.number, State { kind: StateKind::Compute, call: region, from: before, to });
            }
            return;
        }
        let states = [
            (StateKind::Compute, region, before, from),
            (StateKind::Wait(cause), Some(function), from, waited),
            (kind, Some(function), waited, to),
        ];
        for (kind, call, from, to) in states {
            if from < to {
                self.sink.state(rank.number, State { kind, call, from, to });
            }
        }
    }
}
