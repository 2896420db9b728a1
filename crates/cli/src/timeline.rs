//! What is printed about a timeline.

use std::path::Path;
use std::process::ExitCode;

use panto_report::table::{Column, Table};
use panto_timeline::{RankSummary, Timeline};
use panto_units::time;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::out;
use crate::show::Format;
use crate::trace::{amount, grouped};

/// With more ranks, the first of them are shown.
const MOST_RANKS: usize = 32;

/// `panto info` of a timeline.
pub fn info(path: &Path, format: Format, salvage: bool) -> Result<ExitCode, Failure> {
    let timeline = Timeline::open(path)?;
    if let Some(flaw) = timeline.flaw()
        && !salvage
    {
        return Err(Failure::Usage(format!("{flaw}\n--salvage shows what is sound")));
    }
    let ranks: Vec<RankSummary> = timeline.summary()?.ranks().take(timeline.ranks() as usize).collect();
    match format {
        Format::Table => print(path, &timeline, &ranks),
        Format::Json => out::line(json(&timeline, &ranks)),
        Format::Csv => out::text(table(&ranks).to_csv()),
        Format::Osu | Format::Imb | Format::Mbs => {
            let text = format!("{} is a timeline: it is shown as `table`, `json` or `csv`", path.display());
            return Err(Failure::Usage(text));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print(path: &Path, timeline: &Timeline, ranks: &[RankSummary]) {
    let (states, messages) = timeline.counts();
    out::line(format_args!(
        "{}: timeline of {} rank{}, {} states, {} messages, {}",
        path.display(),
        grouped(ranks.len() as u64),
        if ranks.len() == 1 { "" } else { "s" },
        grouped(states),
        grouped(messages),
        std::fs::metadata(path).map_or_else(|_| "size unknown".into(), |about| amount(about.len()))
    ));
    for (name, value) in &timeline.about().facts {
        out::line(format_args!("{name:<13}{value}"));
    }
    if let Some(span) = timeline.span() {
        out::line(format_args!("{:<13}{}", "time", time(span.end().as_secs())));
    }
    out::text(format_args!("\n{}", table(&ranks[..ranks.len().min(MOST_RANKS)])));
    if ranks.len() > MOST_RANKS {
        let rest = grouped((ranks.len() - MOST_RANKS) as u64);
        out::line(format_args!("and {rest} more ranks; --format csv shows all"));
    }
}

/// A row for each rank.
pub fn table(ranks: &[RankSummary]) -> Table {
    let columns =
        ["rank", "ends", "computes", "messages", "combines", "accesses", "waits", "messages in", "bytes in"];
    let mut table = Table::new(columns.map(Column::right));
    for (number, rank) in ranks.iter().enumerate() {
        let times = [rank.end, rank.compute, rank.message, rank.combine, rank.access, rank.wait];
        let mut row = vec![number.to_string()];
        row.extend(times.map(|moment| time(moment.as_secs())));
        row.extend([grouped(rank.received), panto_units::bytes(rank.bytes_received)]);
        table.row(row);
    }
    table
}

fn json(timeline: &Timeline, ranks: &[RankSummary]) -> Value {
    let (states, messages) = timeline.counts();
    let facts: serde_json::Map<String, Value> =
        timeline.about().facts.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let rank = |rank: &RankSummary| {
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
    };
    json!({
        "facts": facts,
        "states": states,
        "messages": messages,
        "ranks": ranks.iter().map(rank).collect::<Vec<_>>(),
    })
}
