//! Critical path: from the last event back along the causes of waits.
//!
//! The last wait of a line before a time names the rank whose operation ended it and when; the path
//! continues there. It is followed through windows of time from the last to the first, so that only
//! the waits of one window are in memory.

use panto_timeline::{StateKind, Timeline, Window};
use panto_units::Time;

use crate::data::Progress;
use crate::error::Result;

/// Approximate number of states per window.
const WINDOW: u64 = 2_000_000;

/// A segment of the path: a line and an interval, in picoseconds. Segments are in time order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathSegment {
    pub line: u32,
    pub from: u64,
    pub to: u64,
}

/// A wait: its end, and line and time of its cause.
type Wait = (u64, u32, u64);

/// Returns the critical path of a timeline whose last state is on line `last.0` and ends at
/// `last.1`, in absolute picoseconds.
pub fn follow(
    timeline: &Timeline,
    lines: u32,
    last: (u32, u64),
    progress: &Progress,
) -> Result<Vec<PathSegment>> {
    let Some(span) = timeline.span() else { return Ok(Vec::new()) };
    let (begin, end) = (span.start().as_picos(), span.end().as_picos());
    let windows = timeline.counts().0.div_ceil(WINDOW).max(1);
    let mut walk = PathWalk { line: last.0, at: last.1, segments: Vec::new() };
    for window in (0..windows).rev() {
        let edge =
            |window: u64| begin + (u128::from(end - begin) * u128::from(window) / u128::from(windows)) as u64;
        walk.follow_window(&waits(timeline, lines, edge(window)..=edge(window + 1))?, edge(window));
        progress.step(timeline.counts().0 / windows)?;
    }
    walk.segments.push(PathSegment { line: walk.line, from: begin, to: walk.at });
    walk.segments.retain(|segment| segment.from < segment.to);
    walk.segments.reverse();
    Ok(walk.segments)
}

/// Returns the waits of each line that end in a window.
fn waits(timeline: &Timeline, lines: u32, window: std::ops::RangeInclusive<u64>) -> Result<Vec<Vec<Wait>>> {
    let mut waits = vec![Vec::new(); lines as usize];
    let times: Window = Time::from_picos(*window.start())..=Time::from_picos(*window.end());
    for found in timeline.states_of(0..lines, &times) {
        let (line, state) = found?;
        if let StateKind::Wait(Some(cause)) = state.kind
            && window.contains(&state.to.as_picos())
            // A wait that its own line ended at the same time leads nowhere.
            && (cause.rank, cause.at) != (line, state.to)
        {
            waits[line as usize].push((state.to.as_picos(), cause.rank, cause.at.as_picos()));
        }
    }
    Ok(waits)
}

struct PathWalk {
    line: u32,
    at: u64,
    segments: Vec<PathSegment>,
}

impl PathWalk {
    /// Follows the path back as far as the waits of a window lead.
    fn follow_window(&mut self, waits: &[Vec<Wait>], begin: u64) {
        let mut left: Vec<usize> = waits.iter().map(Vec::len).collect();
        while self.at > begin {
            let Some(mine) = waits.get(self.line as usize) else { return };
            let ended = left[self.line as usize].min(mine.partition_point(|wait| wait.0 <= self.at));
            let Some(&(end, line, at)) = ended.checked_sub(1).map(|last| &mine[last]) else { return };
            // Each wait is used once and the path never moves forward, so this terminates even if
            // clocks disagree.
            left[self.line as usize] = ended - 1;
            self.segments.push(PathSegment { line: self.line, from: end, to: self.at });
            (self.line, self.at) = (line, at.min(end));
        }
    }
}

/// Returns the segments that overlap a window; if there are more than `most`, only some: for each
/// bin the first, and those of the lowest and the highest line. The flag tells whether these are
/// all.
pub fn thin(
    segments: &[PathSegment],
    from: u64,
    level: u32,
    bins: u64,
    most: usize,
) -> (Vec<PathSegment>, bool) {
    let to = from.saturating_add(super::states::shifted(bins, level).unwrap_or(u64::MAX));
    let first = segments.partition_point(|segment| segment.to < from);
    let seen = &segments[first..first + segments[first..].partition_point(|segment| segment.from <= to)];
    if seen.len() <= most {
        return (seen.to_vec(), true);
    }
    let bin = |segment: &PathSegment| segment.from.saturating_sub(from) >> level;
    let mut kept = Vec::new();
    for group in seen.chunk_by(|one, next| bin(one) == bin(next)) {
        let lowest = group.iter().min_by_key(|segment| segment.line);
        let highest = group.iter().max_by_key(|segment| segment.line);
        let mut some: Vec<&PathSegment> = group.first().into_iter().chain(lowest).chain(highest).collect();
        some.sort_by_key(|segment| segment.from);
        some.dedup();
        kept.extend(some.into_iter().copied());
    }
    (kept, false)
}
