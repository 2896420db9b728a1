//! Writes down what happens to each rank.

use panto_machine::Machine;
use panto_sim::observe::{Activity, Cause, Observer, Passed};
use panto_sim::program::Program;
use panto_sim::{Halted, Model, Setting, ordered};
use panto_units::Time;

/// What happened to a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Call(u32, Time),
    Worked(Activity, Time, Time),
    Waited(Time, Time, Cause),
    Received(Passed),
}

/// What happened to each rank, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log(pub Vec<Vec<Entry>>);

impl Log {
    fn push(&mut self, rank: u32, entry: Entry) {
        if self.0.len() <= rank as usize {
            self.0.resize(rank as usize + 1, Vec::new());
        }
        self.0[rank as usize].push(entry);
    }

    /// What a rank waited for.
    pub fn waits(&self, rank: usize) -> Vec<(Time, Time, Cause)> {
        let wait =
            |entry: &Entry| if let &Entry::Waited(a, b, cause) = entry { Some((a, b, cause)) } else { None };
        self.0.get(rank).into_iter().flatten().filter_map(wait).collect()
    }

    /// The messages that a rank received.
    pub fn received(&self, rank: usize) -> Vec<Passed> {
        let passed = |entry: &Entry| if let &Entry::Received(passed) = entry { Some(passed) } else { None };
        self.0.get(rank).into_iter().flatten().filter_map(passed).collect()
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

    fn received(&mut self, rank: u32, message: Passed) {
        self.push(rank, Entry::Received(message));
    }
}

/// Runs a program as it was traced, without noise.
pub fn run(machine: &Machine, model: Model, program: &Program) -> (Result<Vec<Time>, Halted>, Log) {
    let mut log = Log::default();
    let setting = Setting { machine, model, paces: &[], noise: None };
    (ordered::run(program, &setting, &mut log), log)
}
