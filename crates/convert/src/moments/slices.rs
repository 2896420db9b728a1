//! Slices of time, as wide as fits into memory.

use panto_timeline::Timeline;
use panto_units::Time;

use super::Slice;
use crate::error::Result;

/// So many things that happened are kept in memory, about 60 bytes each.
pub const MOST: usize = 1 << 20;

/// A timeline, slice by slice.
pub struct Slices<'a> {
    timeline: &'a Timeline,
    slice: Slice,
    /// Where the next one begins, and where the last one ends.
    left: Option<(u64, u64)>,
    /// How much time one has, in picoseconds.
    width: u64,
    most: usize,
}

impl<'a> Slices<'a> {
    /// Slices with at most so many things in them, unless more than that happened at one moment.
    pub fn new(timeline: &'a Timeline, most: usize) -> Self {
        let about = timeline.about();
        let left = timeline.span().map(|span| (span.start().as_picos(), span.end().as_picos()));
        let (states, messages) = timeline.counts();
        // A state has a beginning and an end, and often so has its call.
        let slices = (4 * states + 2 * messages) / most as u64 + 1;
        let width = left.map_or(1, |(first, last)| (last - first) / slices + 1);
        let slice = Slice::new(about.ranks as usize + about.helps.len());
        Self { timeline, slice, left, width, most }
    }

    /// The next slice; none after the last.
    pub fn advance(&mut self) -> Result<Option<&Slice>> {
        let Some((first, end)) = self.left else { return Ok(None) };
        let last = loop {
            let last = first.saturating_add(self.width - 1).min(end);
            let most = if first == last { usize::MAX } else { self.most };
            let span = [first, last].map(Time::from_picos);
            if self.slice.read(self.timeline, span[0], span[1], most)? {
                break last;
            }
            self.width = (self.width / 2).max(1);
        };
        if self.slice.len() < self.most / 3 {
            self.width = self.width.saturating_mul(2);
        }
        self.left = (last < end).then(|| (last + 1, end));
        Ok(Some(&self.slice))
    }
}
