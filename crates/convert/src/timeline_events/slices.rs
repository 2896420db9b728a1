//! Splits a timeline into slices of time whose events fit into memory.

use panto_timeline::Timeline;
use panto_units::Time;

use super::Slice;
use crate::error::Result;

/// Events kept in memory at once, about 60 bytes each: 63 MB.
pub const MAX_EVENTS: usize = 1 << 20;

/// Cursor over the slices of a timeline.
pub struct Slices<'a> {
    timeline: &'a Timeline,
    slice: Slice,
    /// Start of the next slice and end of the timeline, in picoseconds.
    left: Option<(u64, u64)>,
    /// Width of a slice, in picoseconds; adapts to the density of events.
    width: u64,
    most: usize,
}

impl<'a> Slices<'a> {
    /// Slices of at most `most` events, unless a single instant has more.
    pub fn new(timeline: &'a Timeline, most: usize) -> Self {
        let about = timeline.about();
        let left = timeline.span().map(|span| (span.start().as_picos(), span.end().as_picos()));
        let (states, messages) = timeline.counts();
        // A state has a start and an end, and often so has its call.
        let slices = (4 * states + 2 * messages) / most as u64 + 1;
        let width = left.map_or(1, |(first, last)| (last - first) / slices + 1);
        let slice = Slice::new(about.ranks as usize + about.helper_ranks.len());
        Self { timeline, slice, left, width, most }
    }

    /// Reads the next slice; `None` after the last.
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
