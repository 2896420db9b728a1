//! The timeline of a walk through all ranks.

use std::collections::BTreeSet;
use std::path::Path;

use panto_timeline::{Message, State, TimelineInfo, Writer};
use panto_trace::{RankTrace, Trace, World, key};
use panto_units::Time;

use crate::clock::Clocks;
use crate::error::{Error, Result};
use crate::hosts::Exchanges;
use crate::walk::{Called, Sink, Walk, region_names};
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
        let command = trace.metadata().get(key::COMMAND).map(panto_units::one_line);
        return Err(Error::NoStamps { path: trace.path().to_owned(), command });
    }
    let world = World::of_incomplete(trace)?;
    let calls = calls(trace)?;
    let mut clocks = Clocks::of(trace);
    for _ in 0..if clocks.hosts() > 1 { COMPARISONS } else { 0 } {
        let mut exchanges = Exchanges::new(rank_hosts(trace, &clocks), &clocks);
        Walk::new(trace, &world, &clocks, &calls, &mut exchanges).run()?;
        clocks.correct(&exchanges.compare());
    }
    let about = about(trace, &calls, clocks.hosts());
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

/// Returns all functions that are called, each with each of its call sites.
fn calls(trace: &Trace) -> Result<Vec<Called>> {
    let mut calls = BTreeSet::new();
    for rank in trace.ranks() {
        let tables = rank.tables()?;
        let signatures = (0..tables.signatures()).filter_map(|number| tables.signature(number));
        calls.extend(signatures.filter_map(|signature| {
            let function = tables.name(signature.name)?.to_owned();
            Some(Called { function, site: signature.site.and_then(|site| tables.site(site)).cloned() })
        }));
    }
    Ok(calls.into_iter().collect())
}

fn about(trace: &Trace, calls: &[Called], hosts: usize) -> TimelineInfo {
    let metadata = trace.ranks().first().map(RankTrace::metadata);
    let value = |name| metadata.and_then(|metadata| metadata.get(name)).map(str::to_owned);
    let facts = [
        ("run", Some("measured".to_owned())),
        ("trace", Some(trace.path().display().to_string())),
        ("program", value(key::PROGRAM)),
        ("mpi", value(key::MPI)),
        ("host", if hosts == 1 { value(key::HOST) } else { Some(format!("{hosts} hosts")) }),
    ];
    let mut about = TimelineInfo {
        ranks: trace.size(),
        helper_ranks: Vec::new(),
        facts: facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
        calls: region_names(calls).names,
        message_kinds: vec!["message".to_owned()],
    };
    let places = trace.places();
    about.set_sites(calls.iter().map(|call| call.site.as_ref().map(|site| places.name(site))));
    about
}
