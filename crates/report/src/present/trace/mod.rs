//! The summary of a trace as text, JSON and CSV.

mod counted;
mod json;
mod matrix;
mod shared_cores;
mod tables;

use std::fmt::Write as _;

use panto_trace::{Metadata, Ranks, Summary, Trace, key};
use panto_units::{grouped, one_line, percent, rounded_bytes, time};
use serde_json::Value;

use super::ranks::rank_names;
use crate::html::{Block, Section};
use crate::table::{Column, Table};

pub use counted::not_counted;
pub use shared_cores::shared_cores;

/// Share of the recorded computation above which computation of threads that never call MPI is
/// reported.
const OTHER_THREADS_SHARE: f64 = 0.01;

/// Nanoseconds that the progress threads of MPI libraries use at start-up; they sleep afterwards.
const LIBRARY_THREADS_NS: u64 = 5_000_000;

/// A trace and its summary.
pub struct TraceReport<'a> {
    trace: &'a Trace,
    summary: &'a Summary,
    facts: Metadata,
    /// Counted instructions per nanosecond, over the ranks.
    rate: Option<String>,
}

impl<'a> TraceReport<'a> {
    /// Takes the facts of the whole trace, and of its first rank as representative of all.
    pub fn new(trace: &'a Trace, summary: &'a Summary) -> Self {
        let mut facts = trace.ranks().first().map(|rank| rank.metadata().clone()).unwrap_or_default();
        facts.extend(trace.metadata());
        if let Some(daxpy) = trace.daxpy_picoseconds() {
            facts.set(key::DAXPY, &daxpy);
        }
        Self { trace, summary, facts, rate: counted::rate(trace) }
    }

    /// Returns the section of a page: what the run was, and the tables.
    pub fn section(&self) -> Section {
        let name = self.trace.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut facts = Table::new([Column::text(""), Column::text("")]);
        for (name, value) in self.lines() {
            facts.row([name.to_string(), one_line(&value)]);
        }
        let mut section = Section::new("trace", format!("Trace: {}", one_line(&name))).block(facts);
        for table in tables::all(self.summary) {
            section = section.block(table);
        }
        self.notes().into_iter().fold(section, |section, note| {
            section.block(Block::paragraph(one_line(&format!("Note: {note}."))))
        })
    }

    /// Returns the text for a terminal.
    pub fn text(&self) -> String {
        let Self { trace, summary, .. } = self;
        let (calls, events) = (summary.total(|rank| rank.calls), summary.total(|rank| rank.events));
        let folded = if calls == events { String::new() } else { format!(" in {} events", grouped(events)) };
        let mut text = format!(
            "{}: {} rank{}, {} calls{folded}, {}\n",
            trace.path().display(),
            grouped(summary.size.into()),
            if summary.size == 1 { "" } else { "s" },
            grouped(calls),
            rounded_bytes(trace.bytes())
        );
        for (name, value) in self.lines() {
            let _ = writeln!(text, "{name:<13}{}", one_line(&value));
        }
        for table in tables::all(summary) {
            let _ = write!(text, "\n{table}");
        }
        if !summary.pairs.is_empty() {
            let _ = write!(text, "\n{}", matrix::matrix(summary));
        }
        for (index, note) in self.notes().iter().enumerate() {
            let _ = writeln!(text, "{}note: {note}", if index == 0 { "\n" } else { "" });
        }
        text
    }

    /// Returns the summary as JSON; times in nanoseconds.
    pub fn json(&self) -> Value {
        json::summary(self.summary, &self.facts)
    }

    /// Returns one row per MPI function.
    pub fn csv(&self) -> String {
        tables::all_functions(self.summary).to_csv()
    }

    /// Returns what limits the trust in the numbers: missing ranks, damage, shared cores.
    pub fn notes(&self) -> Vec<String> {
        notes(self.trace, self.summary)
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        lines(self.summary, &self.facts, self.rate.as_deref())
    }
}

fn lines(summary: &Summary, facts: &Metadata, rate: Option<&str>) -> Vec<(&'static str, String)> {
    let known = [("command", key::COMMAND), ("program", key::PROGRAM), ("MPI", key::MPI)];
    let mut lines: Vec<(&str, String)> = known
        .into_iter()
        .filter_map(|(name, key)| facts.get(key).map(|value| (name, value.to_owned())))
        .collect();
    let origin = facts.get(key::EXTRAPOLATED);
    lines.extend(origin.map(|from| ("extrapolated", format!("from traces of {from}"))));
    lines.extend(measured(facts, rate).map(|text| ("measured", text)));
    let daxpy = facts.number(key::DAXPY).map(|picos| time(picos as f64 * 1e-12));
    lines.extend(daxpy.map(|time| ("processor", format!("{time} for an element of a DAXPY in the cache"))));
    lines.extend(summary.wall().map(|wall| ("run time", format!("{} (maximum over ranks)", seconds(wall)))));
    lines.push(("computation", computation(summary)));
    let start = summary.ranks.iter().map(|rank| rank.start).max().unwrap_or(0);
    if start > 0 {
        lines.push(("start", format!("up to {} before MPI_Init, not counted", seconds(start))));
    }
    lines.push((
        "messages",
        format!(
            "{}, {}; {}",
            grouped(summary.total(|rank| rank.messages)),
            rounded_bytes(summary.total(|rank| rank.bytes_sent)),
            summary.partners()
        ),
    ));
    lines.extend(polls(summary).map(|text| ("polls", text)));
    lines.extend(threads(summary).map(|text| ("threads", text)));
    lines.extend(cost(summary).map(|text| ("tracer", text)));
    lines
}

fn measured(facts: &Metadata, rate: Option<&str>) -> Option<String> {
    let clock = match facts.get(key::CLOCK)? {
        "cpu" => "CPU time",
        "wall" => "wall clock",
        "instructions" => "computation by instructions retired",
        other => other,
    };
    let mut text = clock.to_owned();
    text.extend(rate.map(|rate| format!(": {rate} per ns")));
    text.extend(facts.get(key::METHOD).map(|method| format!(", {method}")));
    if facts.get(key::TOKEN).is_some_and(|token| !matches!(token, "0" | "false" | "no")) {
        text += ", one rank at a time per core (--token)";
    }
    text.extend(facts.get(key::MERGED).map(|runs| format!("; lower quartile of {runs} runs")));
    Some(text)
}

fn computation(summary: &Summary) -> String {
    let all = summary.computations();
    let [least, median, most] = [0, all.len() / 2, all.len().saturating_sub(1)]
        .map(|place| seconds(all.get(place).copied().unwrap_or(0)));
    let total = seconds(summary.total(|rank| rank.computation));
    format!("{total} in total; per rank {least} min, {median} median, {most} max")
}

fn polls(summary: &Summary) -> Option<String> {
    let [polls, loops, spun] = [
        summary.total(|rank| rank.polls),
        summary.total(|rank| rank.poll_loops),
        summary.total(|rank| rank.spun),
    ];
    (polls > 0).then(|| {
        format!(
            "{} unsuccessful, folded into {} event{}; {} spent between them",
            grouped(polls),
            grouped(loops),
            if loops == 1 { "" } else { "s" },
            seconds(spun)
        )
    })
}

fn threads(summary: &Summary) -> Option<String> {
    let most = summary.ranks.iter().map(|rank| rank.threads).max().unwrap_or(1);
    (most > 1).then(|| format!("up to {most} per rank called MPI"))
}

fn cost(summary: &Summary) -> Option<String> {
    let most = summary.ranks.iter().filter_map(|rank| rank.cost).max()?;
    let share = summary.wall().filter(|wall| *wall > 0).map(|wall| 100.0 * most as f64 / wall as f64);
    let share = share.map_or_else(String::new, |share| format!(" ({} of the run time)", percent(share)));
    Some(format!("overhead up to {} per rank{share}", seconds(most)))
}

fn notes(trace: &Trace, summary: &Summary) -> Vec<String> {
    let mut notes: Vec<String> = shared_cores(trace).into_iter().chain(not_counted(trace)).collect();
    if !summary.missing.is_empty() {
        notes.push(format!("no trace of {} (of {} ranks)", rank_names(&summary.missing), summary.size));
    }
    for damage in &summary.damage {
        notes.push(format!("only the part before this damage is shown: {damage}"));
    }
    let unexplained = summary.ranks.iter().filter(|rank| !rank.is_complete && rank.stopped.is_none());
    let unexplained: Ranks = unexplained.map(|rank| rank.rank).collect();
    if !unexplained.is_empty() && summary.damage.is_empty() {
        notes.push(format!(
            "the program did not reach MPI_Finalize (killed?); the last calls are missing on {}",
            rank_names(&unexplained)
        ));
    }
    for rank in &summary.ranks {
        if let Some(why) = &rank.stopped {
            notes.push(format!("rank {}: recording stopped early: {why}", rank.rank));
        }
    }
    let share = summary.other_threads_share();
    let most = summary.ranks.iter().filter_map(|rank| rank.other_threads).max().unwrap_or(0);
    if share > OTHER_THREADS_SHARE && most > LIBRARY_THREADS_NS {
        notes.push(format!(
            "threads that never call MPI (OpenMP, a threaded BLAS) computed for {}, {} of the recorded \
             computation, and are not included in it. Trace with one thread per rank, or with --clock wall on idle cores",
            seconds(summary.total(|rank| rank.other_threads.unwrap_or(0))),
            percent(100.0 * share)
        ));
    }
    notes
}

/// Returns nanoseconds as text with a unit.
fn seconds(nanoseconds: u64) -> String {
    time(nanoseconds as f64 * 1e-9)
}
