//! The critical path: what would have to be shorter for the whole to be shorter.

use panto_units::Time;

use crate::observe::{Cause, Observer};
use crate::program::Program;

/// A wait that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wait {
    end: Time,
    at: Time,
    rank: u32,
}

/// Keeps what ranks and helpers waited for.
#[derive(Debug, Clone)]
pub struct Waits {
    of: Vec<Vec<Wait>>,
    /// So many more may be kept.
    left: usize,
}

/// A part of the path: from `from` to `to` on one rank; or, if it is the network's, from the rank before to this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The rank or helper.
    pub rank: u32,
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub to: Time,
    /// Was it the network that took the time?
    pub is_network: bool,
}

/// The critical path, from the beginning to the end without a gap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    /// Its parts, in the order of time.
    pub segments: Vec<Segment>,
}

impl Waits {
    /// For so many ranks and helpers; keeps no more than so many waits.
    pub fn new(codes: usize, most: usize) -> Self {
        Self { of: vec![Vec::new(); codes], left: most }
    }

    /// Takes over what another saw, who looked at other ranks.
    pub fn merge(&mut self, other: Self) {
        let more: usize = other.of.iter().map(Vec::len).sum();
        self.left = if other.left == 0 { 0 } else { self.left.saturating_sub(more) };
        for (waits, more) in self.of.iter_mut().zip(other.of) {
            if !more.is_empty() {
                *waits = more;
            }
        }
    }

    /// The path to the end of a rank at `end`; `None` if there were too many waits to keep them all.
    pub fn path(&self, rank: u32, end: Time) -> Option<Path> {
        if self.left == 0 {
            return None;
        }
        let mut segments = Vec::new();
        let (mut rank, mut to) = (rank, end);
        while let Some(wait) = self.last_before(rank, to) {
            push(&mut segments, Segment { rank, from: wait.end, to, is_network: false });
            push(&mut segments, Segment { rank, from: wait.at, to: wait.end, is_network: true });
            if (wait.rank, wait.at) == (rank, to) {
                break;
            }
            (rank, to) = (wait.rank, wait.at);
        }
        push(&mut segments, Segment { rank, from: Time::ZERO, to, is_network: false });
        segments.reverse();
        Some(Path { segments })
    }

    fn last_before(&self, rank: u32, to: Time) -> Option<Wait> {
        let waits = &self.of[rank as usize];
        let count = waits.partition_point(|wait| wait.end <= to);
        waits[..count].last().copied()
    }
}

/// Adds a part, unless it takes no time.
fn push(segments: &mut Vec<Segment>, segment: Segment) {
    if segment.from < segment.to {
        segments.push(segment);
    }
}

impl Observer for Waits {
    #[inline]
    fn waited(&mut self, rank: u32, _from: Time, to: Time, cause: Cause) {
        if self.left > 0 {
            self.left -= 1;
            self.of[rank as usize].push(Wait { end: to, at: cause.at, rank: cause.rank });
        }
    }
}

impl Path {
    /// The time of all parts together.
    pub fn time(&self) -> Time {
        self.segments.iter().fold(Time::ZERO, |sum, part| sum.saturating_add(part.to.since(part.from)))
    }

    /// How often it goes from one rank to another; between a rank and its helper is no way.
    pub fn hops(&self, program: &Program) -> usize {
        let home = |segment: &Segment| program.home(segment.rank);
        self.segments.windows(2).filter(|pair| home(&pair[0]) != home(&pair[1])).count()
    }

    /// The time of the network.
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

    fn seen(waits: &[(u32, u64, u64, u32, u64)]) -> Waits {
        let mut all = Waits::new(3, 100);
        for &(rank, from, to, cause, at) in waits {
            all.waited(rank, ps(from), ps(to), Cause { rank: cause, at: ps(at) });
        }
        all
    }

    #[test]
    fn it_goes_back_to_the_beginning() {
        // Rank 0 sends at 10, rank 1 has it at 14 and sends at 20, rank 2 has it at 25.
        let waits = seen(&[(1, 3, 14, 0, 10), (2, 1, 25, 1, 20)]);
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
    fn too_many_waits_are_no_path() {
        let mut waits = Waits::new(1, 1);
        waits.waited(0, ps(0), ps(1), Cause { rank: 0, at: ps(0) });
        assert_eq!(waits.path(0, ps(1)), None);
    }

    /// A damaged cause must not make the walk go on for ever.
    #[test]
    fn a_wait_for_itself_ends_the_walk() {
        let waits = seen(&[(0, 3, 5, 0, 5)]);
        assert_eq!(waits.path(0, ps(5)).expect("kept").time(), ps(5));
    }
}
