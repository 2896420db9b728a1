//! What each rank and each function took in all.

use panto_units::Time;
use rustc_hash::FxHashMap;

use super::Spent;
use crate::observe::{Activity, Cause, Observer, Passed};
use crate::program::Program;

/// What a rank took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RankTotals {
    /// Its time, by what it did.
    pub spent: Spent,
    /// Messages that it received.
    pub messages: u64,
    /// Bytes that it received.
    pub bytes: u64,
}

/// What a function took, on all ranks together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallTotals {
    /// How often it was called.
    pub calls: u64,
    /// Its time, by what was done; the computation before it is not its own.
    pub spent: Spent,
}

/// Adds up what ranks do. Helpers work beside them and count nowhere.
#[derive(Debug, Clone)]
pub struct Totals {
    ranks: Vec<RankTotals>,
    calls: Vec<CallTotals>,
    /// The function that each rank is in.
    within: Vec<u32>,
    /// The rank of each rank and helper.
    homes: Vec<u32>,
    /// Who waited for whom.
    waits: FxHashMap<(u32, u32), Time>,
}

/// No function yet.
const NONE: u32 = u32::MAX;

impl Totals {
    /// Nothing yet.
    pub fn new(program: &Program) -> Self {
        let ranks = program.ranks as usize;
        Self {
            ranks: vec![RankTotals::default(); ranks],
            calls: vec![CallTotals::default(); program.calls.len()],
            within: vec![NONE; ranks],
            homes: (0..program.codes.len() as u32).map(|code| program.home(code)).collect(),
            waits: FxHashMap::default(),
        }
    }

    /// Of each rank.
    pub fn ranks(&self) -> &[RankTotals] {
        &self.ranks
    }

    /// Of each function, as numbered in the program.
    pub fn calls(&self) -> &[CallTotals] {
        &self.calls
    }

    /// How long who waited for whom, the longest first.
    pub fn waits(&self) -> Vec<(u32, u32, Time)> {
        let mut waits: Vec<_> = self.waits.iter().map(|(&(who, whom), &time)| (who, whom, time)).collect();
        waits.sort_unstable_by_key(|&(who, whom, time)| (std::cmp::Reverse(time), who, whom));
        waits
    }

    /// All ranks together.
    pub fn spent(&self) -> Spent {
        let mut all = Spent::default();
        self.ranks.iter().for_each(|rank| all.merge(&rank.spent));
        all
    }

    /// Adds what another saw, who looked at other ranks.
    pub fn merge(&mut self, other: &Self) {
        for (rank, more) in self.ranks.iter_mut().zip(&other.ranks) {
            rank.spent.merge(&more.spent);
            rank.messages += more.messages;
            rank.bytes = rank.bytes.saturating_add(more.bytes);
        }
        for (call, more) in self.calls.iter_mut().zip(&other.calls) {
            call.calls += more.calls;
            call.spent.merge(&more.spent);
        }
        for (pair, time) in &other.waits {
            let sum = self.waits.entry(*pair).or_default();
            *sum = sum.saturating_add(*time);
        }
    }

    /// The function that a rank is in.
    #[inline]
    fn function(&mut self, rank: u32) -> Option<&mut CallTotals> {
        let within = *self.within.get(rank as usize)?;
        self.calls.get_mut(within as usize)
    }
}

impl Observer for Totals {
    #[inline]
    fn call(&mut self, rank: u32, call: u32, _at: Time) {
        if let Some(within) = self.within.get_mut(rank as usize) {
            *within = call;
            self.calls[call as usize].calls += 1;
        }
    }

    #[inline]
    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        let Some(totals) = self.ranks.get_mut(rank as usize) else { return };
        let time = to.since(from);
        totals.spent.add(activity, time);
        if activity != Activity::Compute
            && let Some(function) = self.function(rank)
        {
            function.spent.add(activity, time);
        }
    }

    #[inline]
    fn shared(&mut self, rank: u32, activity: Activity, time: Time) {
        let Some(totals) = self.ranks.get_mut(rank as usize) else { return };
        totals.spent.share(activity, time);
        if activity != Activity::Compute
            && let Some(function) = self.function(rank)
        {
            function.spent.share(activity, time);
        }
    }

    #[inline]
    fn waited(&mut self, rank: u32, from: Time, to: Time, cause: Cause) {
        let Some(totals) = self.ranks.get_mut(rank as usize) else { return };
        let time = to.since(from);
        totals.spent.waited += time;
        if let Some(function) = self.function(rank) {
            function.spent.waited += time;
        }
        let sum = self.waits.entry((rank, self.homes[cause.rank as usize])).or_default();
        *sum = sum.saturating_add(time);
    }

    #[inline]
    fn received(&mut self, rank: u32, message: Passed) {
        if let Some(totals) = self.ranks.get_mut(rank as usize) {
            totals.messages += 1;
            totals.bytes = totals.bytes.saturating_add(message.bytes);
        }
    }
}
