//! The critical path: the chain of work and messages that determines the makespan.

use panto_units::Time;

use crate::observe::{Cause, Observer};
use crate::program::Program;

/// A wait that ended at `end`, caused by `rank` at `at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FinishedWait {
    end: Time,
    at: Time,
    rank: u32,
}

/// Keeps what ranks and helpers waited for.
#[derive(Debug, Clone)]
pub struct WaitLog {
    by_rank: Vec<Vec<FinishedWait>>,
    /// How many more waits may be kept.
    left: usize,
}

/// A part of the path: an interval on one rank; or, if it is the network's, from the previous rank
/// to this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathSegment {
    /// The rank or helper.
    pub rank: u32,
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub to: Time,
    /// Whether the network took the time.
    pub is_network: bool,
}

/// The critical path, from the start to the end without a gap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    /// Its parts, in the order of time.
    pub segments: Vec<PathSegment>,
}

impl WaitLog {
    /// Returns an empty log for a program of `codes` ranks and helpers that keeps at most
    /// `max_waits` waits.
    pub fn new(codes: usize, max_waits: usize) -> Self {
        Self { by_rank: vec![Vec::new(); codes], left: max_waits }
    }

    /// Adds the log of an observer that saw other ranks.
    pub fn merge(&mut self, other: Self) {
        let more: usize = other.by_rank.iter().map(Vec::len).sum();
        self.left = if other.left == 0 { 0 } else { self.left.saturating_sub(more) };
        for (waits, more) in self.by_rank.iter_mut().zip(other.by_rank) {
            if !more.is_empty() {
                *waits = more;
            }
        }
    }

    /// Returns the path to the end of a rank at `end`; `None` if there were too many waits to keep.
    pub fn path(&self, rank: u32, end: Time) -> Option<Path> {
        if self.left == 0 {
            return None;
        }
        let mut segments = Vec::new();
        let (mut rank, mut to) = (rank, end);
        while let Some(wait) = self.last_before(rank, to) {
            push(&mut segments, PathSegment { rank, from: wait.end, to, is_network: false });
            push(&mut segments, PathSegment { rank, from: wait.at, to: wait.end, is_network: true });
            if (wait.rank, wait.at) == (rank, to) {
                break;
            }
            (rank, to) = (wait.rank, wait.at);
        }
        push(&mut segments, PathSegment { rank, from: Time::ZERO, to, is_network: false });
        segments.reverse();
        Some(Path { segments })
    }

    fn last_before(&self, rank: u32, to: Time) -> Option<FinishedWait> {
        let waits = &self.by_rank[rank as usize];
        let count = waits.partition_point(|wait| wait.end <= to);
        waits[..count].last().copied()
    }
}

/// Appends a segment, unless it is empty.
fn push(segments: &mut Vec<PathSegment>, segment: PathSegment) {
    if segment.from < segment.to {
        segments.push(segment);
    }
}

impl Observer for WaitLog {
    #[inline]
    fn waited(&mut self, rank: u32, _from: Time, to: Time, cause: Cause) {
        if self.left > 0 {
            self.left -= 1;
            self.by_rank[rank as usize].push(FinishedWait { end: to, at: cause.at, rank: cause.rank });
        }
    }
}

impl Path {
    /// Returns the length of the path.
    pub fn time(&self) -> Time {
        self.segments.iter().fold(Time::ZERO, |sum, part| sum.saturating_add(part.to.since(part.from)))
    }

    /// Returns how many times the path changes rank. A helper counts as its rank.
    pub fn hops(&self, program: &Program) -> usize {
        let home = |segment: &PathSegment| program.home(segment.rank);
        self.segments.windows(2).filter(|pair| home(&pair[0]) != home(&pair[1])).count()
    }

    /// Returns the time of the network on the path.
    pub fn network(&self) -> Time {
        let parts = self.segments.iter().filter(|part| part.is_network);
        parts.fold(Time::ZERO, |sum, part| sum.saturating_add(part.to.since(part.from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ps(picos: u64) -> Time {
        Time::from_picos(picos)
    }

    fn wait_log(waits: &[(u32, u64, u64, u32, u64)]) -> WaitLog {
        let mut all = WaitLog::new(3, 100);
        for &(rank, from, to, cause, at) in waits {
            all.waited(rank, ps(from), ps(to), Cause { rank: cause, at: ps(at) });
        }
        all
    }

    #[test]
    fn the_path_leads_back_to_the_start() {
        // Rank 0 sends at 10; rank 1 receives at 14 and sends at 20; rank 2 receives at 25.
        let waits = wait_log(&[(1, 3, 14, 0, 10), (2, 1, 25, 1, 20)]);
        let path = waits.path(2, ps(30)).expect("kept");
        let parts: Vec<(u32, u64, u64, bool)> = path
            .segments
            .iter()
            .map(|part| (part.rank, part.from.as_picos(), part.to.as_picos(), part.is_network))
            .collect();
        let expected = [(0, 0, 10, false), (1, 10, 14, true), (1, 14, 20, false), (2, 20, 25, true)];
        assert_eq!(parts[..4], expected);
        assert_eq!(parts[4..], [(2, 25, 30, false)]);
        let program = Program { ranks: 3, ..Program::default() };
        assert_eq!((path.time(), path.network(), path.hops(&program)), (ps(30), ps(9), 2));
    }

    #[test]
    fn no_path_if_waits_were_dropped() {
        let mut waits = WaitLog::new(1, 1);
        waits.waited(0, ps(0), ps(1), Cause { rank: 0, at: ps(0) });
        assert_eq!(waits.path(0, ps(1)), None);
    }

    /// A wait with an invalid cause must not make the search endless.
    #[test]
    fn a_wait_for_itself_ends_the_walk() {
        let waits = wait_log(&[(0, 3, 5, 0, 5)]);
        assert_eq!(waits.path(0, ps(5)).expect("kept").time(), ps(5));
    }
}
