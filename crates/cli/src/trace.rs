//! What is printed about a trace.

mod crowd;
mod json;
mod picture;
mod tables;

use std::path::Path;
use std::process::ExitCode;

use panto_trace::{Facts, Ranks, Summary, Trace, key};
use panto_units::{percent, time};

use crate::failure::Failure;
use crate::out;
use crate::show::Format;

pub use crowd::crowded;
pub use tables::{amount, grouped};

impl From<panto_trace::Error> for Failure {
    fn from(error: panto_trace::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

/// Above this share of the computation, that of threads which never call MPI is missed.
const MUCH: f64 = 0.01;

/// Libraries have threads of their own, which sleep but for some milliseconds at the start.
const OF_THE_LIBRARY_NS: u64 = 5_000_000;

/// `panto info` of a trace.
pub fn info(path: &Path, format: Format, salvage: bool) -> Result<ExitCode, Failure> {
    if matches!(format, Format::Osu | Format::Imb | Format::Mbs) {
        let text = format!("{} is a trace: it is shown as `table`, `json` or `csv`", path.display());
        return Err(Failure::Usage(text));
    }
    let trace = Trace::open(path)?;
    let summary = Summary::of(&trace)?;
    if let Some(damage) = summary.damage.first()
        && !salvage
    {
        return Err(Failure::Usage(format!("{damage}\n--salvage shows what is sound")));
    }
    let facts = facts(&trace);
    match format {
        Format::Json => out::line(json::summary(&summary, &facts)),
        Format::Csv => out::text(tables::all_functions(&summary).to_csv()),
        _ => print(&trace, &summary, &facts),
    }
    if format != Format::Table {
        notes(&trace, &summary, |note| out::note(format_args!("panto: {note}")));
    }
    Ok(ExitCode::SUCCESS)
}

/// What is known of the run: of the whole, and of its first rank, which stands for all.
fn facts(trace: &Trace) -> Facts {
    let mut facts = trace.ranks().first().map(|rank| rank.facts().clone()).unwrap_or_default();
    facts.extend(trace.facts());
    facts
}

fn print(trace: &Trace, summary: &Summary, facts: &Facts) {
    let (calls, events) = (summary.total(|rank| rank.calls), summary.total(|rank| rank.events));
    let folded = if calls == events { String::new() } else { format!(" in {} events", grouped(events)) };
    out::line(format_args!(
        "{}: {} rank{}, {} calls{folded}, {}",
        trace.path().display(),
        grouped(summary.size.into()),
        if summary.size == 1 { "" } else { "s" },
        grouped(calls),
        amount(trace.bytes())
    ));
    for (name, text) in lines(summary, facts) {
        out::line(format_args!("{name:<13}{text}"));
    }
    for table in tables::all(summary) {
        out::text(format_args!("\n{table}"));
    }
    if !summary.pairs.is_empty() {
        out::text(format_args!("\n{}", picture::matrix(summary)));
    }
    let mut is_first = true;
    notes(trace, summary, |note| {
        let gap = if std::mem::take(&mut is_first) { "\n" } else { "" };
        out::line(format_args!("{gap}note: {note}"));
    });
}

fn lines(summary: &Summary, facts: &Facts) -> Vec<(&'static str, String)> {
    let known = [("command", key::COMMAND), ("program", key::PROGRAM), ("MPI", key::MPI)];
    let mut lines: Vec<(&str, String)> = known
        .into_iter()
        .filter_map(|(name, key)| facts.get(key).map(|value| (name, value.to_owned())))
        .collect();
    lines.extend(measured(facts).map(|text| ("measured", text)));
    lines
        .extend(summary.wall().map(|wall| ("run time", format!("{}, the longest of a rank", seconds(wall)))));
    lines.push(("computation", computation(summary)));
    let start = summary.ranks.iter().map(|rank| rank.start).max().unwrap_or(0);
    if start > 0 {
        lines.push(("start", format!("{} at most before MPI_Init, which is not counted", seconds(start))));
    }
    lines.push((
        "messages",
        format!(
            "{} with {}; {}",
            grouped(summary.total(|rank| rank.messages)),
            amount(summary.total(|rank| rank.bytes_sent)),
            summary.partners()
        ),
    ));
    lines.extend(polls(summary).map(|text| ("polls", text)));
    lines.extend(threads(summary).map(|text| ("threads", text)));
    lines.extend(cost(summary).map(|text| ("tracer", text)));
    lines
}

fn measured(facts: &Facts) -> Option<String> {
    let clock = match facts.get(key::CLOCK)? {
        "cpu" => "CPU time",
        "wall" => "wall clock",
        other => other,
    };
    let mut text = clock.to_owned();
    text.extend(facts.get(key::METHOD).map(|method| format!(", {method}")));
    if facts.get(key::TOKEN).is_some_and(|token| !matches!(token, "0" | "false" | "no")) {
        text += ", one rank at a time on each core (token)";
    }
    text.extend(facts.get(key::MERGED).map(|runs| format!("; lower quartile of {runs} runs")));
    Some(text)
}

fn computation(summary: &Summary) -> String {
    let all = summary.computations();
    let [least, median, most] = [0, all.len() / 2, all.len().saturating_sub(1)]
        .map(|place| seconds(all.get(place).copied().unwrap_or(0)));
    let total = seconds(summary.total(|rank| rank.computation));
    format!("{total} in all; of a rank {least} at least, {median} in the median, {most} at most")
}

fn polls(summary: &Summary) -> Option<String> {
    let [polls, loops, spun] = [
        summary.total(|rank| rank.polls),
        summary.total(|rank| rank.poll_loops),
        summary.total(|rank| rank.spun),
    ];
    (polls > 0).then(|| {
        format!(
            "{} found nothing, folded into {} event{}; {} between them in all",
            grouped(polls),
            grouped(loops),
            if loops == 1 { "" } else { "s" },
            seconds(spun)
        )
    })
}

fn threads(summary: &Summary) -> Option<String> {
    let most = summary.ranks.iter().map(|rank| rank.threads).max().unwrap_or(1);
    (most > 1).then(|| format!("up to {most} of a rank called MPI"))
}

fn cost(summary: &Summary) -> Option<String> {
    let most = summary.ranks.iter().filter_map(|rank| rank.cost).max()?;
    let share = summary.wall().filter(|wall| *wall > 0).map(|wall| 100.0 * most as f64 / wall as f64);
    let share = share.map_or_else(String::new, |share| format!(" ({} of the run time)", percent(share)));
    Some(format!("cost a rank {} at most{share}", seconds(most)))
}

/// What a reader should know before trusting the numbers.
fn notes(trace: &Trace, summary: &Summary, mut say: impl FnMut(String)) {
    crowded(trace).map(&mut say);
    if !summary.missing.is_empty() {
        say(format!("of {} ranks these left no trace: {}", summary.size, listed(&summary.missing)));
    }
    for damage in &summary.damage {
        say(format!("shown up to the damage: {damage}"));
    }
    let unexplained = summary.ranks.iter().filter(|rank| !rank.is_complete && rank.stopped.is_none());
    let unexplained: Ranks = unexplained.map(|rank| rank.rank).collect();
    if !unexplained.is_empty() && summary.damage.is_empty() {
        say(format!(
            "the program did not end as it should (killed?); the last calls are missing on {}",
            named(&unexplained)
        ));
    }
    for rank in &summary.ranks {
        if let Some(why) = &rank.stopped {
            say(format!("rank {}: recording stopped early: {why}", rank.rank));
        }
    }
    let share = summary.other_threads_share();
    let most = summary.ranks.iter().filter_map(|rank| rank.other_threads).max().unwrap_or(0);
    if share > MUCH && most > OF_THE_LIBRARY_NS {
        say(format!(
            "threads that never call MPI (OpenMP, a threaded BLAS) computed as well: {}, {} of what is recorded; \
             it is not in the computation above. Trace with one thread a rank, or with --clock wall on idle cores",
            seconds(summary.total(|rank| rank.other_threads.unwrap_or(0))),
            percent(100.0 * share)
        ));
    }
}

/// `ranks 0-3, 7`, or `rank 3`.
pub fn named(ranks: &Ranks) -> String {
    let plural = if ranks.len() == 1 { "" } else { "s" };
    format!("rank{plural} {}", listed(ranks))
}

/// Ranks as people write them: `0-3, 8`.
pub fn listed(ranks: &Ranks) -> String {
    let run = |run: &panto_trace::Run| match (run.count, run.step) {
        (1, _) => vec![run.first.to_string()],
        (count, 1) => vec![format!("{}-{}", run.first, run.first + (count - 1))],
        (count, step) => (0..count)
            .map(|place| (i64::from(run.first) + i64::from(step) * i64::from(place)).to_string())
            .collect(),
    };
    ranks.runs().iter().flat_map(run).collect::<Vec<_>>().join(", ")
}

/// Nanoseconds, for people.
fn seconds(nanoseconds: u64) -> String {
    time(nanoseconds as f64 * 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rank_is_no_plural() {
        let ranks = |numbers: &[u32]| named(&numbers.iter().copied().collect());
        assert_eq!(ranks(&[3]), "rank 3");
        assert_eq!(ranks(&[0, 1, 2, 5]), "ranks 0-2, 5");
    }
}
