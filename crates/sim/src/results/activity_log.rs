//! What ranks did and what they waited for, kept for the critical path.
//!
//! A log is one sequence of 64-bit words, in the order in which the simulation reports: writing
//! there is fast whatever the number of ranks, which a list for each rank would not be. What one
//! rank reports without another in between is a *run*. A run begins with the end of the rank's run
//! before, so a rank's history can be read backwards, from its end to its start:
//!
//! ```text
//! run    index of the end of the rank's previous run | RUN
//! work   picoseconds | function | activity
//! wait   when it began, when its cause acted, the rank of the cause | WAIT   (3 words)
//! ```
//!
//! The kind of an entry is in the lowest bits of its last word.

use panto_memory::HugeVec;
use panto_units::Time;

use super::critical_path::{CriticalPath, PathFinder};
use crate::observe::{Activity, Cause, Observer};
use crate::program::Program;

/// Bits of the kind of an entry.
const KIND_BITS: u32 = 3;
const KIND: u64 = (1 << KIND_BITS) - 1;
/// Work about which nothing is known.
const UNKNOWN: u64 = 5;
/// A wait.
const WAIT: u64 = 6;
/// The beginning of a run.
const RUN: u64 = 7;
/// Activities, by their kinds.
const ACTIVITIES: [Activity; 4] = [Activity::Compute, Activity::Message, Activity::Combine, Activity::Access];

/// Bits of a function.
const CALL_BITS: u32 = 18;
/// The function of work outside of functions.
const NO_CALL: u32 = (1 << CALL_BITS) - 1;
/// Bits below the time of work.
const WORK_BITS: u32 = KIND_BITS + CALL_BITS;
/// The longest time of one work, 8.8 s: longer work is several entries.
const MAX_TIME: u64 = (1 << (u64::BITS - WORK_BITS)) - 1;

/// Log2 of the number of words of a chunk: 2 MiB, a huge page.
const CHUNK_BITS: u32 = 18;

/// No rank.
const NONE: u32 = u32::MAX;

/// An entry of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// Work, in an activity and a function if they are known.
    Work { activity: Option<Activity>, call: Option<u32>, time: Time },
    /// A wait that began at `from` and was caused by `cause`.
    Wait { from: Time, cause: Cause },
}

/// Words, in chunks: a sequence that grows without being copied.
#[derive(Debug, Default)]
struct Words {
    full: Vec<HugeVec<u64>>,
    last: HugeVec<u64>,
}

impl Words {
    fn len(&self) -> usize {
        (self.full.len() << CHUNK_BITS) + self.last.len()
    }

    #[inline]
    fn push(&mut self, word: u64) {
        if self.last.len() == 1 << CHUNK_BITS {
            let next = HugeVec::with_capacity(1 << CHUNK_BITS);
            self.full.push(std::mem::replace(&mut self.last, next));
        }
        self.last.push(word);
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        let chunk = self.full.get(index >> CHUNK_BITS).unwrap_or(&self.last);
        chunk[index & ((1 << CHUNK_BITS) - 1)]
    }
}

/// What is known of a rank or helper besides its entries.
#[derive(Debug, Clone, Copy)]
struct RankState {
    /// Until when it is known what the rank did.
    end: Time,
    /// The index after its last run.
    last_run: u32,
    /// The function that it is in.
    call: u32,
}

/// Keeps what ranks and helpers did and waited for, as the critical path needs it.
///
/// *Memory*: 8 bytes for consecutive work of one kind (an activity in a function), 24 for a wait
/// and 8 for a change of rank, up to a limit; beyond it nothing is kept, and there is no path.
#[derive(Debug)]
pub struct ActivityLog {
    words: Words,
    /// The most words.
    limit: usize,
    ranks: Vec<RankState>,
    /// The rank whose run is being written; [`NONE`] if there is none.
    current: u32,
    /// The logs of observers that saw other ranks.
    others: Vec<Self>,
}

impl ActivityLog {
    /// Returns an empty log for a program of `codes` ranks and helpers that takes at most
    /// `max_bytes` bytes.
    pub fn new(codes: usize, max_bytes: usize) -> Self {
        let state = RankState { end: Time::ZERO, last_run: 0, call: NO_CALL };
        let limit = (max_bytes / size_of::<u64>()).min(u32::MAX as usize);
        let ranks = vec![state; codes];
        Self { words: Words::default(), limit, ranks, current: NONE, others: Vec::new() }
    }

    /// Adds the log of an observer that saw other ranks.
    pub fn merge(&mut self, mut other: Self) {
        self.others.append(&mut other.others);
        self.others.push(other);
    }

    /// Returns the path to the end of a rank at `end`; `None` if there was too much to keep.
    pub fn critical_path(&self, program: &Program, rank: u32, end: Time) -> Option<CriticalPath> {
        let is_complete = self.parts().all(|part| part.words.len() < part.limit);
        is_complete.then(|| PathFinder::new(program, self).find(rank, end))
    }

    /// Returns this log and those that were added.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// Returns readers of all ranks and helpers.
    pub(super) fn histories(&self) -> Vec<History<'_>> {
        let history = |rank: usize| {
            let part = self.parts().find(|part| part.ranks[rank].end > Time::ZERO).unwrap_or(self);
            let is_current = part.current as usize == rank;
            let end = if is_current { part.words.len() } else { part.ranks[rank].last_run as usize };
            History { words: &part.words, index: end, at: part.ranks[rank].end }
        };
        (0..self.ranks.len()).map(history).collect()
    }

    #[inline]
    fn push(&mut self, word: u64) {
        if self.words.len() < self.limit {
            self.words.push(word);
        }
    }

    /// Begins a run of a rank, unless its run is being written.
    #[inline]
    fn begin_run(&mut self, rank: u32) {
        if self.current != rank {
            self.change_run(rank);
        }
    }

    fn change_run(&mut self, rank: u32) {
        if let Some(current) = self.ranks.get_mut(self.current as usize) {
            current.last_run = self.words.len() as u32;
        }
        self.current = rank;
        self.push(u64::from(self.ranks[rank as usize].last_run) << KIND_BITS | RUN);
    }

    /// Reports that nothing is known up to `from`.
    #[cold]
    fn fill(&mut self, rank: u32, from: Time) {
        let time = from.since(self.ranks[rank as usize].end).as_picos();
        self.push_work(u64::from(NO_CALL) << KIND_BITS | UNKNOWN, time);
    }

    #[inline]
    fn push_work(&mut self, kind: u64, mut time: u64) {
        while time > MAX_TIME {
            self.push(MAX_TIME << WORK_BITS | kind);
            time -= MAX_TIME;
        }
        self.push(time << WORK_BITS | kind);
    }
}

impl Observer for ActivityLog {
    #[inline]
    fn call(&mut self, rank: u32, call: u32, _at: Time) {
        self.ranks[rank as usize].call = call.min(NO_CALL);
    }

    #[inline]
    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        self.begin_run(rank);
        if self.ranks[rank as usize].end != from {
            self.fill(rank, from);
        }
        let state = &mut self.ranks[rank as usize];
        state.end = to;
        let call = if activity == Activity::Compute { NO_CALL } else { state.call };
        let kind = u64::from(call) << KIND_BITS | activity as u64;
        let time = to.since(from).as_picos();
        match self.words.last.last_mut() {
            Some(last)
                if *last & ((1 << WORK_BITS) - 1) == kind && (*last >> WORK_BITS) + time <= MAX_TIME =>
            {
                *last += time << WORK_BITS;
            }
            _ => self.push_work(kind, time),
        }
    }

    #[inline]
    fn waited(&mut self, rank: u32, from: Time, to: Time, cause: Cause) {
        self.begin_run(rank);
        if self.ranks[rank as usize].end != from {
            self.fill(rank, from);
        }
        self.ranks[rank as usize].end = to;
        self.push(from.as_picos());
        self.push(cause.at.as_picos());
        self.push(u64::from(cause.rank) << KIND_BITS | WAIT);
    }
}

/// The history of a rank, read backwards.
#[derive(Debug, Clone)]
pub(super) struct History<'a> {
    words: &'a Words,
    /// The index after the last entry that was not read.
    index: usize,
    /// The end of that entry.
    at: Time,
}

impl History<'_> {
    /// Returns the end of the entry that comes next.
    pub(super) fn at(&self) -> Time {
        self.at
    }

    /// Returns the last entry that was not read, without its beginning.
    pub(super) fn next(&mut self) -> Option<Entry> {
        let mut word = self.words.get(self.index.checked_sub(1)?);
        while word & KIND == RUN {
            self.index = (word >> KIND_BITS) as usize;
            word = self.words.get(self.index.checked_sub(1)?);
        }
        let number = word >> KIND_BITS;
        if word & KIND == WAIT {
            let (from, at) = (self.words.get(self.index - 3), self.words.get(self.index - 2));
            let (from, at) = (Time::from_picos(from), Time::from_picos(at));
            (self.index, self.at) = (self.index - 3, from);
            return Some(Entry::Wait { from, cause: Cause { rank: number as u32, at } });
        }
        let time = Time::from_picos(word >> WORK_BITS);
        let call = number as u32 & NO_CALL;
        (self.index, self.at) = (self.index - 1, self.at.since(time));
        Some(Entry::Work {
            activity: ACTIVITIES.get((word & KIND) as usize).copied(),
            call: (call != NO_CALL).then_some(call),
            time,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ps(picos: u64) -> Time {
        Time::from_picos(picos)
    }

    /// Work of (rank, from, to) and waits of (rank, from, to, cause, at).
    #[derive(Clone, Copy)]
    enum Seen {
        Work(u32, u64, u64),
        Wait(u32, u64, u64, u32, u64),
    }

    fn log<'a>(seen: impl IntoIterator<Item = &'a Seen>, max_bytes: usize) -> ActivityLog {
        let mut log = ActivityLog::new(3, max_bytes);
        for seen in seen {
            match *seen {
                Seen::Work(rank, from, to) => log.worked(rank, Activity::Compute, ps(from), ps(to)),
                Seen::Wait(rank, from, to, cause, at) => {
                    log.waited(rank, ps(from), ps(to), Cause { rank: cause, at: ps(at) });
                }
            }
        }
        log
    }

    fn path(log: &ActivityLog, rank: u32, end: u64) -> Option<CriticalPath> {
        log.critical_path(&Program { ranks: 3, ..Program::default() }, rank, ps(end))
    }

    /// Rank 0 sends at 10; rank 1 receives at 14 and sends at 20; rank 2 receives at 25.
    const CHAIN: [Seen; 9] = [
        Seen::Work(1, 0, 3),
        Seen::Work(2, 0, 1),
        Seen::Work(0, 0, 10),
        Seen::Wait(1, 3, 14, 0, 10),
        Seen::Work(1, 14, 20),
        Seen::Work(0, 10, 12),
        Seen::Work(1, 20, 21),
        Seen::Wait(2, 1, 25, 1, 20),
        Seen::Work(2, 25, 30),
    ];

    fn check_chain(path: &CriticalPath) {
        assert_eq!((path.network, path.hops), (ps(9), 2));
        let shares: Vec<(u32, u64)> =
            path.shares.iter().map(|share| (share.rank, share.time.as_picos())).collect();
        assert_eq!(shares, [(0, 10), (1, 6), (2, 5)]);
    }

    #[test]
    fn the_path_leads_back_to_the_start() {
        check_chain(&path(&log(&CHAIN, 1 << 10), 2, 30).expect("kept"));
    }

    #[test]
    fn observers_of_different_ranks_are_merged() {
        let of = |rank: u32| {
            let is_of = move |seen: &&Seen| match seen {
                Seen::Work(of, ..) | Seen::Wait(of, ..) => *of == rank,
            };
            log(CHAIN.iter().filter(is_of), 1 << 10)
        };
        let mut all = of(1);
        all.merge(of(2));
        all.merge(of(0));
        check_chain(&path(&all, 2, 30).expect("kept"));
    }

    #[test]
    fn no_path_if_memory_ran_out() {
        let seen = [Seen::Wait(0, 0, 1, 0, 0)];
        assert!(path(&log(&seen, 32), 0, 1).is_none());
        assert!(path(&log(&seen, 40), 0, 1).is_some());
    }

    #[test]
    fn a_rank_may_wait_for_its_own_port() {
        let seen = [Seen::Work(0, 0, 3), Seen::Wait(0, 3, 5, 0, 5), Seen::Work(0, 5, 6)];
        let path = path(&log(&seen, 1 << 10), 0, 6).expect("kept");
        assert_eq!((path.network, path.shares[0].time), (ps(2), ps(4)));
    }

    #[test]
    fn long_work_is_kept_in_parts_and_adds_up() {
        let seen = [Seen::Work(0, 0, 3 * MAX_TIME + 7), Seen::Work(0, 3 * MAX_TIME + 7, 4 * MAX_TIME)];
        let path = path(&log(&seen, 1 << 10), 0, 4 * MAX_TIME).expect("kept");
        assert_eq!(path.shares[0].time, ps(4 * MAX_TIME));
    }
}
