//! The time of each rank and of each function.

use std::cmp::Reverse;

use panto_units::Time;
use rustc_hash::FxHashMap;

use super::TimeBreakdown;
use super::waits::Waits;
use crate::network::PacketCounts;
use crate::observe::{Activity, Cause, Observer, ReceivedMessage};
use crate::program::Program;

/// The totals of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RankTotals {
    /// Its time, by what it did.
    pub spent: TimeBreakdown,
    /// Messages that it received.
    pub messages: u64,
    /// Bytes that it received.
    pub bytes: u64,
}

/// The totals of a function over all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallTotals {
    /// How many times it was called.
    pub calls: u64,
    /// Its time, by what was done; the computation before a call does not count.
    pub spent: TimeBreakdown,
}

impl CallTotals {
    fn add(&mut self, more: &Self) {
        self.calls += more.calls;
        self.spent.merge(&more.spent);
    }
}

/// Adds up what ranks do. Helpers run concurrently with their ranks and are not counted.
#[derive(Debug, Clone)]
pub struct Totals {
    ranks: Vec<RankTotals>,
    calls: Vec<CallTotals>,
    /// The function that each rank is in.
    current_call: Vec<u32>,
    /// For each rank and helper, the rank that it belongs to.
    homes: Vec<u32>,
    /// How long each rank waited for each other rank.
    waits: Waits,
    packets: PacketCounts,
}

/// No call yet.
const NONE: u32 = u32::MAX;

impl Totals {
    /// Returns empty totals for a program.
    pub fn new(program: &Program) -> Self {
        let ranks = program.ranks as usize;
        Self {
            ranks: vec![RankTotals::default(); ranks],
            calls: vec![CallTotals::default(); program.calls.len()],
            current_call: vec![NONE; ranks],
            homes: (0..program.codes.len() as u32).map(|code| program.home(code)).collect(),
            waits: Waits::new(program.ranks),
            packets: PacketCounts::default(),
        }
    }

    /// Returns the totals of each rank.
    pub fn ranks(&self) -> &[RankTotals] {
        &self.ranks
    }

    /// Returns how many packets arrived on random routes; none on networks without them.
    pub fn packets(&self) -> PacketCounts {
        self.packets
    }

    /// Returns the totals of each function, by its number in the program.
    pub fn calls(&self) -> &[CallTotals] {
        &self.calls
    }

    /// Returns the totals of each function of the program, with those of all its call sites.
    pub fn by_function<'p>(&self, program: &'p Program) -> Vec<(&'p str, CallTotals)> {
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        let mut all: Vec<(&str, CallTotals)> = Vec::new();
        for (name, totals) in program.calls.iter().zip(&self.calls) {
            let place = *places.entry(name).or_insert(all.len());
            match all.get_mut(place) {
                Some((_, sum)) => sum.add(totals),
                None => all.push((name, *totals)),
            }
        }
        all
    }

    /// Returns how long each rank waited for each other rank, as (rank, peer, time), the longest
    /// first.
    pub fn waits(&self) -> Vec<(u32, u32, Time)> {
        let mut waits: Vec<_> = self.waits.iter().collect();
        waits.sort_unstable_by_key(|&(rank, peer, time)| (Reverse(time), rank, peer));
        waits
    }

    /// Returns the first of [`waits`](Self::waits), without sorting them.
    pub fn longest_wait(&self) -> Option<(u32, u32, Time)> {
        self.waits.iter().min_by_key(|&(rank, peer, time)| (Reverse(time), rank, peer))
    }

    /// Returns the time of all ranks together.
    pub fn spent(&self) -> TimeBreakdown {
        let mut all = TimeBreakdown::default();
        self.ranks.iter().for_each(|rank| all.merge(&rank.spent));
        all
    }

    /// Adds what an observer saw of other ranks.
    pub fn merge(&mut self, other: &Self) {
        for (rank, more) in self.ranks.iter_mut().zip(&other.ranks) {
            rank.spent.merge(&more.spent);
            rank.messages += more.messages;
            rank.bytes = rank.bytes.saturating_add(more.bytes);
        }
        for (call, more) in self.calls.iter_mut().zip(&other.calls) {
            call.add(more);
        }
        self.packets.merge(other.packets);
        for (rank, peer, time) in other.waits.iter() {
            self.waits.add(rank, peer, time);
        }
    }

    /// Returns the totals of the function that a rank is in.
    #[inline]
    fn function(&mut self, rank: u32) -> Option<&mut CallTotals> {
        let current_call = *self.current_call.get(rank as usize)?;
        self.calls.get_mut(current_call as usize)
    }
}

impl Observer for Totals {
    fn ended(&mut self, packets: PacketCounts) {
        self.packets.merge(packets);
    }

    #[inline]
    fn call(&mut self, rank: u32, call: u32, _at: Time) {
        if let Some(current_call) = self.current_call.get_mut(rank as usize) {
            *current_call = call;
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
        self.waits.add(rank, self.homes[cause.rank as usize], time);
    }

    #[inline]
    fn received(&mut self, rank: u32, message: ReceivedMessage) {
        if let Some(totals) = self.ranks.get_mut(rank as usize) {
            totals.messages += 1;
            totals.bytes = totals.bytes.saturating_add(message.bytes);
        }
    }
}
