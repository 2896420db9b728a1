//! What ranks did on the critical path.

use panto_units::Time;
use rustc_hash::FxHashMap;

use super::path::Path;
use crate::observe::{Activity, Observer};
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

/// Observes a second run and adds up what happens on the path.
#[derive(Debug)]
pub struct PathShares {
    /// For each rank and helper, its intervals on the path in the order of time, and the index of
    /// the first that is not over.
    windows: Vec<(Vec<(Time, Time)>, usize)>,
    homes: Vec<u32>,
    current_call: Vec<u32>,
    times: FxHashMap<(u32, Activity, Option<u32>), Time>,
}

/// No call yet.
const NONE: u32 = u32::MAX;

impl PathShares {
    /// Returns an observer for the path of a program's first run.
    pub fn new(program: &Program, path: &Path) -> Self {
        let codes = program.codes.len();
        let mut windows = vec![(Vec::new(), 0); codes];
        for part in path.segments.iter().filter(|part| !part.is_network) {
            windows[part.rank as usize].0.push((part.from, part.to));
        }
        let homes = (0..codes as u32).map(|code| program.home(code)).collect();
        Self { windows, homes, current_call: vec![NONE; codes], times: FxHashMap::default() }
    }

    /// Returns what was done, the longest first.
    pub fn shares(&self) -> Vec<PathShare> {
        let share = |(&(rank, activity, call), &time)| PathShare { rank, activity, call, time };
        let mut shares: Vec<PathShare> = self.times.iter().map(share).collect();
        shares.sort_unstable_by_key(|share| {
            (std::cmp::Reverse(share.time), share.rank, share.activity as u8, share.call)
        });
        shares
    }

    /// Adds what an observer saw of other ranks.
    pub fn merge(&mut self, other: &Self) {
        for (&(rank, activity, call), &time) in &other.times {
            self.add(rank, activity, call, time);
        }
    }

    fn add(&mut self, rank: u32, activity: Activity, call: Option<u32>, time: Time) {
        let sum = self.times.entry((rank, activity, call)).or_default();
        *sum = sum.saturating_add(time);
    }
}

impl Observer for PathShares {
    #[inline]
    fn call(&mut self, rank: u32, call: u32, _at: Time) {
        self.current_call[rank as usize] = call;
    }

    #[inline]
    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        let (windows, first) = &mut self.windows[rank as usize];
        while windows.get(*first).is_some_and(|(_, end)| *end <= from) {
            *first += 1;
        }
        let Some(&(start, end)) = windows.get(*first) else { return };
        let time = to.min(end).since(from.max(start));
        if time > Time::ZERO {
            let current_call = self.current_call[rank as usize];
            let call = (current_call != NONE && activity != Activity::Compute).then_some(current_call);
            self.add(self.homes[rank as usize], activity, call, time);
        }
    }
}
