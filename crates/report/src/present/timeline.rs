//! The summary of a timeline as text, JSON and CSV, and its section of a page.

use std::fmt::{self, Write as _};
use std::path::Path;

use panto_measured::{WaitState, WaitStates};
use panto_timeline::{RankSummary, Summary, Timeline};
use panto_units::{grouped, one_line, percent, rounded_bytes, time};
use serde_json::{Map, Value, json};

use crate::html::{Block, Section};
use crate::table::{Column, Table};

/// Ranks that get a row on a terminal.
const TEXT_RANKS: usize = 32;
/// Ranks that get a row on a page.
const PAGE_RANKS: usize = 64;
/// Wait states that get a row.
const WAIT_ROWS: usize = 12;
/// Rows of CSV that are in memory at once.
const CSV_ROWS: usize = 4096;

/// A timeline and the totals of its ranks.
pub struct TimelineReport<'a> {
    timeline: &'a Timeline,
    /// Totals of ranks and helpers. Ranks without states take no memory in it, and no list of all
    /// ranks is made: a file of a few megabytes may have millions.
    summary: Summary,
    waits: WaitStates,
}

impl<'a> TimelineReport<'a> {
    /// Reads the totals of all ranks.
    pub fn new(timeline: &'a Timeline) -> Result<Self, panto_timeline::Error> {
        Ok(Self { timeline, summary: timeline.summary()?, waits: WaitStates::of(timeline)? })
    }

    /// Returns the number of ranks, without helpers.
    fn len(&self) -> usize {
        self.timeline.ranks() as usize
    }

    /// Returns the totals of ranks, without helpers.
    fn ranks(&self) -> impl Iterator<Item = RankSummary> + '_ {
        self.summary.ranks().take(self.len())
    }

    /// Returns the totals of the first ranks.
    fn first(&self, count: usize) -> Vec<RankSummary> {
        self.ranks().take(count).collect()
    }

    /// Returns the text for a terminal.
    pub fn text(&self, path: &Path) -> String {
        let (states, messages) = self.timeline.counts();
        let mut text = format!(
            "{}: timeline of {} rank{}, {} states, {} messages, {}\n",
            path.display(),
            grouped(self.len() as u64),
            if self.len() == 1 { "" } else { "s" },
            grouped(states),
            grouped(messages),
            std::fs::metadata(path)
                .map_or_else(|_| "size unknown".into(), |about| rounded_bytes(about.len()))
        );
        for (name, value) in self.timeline.about().run_facts() {
            let _ = writeln!(text, "{:<13}{}", one_line(name), one_line(value));
        }
        if let Some(span) = self.timeline.span() {
            let _ = writeln!(text, "{:<13}{}", "time", time(span.end().as_secs()));
        }
        let _ = write!(text, "\n{}", table(0, &self.first(TEXT_RANKS)));
        if self.len() > TEXT_RANKS {
            let rest = grouped((self.len() - TEXT_RANKS) as u64);
            let _ = writeln!(text, "and {rest} more ranks (--format csv prints all)");
        }
        text + &self.waits()
    }

    /// Returns where ranks waited for whom, as text; empty if none did.
    pub fn waits(&self) -> String {
        if self.waits.states.is_empty() {
            return String::new();
        }
        format!("\n{}", wait_table(&self.waits))
    }

    /// Returns one row per rank, formatted as it is written.
    pub fn csv(&self) -> impl fmt::Display + '_ {
        Streamed(|out: &mut fmt::Formatter<'_>| {
            let (mut ranks, mut number) = (self.ranks(), 0);
            loop {
                let some: Vec<RankSummary> = ranks.by_ref().take(CSV_ROWS).collect();
                let rows = table(number, &some).to_csv();
                let heading = if number == 0 { 0 } else { rows.find('\n').map_or(0, |end| end + 1) };
                out.write_str(&rows[heading..])?;
                number += some.len();
                if some.len() < CSV_ROWS {
                    return Ok(());
                }
            }
        })
    }

    /// Returns the totals as JSON, formatted as it is written; times in seconds.
    pub fn json(&self) -> impl fmt::Display + '_ {
        Streamed(|out: &mut fmt::Formatter<'_>| {
            let (states, messages) = self.timeline.counts();
            let facts = self.timeline.about().run_facts();
            let facts: Map<String, Value> =
                facts.map(|(name, value)| (name.clone(), value.as_str().into())).collect();
            write!(out, "{{\"facts\":{},\"messages\":{messages},\"ranks\":[", Value::from(facts))?;
            for (number, rank) in self.ranks().enumerate() {
                let comma = if number == 0 { "" } else { "," };
                write!(out, "{comma}{}", rank_json(&rank))?;
            }
            let waits: Vec<Value> = self.waits.states.iter().map(wait_json).collect();
            write!(out, "],\"states\":{states},\"wait_states\":{}}}", Value::from(waits))
        })
    }

    /// Returns the facts and the first ranks as a part of a page that opens on demand.
    fn details(&self, name: &str) -> Block {
        let facts = self.timeline.about().run_facts();
        let facts: Vec<String> = facts.map(|(name, value)| format!("{name}: {value}")).collect();
        let shown = self.first(PAGE_RANKS);
        let mut blocks = vec![Block::paragraph(facts.join("; ")), table(0, &shown).into()];
        if !self.waits.states.is_empty() {
            blocks.push(wait_table(&self.waits).into());
        }
        if shown.len() < self.len() {
            blocks.push(Block::paragraph(format!("The first {} of {} ranks.", shown.len(), self.len())));
        }
        Block::Details { summary: format!("Ranks of {name}"), blocks }
    }
}

/// Text that is made while it is written.
struct Streamed<F>(F);

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> fmt::Display for Streamed<F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)(out)
    }
}

/// Returns a section with the viewer of one or two timelines and the totals of their ranks.
pub fn timeline_section(paths: &[&Path]) -> Result<Section, panto_view::Error> {
    let names = names(paths);
    let mut section = Section::new("timeline", format!("Timeline: {}", names.join(" and ")));
    let viewer = panto_view::fragment(paths, &panto_view::Options::for_report())?;
    section = section.block(Block::Embedded(viewer));
    for (path, name) in paths.iter().zip(&names) {
        let timeline = Timeline::open(path)?;
        section = section.block(TimelineReport::new(&timeline)?.details(name));
    }
    Ok(section)
}

/// Returns the names of files, with their directories if two are the same.
fn names(paths: &[&Path]) -> Vec<String> {
    let short: Vec<String> = paths
        .iter()
        .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    match short.as_slice() {
        [one, other] if one == other => paths.iter().map(|path| path.display().to_string()).collect(),
        _ => short,
    }
}

/// Returns a row for each rank; the first one has this number.
fn table(first: usize, ranks: &[RankSummary]) -> Table {
    let columns = ["rank", "end", "compute", "message", "combine", "access", "wait", "received", "bytes"];
    let mut table = Table::new(columns.map(Column::right));
    for (number, rank) in (first..).zip(ranks) {
        let times = [rank.end, rank.compute, rank.message, rank.combine, rank.access, rank.wait];
        let mut row = vec![number.to_string()];
        row.extend(times.map(|span| time(span.as_secs())));
        row.extend([grouped(rank.received), panto_units::bytes(rank.bytes_received)]);
        table.row(row);
    }
    table
}

/// Returns a row for each wait state, the longest total first.
fn wait_table(waits: &WaitStates) -> Table {
    let has_sites = waits.states.iter().any(|state| state.site.is_some());
    let sites = |name| has_sites.then(|| Column::text(name));
    let columns = [Some(Column::text("wait state")), Some(Column::text("call")), sites("at")];
    let numbers = ["time", "share", "count"].map(|name| Some(Column::right(name)));
    let last = [Some(Column::text("mostly for")), Some(Column::text("longest")), sites("caused at")];
    let mut table = Table::new(columns.into_iter().chain(numbers).chain(last).flatten());
    for state in waits.states.iter().take(WAIT_ROWS) {
        let longest = state.longest.first().map(|longest| {
            let [length, from] = [longest.length(), longest.from].map(|at| time(at.as_secs()));
            format!("{length}, rank {} at {from}", longest.rank)
        });
        let site = |site: &Option<String>| has_sites.then(|| one_line(site.as_deref().unwrap_or_default()));
        let row = [
            Some(state.kind.to_string()),
            Some(one_line(&state.call)),
            site(&state.site),
            Some(time(state.total.as_secs())),
            Some(percent(100.0 * waits.share(state.total))),
            Some(grouped(state.count)),
            Some(state.culprit.map_or_else(String::new, |(rank, _)| format!("rank {rank}"))),
            Some(longest.unwrap_or_default()),
            site(&state.cause_site),
        ];
        table.row(row.into_iter().flatten());
    }
    table
}

fn wait_json(state: &WaitState) -> Value {
    let longest = state.longest.first().map(|wait| {
        json!({
            "rank": wait.rank,
            "from_s": wait.from.as_secs(),
            "to_s": wait.to.as_secs(),
            "for_rank": wait.culprit,
        })
    });
    json!({
        "kind": state.kind.to_string(),
        "call": state.call,
        "call_site": state.site,
        "longest_caused_at": state.cause_site,
        "total_s": state.total.as_secs(),
        "count": state.count,
        "mostly_for": state.culprit.map(|(rank, time)| json!({ "rank": rank, "time_s": time.as_secs() })),
        "longest": longest,
    })
}

fn rank_json(rank: &RankSummary) -> Value {
    json!({
        "end_s": rank.end.as_secs(),
        "computation_s": rank.compute.as_secs(),
        "messages_s": rank.message.as_secs(),
        "combining_s": rank.combine.as_secs(),
        "access_s": rank.access.as_secs(),
        "waiting_s": rank.wait.as_secs(),
        "states": rank.states,
        "messages_received": rank.received,
        "bytes_received": rank.bytes_received,
    })
}
