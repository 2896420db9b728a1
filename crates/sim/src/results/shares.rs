//! What ranks did on the critical path.

use panto_units::Time;
use rustc_hash::FxHashMap;

use super::path::Path;
use crate::observe::{Activity, Observer};
use crate::program::Program;

/// A part of the critical path: one rank at one kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The rank.
    pub rank: u32,
    /// What it did.
    pub activity: Activity,
    /// In which function (a number in the program's list), if in one.
    pub call: Option<u32>,
    /// For so long.
    pub time: Time,
}

/// Sees a simulation for the second time, and adds up what happens on the path.
#[derive(Debug)]
pub struct Shares {
    /// For each rank and helper, the parts of the path that are its own, in the order of time; and the first that is not over.
    windows: Vec<(Vec<(Time, Time)>, usize)>,
    homes: Vec<u32>,
    within: Vec<u32>,
    found: FxHashMap<(u32, Activity, Option<u32>), Time>,
}

/// No function yet.
const NONE: u32 = u32::MAX;

impl Shares {
    /// For the path of a program's first run.
    pub fn new(program: &Program, path: &Path) -> Self {
        let codes = program.codes.len();
        let mut windows = vec![(Vec::new(), 0); codes];
        for part in path.segments.iter().filter(|part| !part.is_network) {
            windows[part.rank as usize].0.push((part.from, part.to));
        }
        let homes = (0..codes as u32).map(|code| program.home(code)).collect();
        Self { windows, homes, within: vec![NONE; codes], found: FxHashMap::default() }
    }

    /// What was done, the longest first.
    pub fn shares(&self) -> Vec<Share> {
        let share = |(&(rank, activity, call), &time)| Share { rank, activity, call, time };
        let mut shares: Vec<Share> = self.found.iter().map(share).collect();
        shares.sort_unstable_by_key(|share| {
            (std::cmp::Reverse(share.time), share.rank, share.activity as u8, share.call)
        });
        shares
    }

    /// Adds what another saw, who looked at other ranks.
    pub fn merge(&mut self, other: &Self) {
        for (&(rank, activity, call), &time) in &other.found {
            self.add(rank, activity, call, time);
        }
    }

    fn add(&mut self, rank: u32, activity: Activity, call: Option<u32>, time: Time) {
        let sum = self.found.entry((rank, activity, call)).or_default();
        *sum = sum.saturating_add(time);
    }
}

impl Observer for Shares {
    #[inline]
    fn call(&mut self, rank: u32, call: u32, _at: Time) {
        self.within[rank as usize] = call;
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
            let within = self.within[rank as usize];
            let call = (within != NONE && activity != Activity::Compute).then_some(within);
            self.add(self.homes[rank as usize], activity, call, time);
        }
    }
}
