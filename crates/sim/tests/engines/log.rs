//! An observer that records the events of each rank.

use panto_machine::Machine;
use panto_sim::observe::{Activity, Cause, Observer, ReceivedMessage};
use panto_sim::program::Program;
use panto_sim::{RunConfig, RunError, Sharing, ordered};
use panto_units::Time;

/// An event of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Call(u32, Time),
    Worked(Activity, Time, Time),
    Waited(Time, Time, Cause),
    Received(ReceivedMessage),
}

/// The events of each rank, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log(pub Vec<Vec<Entry>>);

impl Log {
    fn push(&mut self, rank: u32, entry: Entry) {
        if self.0.len() <= rank as usize {
            self.0.resize(rank as usize + 1, Vec::new());
        }
        self.0[rank as usize].push(entry);
    }

    /// Returns the waits of a rank: begin, end and cause.
    pub fn waits(&self, rank: usize) -> Vec<(Time, Time, Cause)> {
        let wait =
            |entry: &Entry| if let &Entry::Waited(a, b, cause) = entry { Some((a, b, cause)) } else { None };
        self.0.get(rank).into_iter().flatten().filter_map(wait).collect()
    }

    /// Returns the messages that a rank received.
    pub fn received(&self, rank: usize) -> Vec<ReceivedMessage> {
        let message =
            |entry: &Entry| if let &Entry::Received(message) = entry { Some(message) } else { None };
        self.0.get(rank).into_iter().flatten().filter_map(message).collect()
    }
}

impl Observer for Log {
    fn call(&mut self, rank: u32, call: u32, at: Time) {
        self.push(rank, Entry::Call(call, at));
    }

    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        assert!(from < to, "work takes time");
        self.push(rank, Entry::Worked(activity, from, to));
    }

    fn waited(&mut self, rank: u32, from: Time, to: Time, cause: Cause) {
        assert!(from < to, "waiting takes time");
        self.push(rank, Entry::Waited(from, to, cause));
    }

    fn received(&mut self, rank: u32, message: ReceivedMessage) {
        self.push(rank, Entry::Received(message));
    }
}

/// Runs a program on the time-ordered engine, at the traced speed and without noise.
pub fn run(machine: &Machine, model: Sharing, program: &Program) -> (Result<Vec<Time>, RunError>, Log) {
    let mut log = Log::default();
    let config = RunConfig { machine, sharing: model, compute_scales: &[], noise: None };
    (ordered::run(program, &config, &mut log), log)
}
