//! The critical path: from the last end back along the causes of waiting.
//!
//! The last wait of a line before a moment says whose deed ended it and when, and the path goes on there. It is followed through windows of
//! time from the last to the first, so that only the waits of one window are in memory.

use panto_timeline::{Timeline, What, Window};
use panto_units::Time;

use crate::data::Progress;
use crate::error::Result;

/// About so many states in a window.
const WINDOW: u64 = 2_000_000;

/// A part of the path: a line, and from when to when. Parts are in the order of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub line: u32,
    pub from: u64,
    pub to: u64,
}

/// A wait: when it ended, and what ended it.
type Wait = (u64, u32, u64);

/// Follows the path of a timeline whose last state is of this line and ends then. Moments are since the beginning of time.
pub fn follow(timeline: &Timeline, lines: u32, last: (u32, u64), progress: &Progress) -> Result<Vec<Part>> {
    let Some(span) = timeline.span() else { return Ok(Vec::new()) };
    let (begin, end) = (span.start().as_picos(), span.end().as_picos());
    let windows = timeline.counts().0.div_ceil(WINDOW).max(1);
    let mut walk = Walk { line: last.0, at: last.1, parts: Vec::new() };
    for window in (0..windows).rev() {
        let edge =
            |window: u64| begin + (u128::from(end - begin) * u128::from(window) / u128::from(windows)) as u64;
        walk.through(&waits(timeline, lines, edge(window)..=edge(window + 1))?, edge(window));
        progress.step(timeline.counts().0 / windows)?;
    }
    walk.parts.push(Part { line: walk.line, from: begin, to: walk.at });
    walk.parts.retain(|part| part.from < part.to);
    walk.parts.reverse();
    Ok(walk.parts)
}

/// The waits of each line that ended in a window.
fn waits(timeline: &Timeline, lines: u32, window: std::ops::RangeInclusive<u64>) -> Result<Vec<Vec<Wait>>> {
    let mut waits = vec![Vec::new(); lines as usize];
    let times: Window = Time::from_picos(*window.start())..=Time::from_picos(*window.end());
    for found in timeline.states_of(0..lines, &times) {
        let (line, state) = found?;
        if let What::Wait(Some(cause)) = state.what
            && window.contains(&state.to.as_picos())
            // A wait that its own line ended, or that ended nothing, leads nowhere.
            && (cause.rank, cause.at) != (line, state.to)
        {
            waits[line as usize].push((state.to.as_picos(), cause.rank, cause.at.as_picos()));
        }
    }
    Ok(waits)
}

struct Walk {
    line: u32,
    at: u64,
    parts: Vec<Part>,
}

impl Walk {
    /// Goes back as far as the waits of a window lead.
    fn through(&mut self, waits: &[Vec<Wait>], begin: u64) {
        let mut left: Vec<usize> = waits.iter().map(Vec::len).collect();
        while self.at > begin {
            let Some(mine) = waits.get(self.line as usize) else { return };
            let ended = left[self.line as usize].min(mine.partition_point(|wait| wait.0 <= self.at));
            let Some(&(end, line, at)) = ended.checked_sub(1).map(|last| &mine[last]) else { return };
            // Each wait counts once, and the path never goes forward: clocks may disagree, and this must end.
            left[self.line as usize] = ended - 1;
            self.parts.push(Part { line: self.line, from: end, to: self.at });
            (self.line, self.at) = (line, at.min(end));
        }
    }
}

/// The parts that touch a window, or of many only some: for each bin the first, and those of the lowest and the highest line.
///
/// Answers also whether these are all.
pub fn thin(parts: &[Part], from: u64, level: u32, bins: u64, most: usize) -> (Vec<Part>, bool) {
    let to = from.saturating_add(super::states::shifted(bins, level).unwrap_or(u64::MAX));
    let first = parts.partition_point(|part| part.to < from);
    let seen = &parts[first..first + parts[first..].partition_point(|part| part.from <= to)];
    if seen.len() <= most {
        return (seen.to_vec(), true);
    }
    let bin = |part: &Part| part.from.saturating_sub(from) >> level;
    let mut kept = Vec::new();
    for group in seen.chunk_by(|one, next| bin(one) == bin(next)) {
        let lowest = group.iter().min_by_key(|part| part.line);
        let highest = group.iter().max_by_key(|part| part.line);
        let mut some: Vec<&Part> = group.first().into_iter().chain(lowest).chain(highest).collect();
        some.sort_by_key(|part| part.from);
        some.dedup();
        kept.extend(some.into_iter().copied());
    }
    (kept, false)
}
