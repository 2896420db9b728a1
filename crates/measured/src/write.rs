//! The timeline of a walk through all ranks.

use std::collections::BTreeSet;
use std::path::Path;

use panto_timeline::{Message, State, TimelineInfo, Writer};
use panto_trace::{RankTrace, RegionNames, Trace, World, key};
use panto_units::Time;

use crate::clock::Clocks;
use crate::error::{Error, Result};
use crate::hosts::Exchanges;
use crate::walk::{Sink, Walk};
use crate::{Doubts, MeasuredRun};

/// How often the clocks of hosts are compared: once so that they differ by less than a window, and
/// once for the drift.
const COMPARISONS: usize = 2;

/// Writes the states and messages of a walk.
struct TimelineSink {
    writer: Writer,
    reversed: u64,
    worst: Time,
}

pub fn write(trace: &Trace, path: &Path) -> Result<MeasuredRun> {
    if !trace.ranks().iter().any(RankTrace::has_stamps) {
        return Err(Error::NoStamps(trace.path().to_owned()));
    }
    let world = World::of_incomplete(trace)?;
    let calls = functions(trace)?;
    let mut clocks = Clocks::of(trace);
    for _ in 0..if clocks.hosts() > 1 { COMPARISONS } else { 0 } {
        let mut exchanges = Exchanges::new(rank_hosts(trace, &clocks), &clocks);
        Walk::new(trace, &world, &clocks, &calls, &mut exchanges).run()?;
        clocks.correct(&exchanges.compare());
    }
    let about = about(trace, RegionNames::new(calls.clone()).names, clocks.hosts());
    let mut sink = TimelineSink { writer: Writer::create(path, &about)?, reversed: 0, worst: Time::ZERO };
    let doubts = Walk::new(trace, &world, &clocks, &calls, &mut sink).run()?;
    let TimelineSink { writer, reversed, worst } = sink;
    let doubts = Doubts { reversed, worst, hosts: clocks.hosts(), host_error: clocks.error(), ..doubts };
    Ok(MeasuredRun { written: writer.finish()?, doubts })
}

/// Returns the host of each rank of the program; the first one for ranks that the trace lacks,
/// which have no messages.
fn rank_hosts(trace: &Trace, clocks: &Clocks) -> Vec<usize> {
    let mut hosts = vec![0; trace.size() as usize];
    for (rank, clock) in trace.ranks().iter().zip(clocks.ranks()) {
        hosts[rank.rank() as usize] = clock.host();
    }
    hosts
}

impl Sink for TimelineSink {
    fn state(&mut self, rank: u32, state: State) {
        self.writer.state(rank, state);
    }

    /// Adds a message. One that was received before it was sent is drawn as if sent then.
    fn message(&mut self, message: Message) {
        let early = message.sent.since(message.received);
        if early > Time::ZERO {
            self.reversed += 1;
            self.worst = self.worst.max(early);
        }
        self.writer.message(Message { sent: message.sent.min(message.received), ..message });
    }
}

/// Returns the names of all functions that are called.
fn functions(trace: &Trace) -> Result<Vec<String>> {
    let mut names = BTreeSet::new();
    for rank in trace.ranks() {
        let tables = rank.tables()?;
        let signatures = (0..tables.signatures()).filter_map(|number| tables.signature(number));
        names.extend(signatures.filter_map(|signature| tables.name(signature.name)).map(str::to_owned));
    }
    Ok(names.into_iter().collect())
}

fn about(trace: &Trace, calls: Vec<String>, hosts: usize) -> TimelineInfo {
    let metadata = trace.ranks().first().map(RankTrace::metadata);
    let value = |name| metadata.and_then(|metadata| metadata.get(name)).map(str::to_owned);
    let facts = [
        ("run", Some("measured".to_owned())),
        ("trace", Some(trace.path().display().to_string())),
        ("program", value(key::PROGRAM)),
        ("mpi", value(key::MPI)),
        ("host", if hosts == 1 { value(key::HOST) } else { Some(format!("{hosts} hosts")) }),
    ];
    TimelineInfo {
        ranks: trace.size(),
        helper_ranks: Vec::new(),
        facts: facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
        calls,
        message_kinds: vec!["message".to_owned()],
    }
}
