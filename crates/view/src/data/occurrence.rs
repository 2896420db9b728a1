//! Occurrences of a kind of state in a call, numbered in time order, so that a reader can step from
//! one to the next.
//!
//! The overview counts how many begin in each of a few thousand bins. These counts locate the bin
//! of the k-th occurrence, and only that bin is read.

use panto_timeline::{State, Timeline, Window};
use panto_units::Time;
use serde_json::{Value, json};

use super::overview::Overview;
use super::states::kind;
use crate::error::Result;

/// Upper limit of bins in which occurrences are counted.
const BINS: u64 = 4096;
/// Upper limit of (call, kind) pairs that are counted. No real program has as many; a malicious
/// file may.
const MAX_COUNTED: usize = 512;

/// Selects an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selector {
    /// The occurrence with this number, counted from 0.
    Number(u64),
    /// The first occurrence that begins at this time on this line, or later.
    From {
        /// A rank or helper.
        line: u32,
        /// Picoseconds since the start of the timeline.
        at: u64,
    },
}

/// Division of time into bins.
#[derive(Debug, Clone, Copy)]
pub struct Bins {
    shift: u32,
    bins: usize,
}

impl Bins {
    /// Returns the bins of a timeline of `span` picoseconds.
    pub fn new(span: u64) -> Self {
        let mut shift = 0;
        while span >> shift >= BINS {
            shift += 1;
        }
        Self { shift, bins: (span >> shift) as usize + 1 }
    }

    /// Returns zero counts for the next (call, kind) pair after `others` others; empty if there are
    /// too many pairs.
    pub fn empty(self, others: usize) -> Vec<u32> {
        if others < MAX_COUNTED { vec![0; self.bins] } else { Vec::new() }
    }

    /// Counts an occurrence that begins at `from`.
    #[inline]
    pub fn add(self, counts: &mut [u32], from: u64) {
        if let Some(count) = counts.get_mut((from >> self.shift) as usize) {
            *count += 1;
        }
    }
}

/// Position of an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    from: u64,
    line: u32,
    to: u64,
}

/// What occurrences are searched in.
pub struct Source<'a> {
    pub timeline: &'a Timeline,
    pub overview: &'a Overview,
    pub lines: u32,
    pub origin: u64,
}

impl Source<'_> {
    /// Returns an occurrence as JSON: number, line, begin and end; `None` if it does not exist.
    pub fn find(&self, pair: (u32, usize), which: Selector) -> Result<Option<Value>> {
        let (calls, shift) = (&self.overview.totals.calls, self.overview.bins.shift);
        let Some(counts) = calls.get(&pair).map(|sum| sum.starts.as_slice()) else { return Ok(None) };
        let mut bin = match which {
            Selector::Number(number) => bin_of(counts, number),
            Selector::From { at, .. } => usize::try_from(at >> shift).unwrap_or(usize::MAX),
        };
        while let Some(count) = counts.get(bin) {
            if *count > 0 {
                let before: u64 = counts[..bin].iter().map(|count| u64::from(*count)).sum();
                let found = self.begun(pair, (bin as u64) << shift, shift)?;
                let place = match which {
                    Selector::Number(number) => number.saturating_sub(before) as usize,
                    Selector::From { line, at } => {
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

    /// Returns all occurrences that begin in a bin of 2^shift picoseconds, in time order.
    fn begun(&self, (call, wanted): (u32, usize), base: u64, shift: u32) -> Result<Vec<Found>> {
        let since = |time: Time| time.as_picos().saturating_sub(self.origin);
        let mut all = Vec::new();
        for found in self.timeline.states_of(0..self.lines, &self.window(base, shift)) {
            let (line, state): (u32, State) = found?;
            let [from, to] = [state.from, state.to].map(since);
            let is_wanted = state.call.map_or(0, |call| call + 1) == call && kind(&state.kind) == wanted;
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

/// Returns the bin in which the occurrence with this number begins; the number of bins if there is
/// none.
fn bin_of(counts: &[u32], number: u64) -> usize {
    let mut all = 0;
    let ends = counts.iter().map(|count| {
        all += u64::from(*count);
        all
    });
    ends.take_while(|end| *end <= number).count()
}
