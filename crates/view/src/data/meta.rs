//! What the page must know of a timeline before it asks for tiles.

use serde_json::{Value, json};

use super::View;
use super::grid::whole;
use super::layout::{BIN_BITS, BINS, Bytes, ROWS};
use super::overview::Line;
use super::topology;

/// The most names of calls or lanes, and facts, that are told. No program has so many; a hostile file may.
const MOST_NAMES: usize = 100_000;
/// The most helpers whose ranks are told.
const MOST_HELPERS: usize = 1 << 20;

/// Names, counts and sums.
pub fn meta(view: &View) -> Value {
    let (timeline, overview) = (&view.timeline, &view.overview);
    let about = timeline.about();
    let (states, messages) = timeline.counts();
    let calls: Vec<Value> = overview
        .calls
        .iter()
        .map(|((call, kind), sum)| {
            json!([call, kind, sum.count, sum.time, sum.longest, sum.place.0, sum.place.1])
        })
        .collect();
    let path: u64 = overview.path.iter().map(|part| part.to - part.from).sum();
    json!({
        "name": view.name,
        "ranks": timeline.ranks(),
        "lines": view.lines,
        "helps": about.helps.iter().take(MOST_HELPERS).collect::<Vec<_>>(),
        "facts": about.facts.iter().take(MOST_NAMES).collect::<Vec<_>>(),
        "calls": about.calls.iter().take(MOST_NAMES).collect::<Vec<_>>(),
        "lanes": about.lanes,
        "origin": view.origin,
        "span": view.span,
        "states": states,
        "messages": messages,
        "flaw": timeline.flaw().map(ToString::to_string),
        "topology": topology::of(about),
        "top": view.top(),
        "whole": whole(view.lines),
        "bins": BINS,
        "rows": ROWS,
        "trafficGroup": overview.traffic.group,
        "path": {"parts": overview.path.len(), "time": path},
        "sums": {
            "calls": calls,
            "lanes": overview.messages.lanes,
            "sizes": overview.messages.sizes.as_slice(),
            "travel": overview.messages.travel as f64,
            "kept": overview.messages.kept as f64,
        },
    })
}

/// The level at which all of a span is one tile.
pub fn top(span: u64) -> u32 {
    (u64::BITS - span.leading_zeros()).saturating_sub(BIN_BITS)
}

/// Sums of all lines, a column after the other.
pub fn summary(view: &View) -> Vec<u8> {
    let lines = &view.overview.lines;
    let mut out = Bytes::default();
    for kind in 0..super::grid::KINDS {
        out.floats(lines.iter().map(|line| line.time[kind] as f32));
    }
    let end = |line: &Line| line.end.saturating_sub(view.origin);
    let columns: [&dyn Fn(&Line) -> u64; 6] = [
        &end,
        &|line| line.states,
        &|line| line.sent,
        &|line| line.bytes_sent,
        &|line| line.received,
        &|line| line.bytes_received,
    ];
    for column in columns {
        out.floats(lines.iter().map(|line| column(line) as f32));
    }
    out.into_inner()
}
