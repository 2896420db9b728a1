//! Metadata of a timeline that the page needs before it requests tiles.

use panto_measured::{Wait, WaitState};
use panto_timeline::TimelineInfo;
use panto_units::Time;
use serde_json::{Value, json};

use super::View;
use super::grid::whole;
use super::layout::{BIN_BITS, BINS, ROWS, TileWriter};
use super::topology;
use super::totals::LineTotals;

/// Upper limit of names of calls or message kinds, and of facts. No real program has as many; a
/// malicious file may.
const MAX_NAMES: usize = 100_000;
/// Upper limit of helpers whose ranks are listed.
const MAX_HELPERS: usize = 1 << 20;

/// Returns names, counts and totals.
pub fn meta(view: &View) -> Value {
    let (timeline, overview) = (&view.timeline, &view.overview);
    let about = timeline.about();
    let (states, messages) = timeline.counts();
    let path: u64 = overview.path.iter().map(|part| part.to - part.from).sum();
    json!({
        "name": view.name,
        "ranks": timeline.ranks(),
        "lines": view.lines,
        "helperRanks": about.helper_ranks.iter().take(MAX_HELPERS).collect::<Vec<_>>(),
        "facts": about.run_facts().take(MAX_NAMES).collect::<Vec<_>>(),
        "calls": labels(about),
        "functions": functions(about),
        "messageKinds": about.message_kinds,
        "origin": view.origin,
        "span": view.span,
        "states": states,
        "messages": messages,
        "damage": timeline.damage().map(ToString::to_string),
        "topology": topology::of(about),
        "top": view.top(),
        "whole": whole(view.lines),
        "bins": BINS,
        "rows": ROWS,
        "trafficGroup": overview.traffic.group,
        "path": {"parts": overview.path.len(), "time": path},
        "waits": {
            "time": overview.waits.all_time.as_picos(),
            "states": overview.waits.states.iter().take(MAX_NAMES).map(|state| wait_state(state, view.origin)).collect::<Vec<_>>(),
        },
    })
}

/// Returns the names of calls, with their call sites where they are known.
fn labels(about: &TimelineInfo) -> Vec<String> {
    let calls = about.calls.iter().zip(about.sites()).take(MAX_NAMES);
    calls.map(|(call, site)| label(call, site)).collect()
}

fn label(call: &str, site: Option<&str>) -> String {
    site.map_or_else(|| call.to_owned(), |site| format!("{call} at {site}"))
}

/// Returns the names of the same calls without their call sites; none if no call has one.
fn functions(about: &TimelineInfo) -> Option<Vec<&String>> {
    let has_sites = about.sites().iter().any(Option::is_some);
    has_sites.then(|| about.calls.iter().take(MAX_NAMES).collect())
}

/// Returns the waits in a function: kind, function, total, count, the rank waited for longest and
/// how long, and the longest waits.
fn wait_state(state: &WaitState, origin: u64) -> Value {
    let culprit = state.culprit.map(|(rank, time)| (rank, time.as_picos()));
    let longest: Vec<Value> = state.longest.iter().map(|wait| wait_place(wait, origin)).collect();
    let call = label(&state.call, state.site.as_deref());
    json!([state.kind.to_string(), call, state.total.as_picos(), state.count, culprit, longest])
}

/// Returns a wait: line, begin and end, and line and time of its cause.
fn wait_place(wait: &Wait, origin: u64) -> Value {
    let since = |time: Time| time.as_picos().saturating_sub(origin);
    let cause = wait.cause.map(|cause| (cause.rank, since(cause.at)));
    json!([wait.line, since(wait.from), since(wait.to), cause])
}

/// Returns the level at which a whole span is one tile.
pub fn top(span: u64) -> u32 {
    (u64::BITS - span.leading_zeros()).saturating_sub(BIN_BITS)
}

/// Returns the totals of all lines, column by column.
pub fn summary(view: &View) -> Vec<u8> {
    let lines = &view.overview.totals.lines;
    let mut out = TileWriter::default();
    for kind in 0..super::grid::KINDS {
        out.floats(lines.iter().map(|line| line.time[kind] as f32));
    }
    let end = |line: &LineTotals| line.end.saturating_sub(view.origin);
    let columns: [&dyn Fn(&LineTotals) -> u64; 6] = [
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
