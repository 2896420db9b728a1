//! Profile of the critical path: the time that it spends in each call, kind of state and line, and
//! between lines.

use std::collections::BTreeMap;

use panto_timeline::{ALL_TIME, Timeline};
use serde_json::{Value, json};

use super::path::PathSegment;
use super::states::kind;
use crate::error::Result;

/// Upper limit of lines listed, those with the most time.
const MAX_LINES: usize = 64;

/// Returns the profile of a path, as JSON: calls (one more than the number, kind, time), lines
/// (line, time), the time of the path on lines, and the time from its first event to its last.
pub fn profile(timeline: &Timeline, lines: u32, path: &[PathSegment]) -> Result<Value> {
    let mut by_line: Vec<Vec<&PathSegment>> = vec![Vec::new(); lines as usize];
    let mut times: BTreeMap<u32, u64> = BTreeMap::new();
    for segment in path {
        by_line[segment.line as usize].push(segment);
        *times.entry(segment.line).or_default() += segment.to - segment.from;
    }
    let mut calls: BTreeMap<(u32, usize), u64> = BTreeMap::new();
    let mut places = vec![0; lines as usize];
    for found in timeline.states_of(0..lines, &ALL_TIME) {
        let (line, state) = found?;
        let (mine, place) = (&by_line[line as usize], &mut places[line as usize]);
        let (from, to) = (state.from.as_picos(), state.to.as_picos());
        // States and segments of a line are in time order.
        while mine.get(*place).is_some_and(|segment| segment.to <= from) {
            *place += 1;
        }
        let inside = mine[*place..].iter().take_while(|segment| segment.from < to);
        let time: u64 = inside.map(|segment| to.min(segment.to).saturating_sub(from.max(segment.from))).sum();
        if time > 0 {
            let call = state.call.map_or(0, |call| call + 1);
            *calls.entry((call, kind(&state.kind))).or_default() += time;
        }
    }
    let on_lines: u64 = times.values().sum();
    let mut longest: Vec<(u32, u64)> = times.into_iter().collect();
    longest.sort_by_key(|(line, time)| (std::cmp::Reverse(*time), *line));
    longest.truncate(MAX_LINES);
    let span = path.first().zip(path.last()).map_or(0, |(first, last)| last.to.saturating_sub(first.from));
    let calls: Vec<_> = calls.into_iter().map(|((call, kind), time)| (call, kind, time)).collect();
    Ok(json!([calls, longest, on_lines, span]))
}
