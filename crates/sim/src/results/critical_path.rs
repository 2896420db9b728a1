//! The critical path: the chain of work and messages that determines the makespan.

use panto_units::Time;

use super::activity_log::{ActivityLog, Entry, History};
use crate::observe::Activity;
use crate::program::Program;

/// A share of the critical path: one rank in one activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathShare {
    /// The rank.
    pub rank: u32,
    /// What it did.
    pub activity: Activity,
    /// The function, an index of the program's calls, if it was in one.
    pub call: Option<u32>,
    /// How long.
    pub time: Time,
}

/// The chain of work and messages that determines the makespan, from the start to the end without a
/// gap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CriticalPath {
    /// The activities of ranks on it, the longest first.
    pub shares: Vec<PathShare>,
    /// The time of the network on it.
    pub network: Time,
    /// How many times it changes rank. A helper counts as its rank.
    pub hops: usize,
}

/// Finds the path backwards: from the end of a rank to its last wait, from there to the rank that
/// caused the wait, and so on to the start.
///
/// *Cost*: time goes backwards on every rank, so each entry of the log is read at most once.
pub(super) struct PathFinder<'a> {
    program: &'a Program,
    histories: Vec<History<'a>>,
    /// For each rank, the time in each of its few activities and functions.
    times: Vec<Vec<(Activity, Option<u32>, Time)>>,
    path: CriticalPath,
    /// The rank of the last part of the path.
    last: Option<u32>,
}

impl<'a> PathFinder<'a> {
    pub(super) fn new(program: &'a Program, log: &'a ActivityLog) -> Self {
        Self {
            program,
            histories: log.histories(),
            times: vec![Vec::new(); program.ranks as usize],
            path: CriticalPath::default(),
            last: None,
        }
    }

    /// Returns the path to the end of a rank at `end`.
    pub(super) fn find(mut self, rank: u32, end: Time) -> CriticalPath {
        let (mut rank, mut to) = (rank, end);
        loop {
            let history = &mut self.histories[rank as usize];
            let end = history.at();
            match history.next() {
                None => return self.finish(),
                Some(Entry::Work { activity, call, time }) => {
                    let on_path = end.min(to).since(end.since(time));
                    self.add(rank, activity, call, on_path);
                }
                Some(Entry::Wait { from, cause }) if end <= to => {
                    // A rank that waits for its own port has caused that before.
                    let at = if cause.rank == rank { cause.at.min(from) } else { cause.at };
                    self.add_network(rank, end.since(at));
                    (rank, to) = (cause.rank, at);
                }
                // The rank waited after it had caused what is on the path.
                Some(Entry::Wait { .. }) => {}
            }
        }
    }

    fn add_network(&mut self, rank: u32, time: Time) {
        if time > Time::ZERO {
            self.visit(rank);
            self.path.network = self.path.network.saturating_add(time);
        }
    }

    fn add(&mut self, rank: u32, activity: Option<Activity>, call: Option<u32>, time: Time) {
        if time == Time::ZERO {
            return;
        }
        self.visit(rank);
        if let Some(activity) = activity {
            let times = &mut self.times[self.program.home(rank) as usize];
            match times.iter_mut().find(|known| (known.0, known.1) == (activity, call)) {
                Some((.., sum)) => *sum = sum.saturating_add(time),
                None => times.push((activity, call, time)),
            }
        }
    }

    /// Counts a hop if the path was on another rank.
    fn visit(&mut self, rank: u32) {
        let home = self.program.home(rank);
        let last = self.last.replace(home);
        self.path.hops += usize::from(last.is_some_and(|last| last != home));
    }

    fn finish(mut self) -> CriticalPath {
        for (rank, times) in (0..).zip(self.times) {
            let share = |(activity, call, time)| PathShare { rank, activity, call, time };
            self.path.shares.extend(times.into_iter().map(share));
        }
        self.path.shares.sort_unstable_by_key(|share| {
            (std::cmp::Reverse(share.time), share.rank, share.activity as u8, share.call)
        });
        self.path
    }
}
