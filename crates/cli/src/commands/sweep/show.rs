//! What is printed about a sweep.

use std::cmp::Ordering;

use panto_predict::sweep::{Figures, Knob, Row};
use panto_report::table::{Column, Table};
use panto_units::{percent, significant, time};
use serde_json::{Value, json};

use super::{Format, Sort, Sweep};
use crate::out;

/// Prints the rows in the format that was asked for.
pub fn print(command: &Sweep, ranks: u32, mut rows: Vec<Row>, planned: usize) {
    if let Some(sort) = command.sort {
        rows.sort_by(|a, b| by(sort, a, b));
    }
    let trace = command.trace.display().to_string();
    match command.format {
        Format::Table => people(&trace, ranks, &rows),
        Format::Json => out::line(json(&trace, ranks, &rows, planned)),
        Format::Csv => out::text(csv(&rows).to_csv()),
    }
}

/// The best first; those that failed last.
fn by(sort: Sort, a: &Row, b: &Row) -> Ordering {
    let rank = |figures: &Figures| match sort {
        Sort::Time => figures.time,
        Sort::SpeedUp => -figures.speedup,
        Sort::Utilisation => -figures.utilisation,
        Sort::Waiting => figures.waiting,
    };
    match (&a.outcome, &b.outcome) {
        (Ok(a), Ok(b)) => rank(a).total_cmp(&rank(b)),
        (a, b) => a.is_err().cmp(&b.is_err()),
    }
}

/// All knobs that some row turns, in their order.
pub fn knobs(rows: &[Row]) -> Vec<Knob> {
    let mut knobs: Vec<Knob> = Vec::new();
    for (knob, _) in rows.iter().flat_map(|row| row.variant.choices()) {
        if !knobs.contains(knob) {
            knobs.push(knob.clone());
        }
    }
    knobs
}

/// Those that differ between rows, and those that do not.
pub fn split(rows: &[Row]) -> (Vec<Knob>, Vec<Knob>) {
    let differs =
        |knob: &Knob| rows.windows(2).any(|pair| pair[0].variant.get(knob) != pair[1].variant.get(knob));
    knobs(rows).into_iter().partition(differs)
}

fn people(trace: &str, ranks: u32, rows: &[Row]) {
    let Some(first) = rows.first() else { return };
    let (varied, fixed) = split(rows);
    let same: Vec<String> = fixed.iter().map(|knob| named(knob, first)).collect();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    out::line(format_args!(
        "{trace}: {ranks} rank{}, {} setting{}{}{}\n",
        plural(ranks as usize),
        rows.len(),
        plural(rows.len()),
        if same.is_empty() { "" } else { "; " },
        same.join(", ")
    ));
    out::text(table(&varied, rows));
    if let Some(words) = best(&varied, rows) {
        out::line(format_args!("\n{words}"));
    }
    let mut failed = rows.iter().filter_map(|row| Some((row, row.outcome.as_ref().err()?))).peekable();
    if failed.peek().is_some() {
        out::line("\nFailed:");
    }
    for (row, error) in failed {
        out::line(format_args!("  {}: {error}", chosen(&varied, row)));
    }
}

fn table(varied: &[Knob], rows: &[Row]) -> Table {
    let choices = varied.iter().map(|knob| Column::right(knob.name()));
    let figures = ["time", "speed-up", "utilisation", "waiting"].map(Column::right);
    let mut table = Table::new(choices.chain(figures));
    for row in rows {
        let choices = varied.iter().map(|knob| row.variant.get(knob).unwrap_or("-").to_owned());
        let figures = match &row.outcome {
            Ok(figures) => [
                time(figures.time),
                significant(figures.speedup, 3),
                percent(100.0 * figures.utilisation),
                percent(100.0 * figures.waiting),
            ],
            Err(_) => ["failed", "-", "-", "-"].map(str::to_owned),
        };
        table.row(choices.chain(figures));
    }
    table
}

fn named(knob: &Knob, row: &Row) -> String {
    format!("{} {}", knob.name(), row.variant.get(knob).unwrap_or("as it is"))
}

fn chosen(varied: &[Knob], row: &Row) -> String {
    let words: Vec<String> = varied.iter().map(|knob| named(knob, row)).collect();
    if words.is_empty() { row.variant.in_words() } else { words.join(", ") }
}

fn best(varied: &[Knob], rows: &[Row]) -> Option<String> {
    let sound = || rows.iter().filter_map(|row| Some((row, row.outcome.as_ref().ok()?)));
    let by_time = |a: &(&Row, &Figures), b: &(&Row, &Figures)| a.1.time.total_cmp(&b.1.time);
    let (fastest, slowest) = (sound().min_by(by_time)?, sound().max_by(by_time)?);
    (fastest.1.time < slowest.1.time).then(|| {
        format!(
            "fastest: {} ({}), {} times as fast as the slowest: {} ({})",
            chosen(varied, fastest.0),
            time(fastest.1.time),
            significant(slowest.1.time / fastest.1.time, 3),
            chosen(varied, slowest.0),
            time(slowest.1.time)
        )
    })
}

fn json(trace: &str, ranks: u32, rows: &[Row], planned: usize) -> Value {
    json!({
        "trace": trace,
        "ranks": ranks,
        "complete": rows.len() == planned,
        "settings": rows.iter().map(Row::json).collect::<Vec<_>>(),
    })
}

fn csv(rows: &[Row]) -> Table {
    let knobs = knobs(rows);
    let figures =
        ["time_s", "scaled_speedup", "mean_utilisation", "waiting_share", "used_processors", "error"]
            .map(Column::text);
    let mut table = Table::new(knobs.iter().map(|knob| Column::text(knob.name())).chain(figures));
    for row in rows {
        let choices = knobs.iter().map(|knob| row.variant.get(knob).unwrap_or_default().to_owned());
        let figures = match &row.outcome {
            Ok(figures) => [
                figures.time.to_string(),
                figures.speedup.to_string(),
                figures.utilisation.to_string(),
                figures.waiting.to_string(),
                figures.processors.to_string(),
                String::new(),
            ],
            Err(error) => ["", "", "", "", "", error].map(str::to_owned),
        };
        table.row(choices.chain(figures));
    }
    table
}
