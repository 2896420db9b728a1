//! Measured timelines of small traces whose states and messages are known.

mod call_sites;
mod clocks;
mod damage;
mod messages;
mod waits;

use std::path::PathBuf;

use panto_measured::{Doubts, Error};
use panto_timeline::{ALL_TIME, Cause, Message, State, StateKind, Timeline};
use panto_trace::{Builder, CallForm, Metadata, Trace, key};
use panto_units::Time;
use tempfile::TempDir;

/// The ranks of a program while they are built, with the moments of their calls.
struct Run {
    ranks: Vec<Builder>,
}

/// The measured timeline of a run.
struct Measured {
    timeline: Timeline,
    doubts: Doubts,
    _folder: TempDir,
}

impl Run {
    fn new(ranks: u32) -> Self {
        Self::with_starts(&vec![("host", 0); ranks as usize])
    }

    /// A run whose ranks begin at these moments of their host's clock, in nanoseconds.
    fn with_starts(starts: &[(&str, u64)]) -> Self {
        let world = (0..starts.len() as u32).collect();
        let rank = |(rank, (host, start)): (usize, &(&str, u64))| {
            let mut metadata = Metadata::default();
            metadata.set(key::HOST, *host);
            metadata.set(key::STARTED, &1_000_000_000_000_u64);
            metadata.set(key::MONOTONIC_START, start);
            let mut builder = Builder::with_metadata(rank as u32, &world, 1, &metadata);
            builder.keep_stamps();
            builder
        };
        Self { ranks: starts.iter().enumerate().map(rank).collect() }
    }

    /// Lets a rank compute, and then spend time in its next call, which `call` adds.
    fn call<T>(&mut self, rank: u32, before: u64, inside: u64, call: impl FnOnce(&mut Builder) -> T) -> T {
        let rank = &mut self.ranks[rank as usize];
        rank.compute(before);
        rank.inside(inside);
        call(rank)
    }

    fn send(&mut self, rank: u32, before: u64, inside: u64, to: u32) {
        self.call(rank, before, inside, |rank| rank.send(CallForm::Blocking, to, 7, 100));
    }

    fn receive(&mut self, rank: u32, before: u64, inside: u64, from: u32) {
        self.call(rank, before, inside, |rank| rank.receive(CallForm::Blocking, Some(from), Some(7), 100));
    }

    /// Writes the ranks' files. Returns their folder.
    fn write(self) -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for rank in self.ranks {
            let path = folder.path().join(format!("{}.rank", rank.rank()));
            std::fs::write(path, rank.finish(&Metadata::default())).expect("written");
        }
        folder
    }

    fn measured(self) -> Measured {
        measured(self.write())
    }
}

fn measured(folder: TempDir) -> Measured {
    let (target, result) = try_measured(&folder);
    let doubts = result.expect("a measured timeline");
    Measured { timeline: Timeline::open(&target).expect("a timeline"), doubts, _folder: folder }
}

fn try_measured(folder: &TempDir) -> (PathBuf, Result<Doubts, Error>) {
    let trace = Trace::open(folder.path()).expect("a trace");
    let target = folder.path().join("run.ptl");
    let result = panto_measured::write(&trace, &target);
    (target, result.map(|run| run.doubts))
}

impl Measured {
    fn states(&self, rank: u32) -> Vec<State> {
        self.timeline.states(rank, &ALL_TIME).map(|state| state.expect("sound")).collect()
    }

    fn messages(&self) -> Vec<Message> {
        self.timeline.messages(&ALL_TIME).map(|message| message.expect("sound")).collect()
    }

    /// Returns kind, beginning and end in nanoseconds of the states of a rank.
    fn outline(&self, rank: u32) -> Vec<(StateKind, f64, f64)> {
        self.states(rank)
            .iter()
            .map(|state| (state.kind, state.from.as_nanos(), state.to.as_nanos()))
            .collect()
    }
}

/// A wait for a rank, until the moment in nanoseconds at which that did what was awaited.
fn wait(rank: u32, at: u64) -> StateKind {
    StateKind::Wait(Some(Cause { rank, at: Time::from_nanos(at) }))
}
