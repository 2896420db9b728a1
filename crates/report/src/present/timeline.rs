//! The summary of a timeline as text, JSON and CSV, and its section of a page.

use std::fmt::Write as _;
use std::path::Path;

use panto_timeline::{RankSummary, Timeline};
use panto_units::{grouped, rounded_bytes, time};
use serde_json::{Map, Value, json};

use crate::html::{Block, Section};
use crate::table::{Column, Table};

/// Ranks that get a row on a terminal.
const TEXT_RANKS: usize = 32;
/// Ranks that get a row on a page.
const PAGE_RANKS: usize = 64;

/// A timeline and the totals of its ranks.
pub struct TimelineReport<'a> {
    timeline: &'a Timeline,
    ranks: Vec<RankSummary>,
}

impl<'a> TimelineReport<'a> {
    /// Reads the totals of all ranks.
    pub fn new(timeline: &'a Timeline) -> Result<Self, panto_timeline::Error> {
        let ranks = timeline.summary()?.ranks().take(timeline.ranks() as usize).collect();
        Ok(Self { timeline, ranks })
    }

    /// Returns the text for a terminal.
    pub fn text(&self, path: &Path) -> String {
        let (states, messages) = self.timeline.counts();
        let mut text = format!(
            "{}: timeline of {} rank{}, {} states, {} messages, {}\n",
            path.display(),
            grouped(self.ranks.len() as u64),
            if self.ranks.len() == 1 { "" } else { "s" },
            grouped(states),
            grouped(messages),
            std::fs::metadata(path)
                .map_or_else(|_| "size unknown".into(), |about| rounded_bytes(about.len()))
        );
        for (name, value) in &self.timeline.about().facts {
            let _ = writeln!(text, "{name:<13}{value}");
        }
        if let Some(span) = self.timeline.span() {
            let _ = writeln!(text, "{:<13}{}", "time", time(span.end().as_secs()));
        }
        let _ = write!(text, "\n{}", table(&self.ranks[..self.ranks.len().min(TEXT_RANKS)]));
        if self.ranks.len() > TEXT_RANKS {
            let rest = grouped((self.ranks.len() - TEXT_RANKS) as u64);
            let _ = writeln!(text, "and {rest} more ranks (--format csv prints all)");
        }
        text
    }

    /// Returns one row per rank.
    pub fn csv(&self) -> String {
        table(&self.ranks).to_csv()
    }

    /// Returns the totals as JSON; times in seconds.
    pub fn json(&self) -> Value {
        let (states, messages) = self.timeline.counts();
        let facts = self.timeline.about().facts.iter();
        let facts: Map<String, Value> =
            facts.map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        json!({
            "facts": facts,
            "states": states,
            "messages": messages,
            "ranks": self.ranks.iter().map(rank_json).collect::<Vec<_>>(),
        })
    }

    /// Returns the facts and the first ranks as a part of a page that opens on demand.
    fn details(&self, name: &str) -> Block {
        let facts = self.timeline.about().facts.iter();
        let facts: Vec<String> = facts.map(|(name, value)| format!("{name}: {value}")).collect();
        let shown = &self.ranks[..self.ranks.len().min(PAGE_RANKS)];
        let mut blocks = vec![Block::paragraph(facts.join("; ")), table(shown).into()];
        if shown.len() < self.ranks.len() {
            blocks.push(Block::paragraph(format!(
                "The first {} of {} ranks.",
                shown.len(),
                self.ranks.len()
            )));
        }
        Block::Details { summary: format!("Ranks of {name}"), blocks }
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

fn table(ranks: &[RankSummary]) -> Table {
    let columns = ["rank", "end", "compute", "message", "combine", "access", "wait", "received", "bytes"];
    let mut table = Table::new(columns.map(Column::right));
    for (number, rank) in ranks.iter().enumerate() {
        let times = [rank.end, rank.compute, rank.message, rank.combine, rank.access, rank.wait];
        let mut row = vec![number.to_string()];
        row.extend(times.map(|span| time(span.as_secs())));
        row.extend([grouped(rank.received), panto_units::bytes(rank.bytes_received)]);
        table.row(row);
    }
    table
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
