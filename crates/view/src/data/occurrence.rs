//! Occurrences of a kind of states in a call, by their number in the order of time, so that a reader can go from one to the next.
//!
//! The overview counts how many begin in each of some thousand bins. That tells in which bin the k-th is, and only that is read.

use panto_timeline::{State, Timeline, Window};
use panto_units::Time;
use serde_json::{Value, json};

use super::overview::Overview;
use super::states::kind;
use crate::error::Result;

/// The most bins in which occurrences are counted.
const BINS: u64 = 4096;
/// The most pairs of a call and a kind that are counted. No program has so many; a hostile file may.
const MOST_COUNTED: usize = 512;

/// Which occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The one with this number, counted from 0 on.
    Number(u64),
    /// The first one that begins at this moment on this line, or later.
    From {
        /// A rank or helper.
        line: u32,
        /// Since the beginning of the timeline.
        at: u64,
    },
}

/// The bins in which occurrences are counted.
#[derive(Debug, Clone, Copy)]
pub struct Bins {
    shift: u32,
    bins: usize,
}

impl Bins {
    /// Those of a timeline that is so long.
    pub fn new(span: u64) -> Self {
        let mut shift = 0;
        while span >> shift >= BINS {
            shift += 1;
        }
        Self { shift, bins: (span >> shift) as usize + 1 }
    }

    /// None begins yet of the pair of a call and a kind after so many others. Empty if there are too many pairs.
    pub fn empty(self, others: usize) -> Vec<u32> {
        if others < MOST_COUNTED { vec![0; self.bins] } else { Vec::new() }
    }

    /// One begins at this moment.
    #[inline]
    pub fn add(self, counts: &mut [u32], from: u64) {
        if let Some(count) = counts.get_mut((from >> self.shift) as usize) {
            *count += 1;
        }
    }
}

/// Where an occurrence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    from: u64,
    line: u32,
    to: u64,
}

/// What occurrences are looked for in.
pub struct Source<'a> {
    pub timeline: &'a Timeline,
    pub overview: &'a Overview,
    pub lines: u32,
    pub origin: u64,
}

impl Source<'_> {
    /// An occurrence, as JSON: its number, line, beginning and end; none if there is no such one.
    pub fn find(&self, pair: (u32, usize), which: Which) -> Result<Option<Value>> {
        let (Overview { calls, .. }, shift) = (self.overview, self.overview.bins.shift);
        let Some(counts) = calls.get(&pair).map(|sum| sum.begun.as_slice()) else { return Ok(None) };
        let mut bin = match which {
            Which::Number(number) => bin_of(counts, number),
            Which::From { at, .. } => usize::try_from(at >> shift).unwrap_or(usize::MAX),
        };
        while let Some(count) = counts.get(bin) {
            if *count > 0 {
                let before: u64 = counts[..bin].iter().map(|count| u64::from(*count)).sum();
                let found = self.begun(pair, (bin as u64) << shift, shift)?;
                let place = match which {
                    Which::Number(number) => number.saturating_sub(before) as usize,
                    Which::From { line, at } => {
                        found.partition_point(|each| (each.from, each.line) < (at, line))
                    }
                };
                if let Some(Found { from, line, to }) = found.get(place) {
                    return Ok(Some(json!([before + place as u64, line, from, to])));
                }
            }
            bin += 1;
        }
        Ok(None)
    }

    /// All that begin in a bin of 2^shift picoseconds, in the order of time.
    fn begun(&self, (call, wanted): (u32, usize), base: u64, shift: u32) -> Result<Vec<Found>> {
        let since = |time: Time| time.as_picos().saturating_sub(self.origin);
        let mut all = Vec::new();
        for found in self.timeline.states_of(0..self.lines, &self.window(base, shift)) {
            let (line, state): (u32, State) = found?;
            let [from, to] = [state.from, state.to].map(since);
            let is_wanted = state.call.map_or(0, |call| call + 1) == call && kind(&state.what) == wanted;
            if is_wanted && from >> shift == base >> shift {
                all.push(Found { from, line, to });
            }
        }
        all.sort_unstable();
        Ok(all)
    }

    fn window(&self, base: u64, shift: u32) -> Window {
        let from = self.origin.saturating_add(base);
        Time::from_picos(from)..=Time::from_picos(from.saturating_add(1 << shift))
    }
}

/// The bin in which the one with this number begins, or the number of bins if there are not so many.
fn bin_of(counts: &[u32], number: u64) -> usize {
    let mut all = 0;
    let ends = counts.iter().map(|count| {
        all += u64::from(*count);
        all
    });
    ends.take_while(|end| *end <= number).count()
}
