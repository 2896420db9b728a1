//! A sweep as text, JSON, CSV and a chart.

mod chart;
mod extremes;
mod machines;

use std::cmp::Ordering;
use std::path::Path;

use panto_predict::sweep::{Figures, Parameter, Row};
use panto_units::{percent, significant, time};
use serde_json::{Value, json};

use super::phrases::{capitalised, one_line};
use super::prediction::list;
use crate::html::Block;
use crate::table::{Column, Table};

use extremes::extremes;

pub use chart::sweep_chart;
pub use machines::sweep_bars;

/// The rows of a sweep.
pub struct SweepReport<'a> {
    /// The trace, as the user named it.
    pub trace: &'a str,
    /// The number of ranks of the program.
    pub ranks: u32,
    /// The settings that were run, and their outcomes.
    pub rows: &'a [Row],
    /// The number of settings, run or not.
    pub planned: usize,
}

/// The figure by which rows are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepOrder {
    /// The shortest time first.
    Time,
    /// The highest scaled speed-up first.
    SpeedUp,
    /// The highest utilisation of processors first.
    Utilisation,
    /// The smallest share of waiting first.
    Waiting,
}

/// Returns the blocks of a page about a sweep: a chart if a number was varied, what is fastest, and
/// all settings, the fastest first.
pub(super) fn sweep_blocks(name: &str, rows: &[Row]) -> Vec<Block> {
    let mut rows = rows.to_vec();
    SweepOrder::Time.sort(&mut rows);
    let (varied, fixed) = split(&rows);
    let mut blocks = Vec::new();
    let same: Vec<String> =
        rows.first().map(|first| fixed.iter().map(|one| named(one, first)).collect()).unwrap_or_default();
    if !same.is_empty() {
        blocks.push(Block::paragraph(one_line(&format!("All settings: {}.", same.join(", ")))));
    }
    if let Some(words) = extremes(&varied, &rows) {
        blocks.push(Block::paragraph(one_line(&format!("{}.", capitalised(&words)))));
    }
    if let Some(mut chart) = sweep_chart(Path::new(name), 0, &rows) {
        chart.subtitle = one_line(name);
        blocks.push(chart.into());
    }
    blocks.push(table(&varied, &rows).into());
    blocks
}

impl SweepOrder {
    /// Sorts rows, the best first; rows that failed come last.
    pub fn sort(self, rows: &mut [Row]) {
        rows.sort_by(|a, b| compare(self, a, b));
    }
}

impl SweepReport<'_> {
    /// Returns the text for a terminal.
    pub fn text(&self) -> String {
        let Some(first) = self.rows.first() else { return String::new() };
        let (varied, fixed) = split(self.rows);
        let same: Vec<String> = fixed.iter().map(|parameter| named(parameter, first)).collect();
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let mut text = format!(
            "{}: {} rank{}, {} setting{}{}{}\n\n{}",
            self.trace,
            self.ranks,
            plural(self.ranks as usize),
            self.rows.len(),
            plural(self.rows.len()),
            if same.is_empty() { "" } else { "; " },
            same.join(", "),
            table(&varied, self.rows)
        );
        if let Some(words) = extremes(&varied, self.rows) {
            text += "\n";
            text += &words;
            text += "\n";
        }
        let failed = |row: &Row| {
            let error = row.outcome.as_ref().err()?;
            Some(format!("{}: {error}", chosen(&varied, row)))
        };
        text + &list("Failed:", &self.rows.iter().filter_map(failed).collect::<Vec<_>>())
    }

    /// Returns the rows as JSON; times in seconds.
    pub fn json(&self) -> Value {
        json!({
            "trace": self.trace,
            "ranks": self.ranks,
            "complete": self.rows.len() == self.planned,
            "settings": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
        })
    }

    /// Returns one row per setting; times in seconds.
    pub fn csv(&self) -> String {
        csv(self.rows).to_csv()
    }
}

fn compare(order: SweepOrder, a: &Row, b: &Row) -> Ordering {
    let rank = |figures: &Figures| match order {
        SweepOrder::Time => figures.time,
        SweepOrder::SpeedUp => -figures.speedup,
        SweepOrder::Utilisation => -figures.utilisation,
        SweepOrder::Waiting => figures.waiting,
    };
    match (&a.outcome, &b.outcome) {
        (Ok(a), Ok(b)) => rank(a).total_cmp(&rank(b)),
        (a, b) => a.is_err().cmp(&b.is_err()),
    }
}

/// Returns the parameters that some row sets, in the order of the axes.
fn parameters(rows: &[Row]) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for (parameter, _) in rows.iter().flat_map(|row| row.variant.choices()) {
        if !parameters.contains(parameter) {
            parameters.push(parameter.clone());
        }
    }
    parameters
}

/// Splits the parameters into those that differ between rows and those that do not.
fn split(rows: &[Row]) -> (Vec<Parameter>, Vec<Parameter>) {
    let differs = |parameter: &Parameter| {
        rows.windows(2).any(|pair| pair[0].variant.get(parameter) != pair[1].variant.get(parameter))
    };
    parameters(rows).into_iter().partition(differs)
}

fn table(varied: &[Parameter], rows: &[Row]) -> Table {
    let choices = varied.iter().map(|parameter| Column::right(parameter.name()));
    let figures = ["time", "speed-up", "utilisation", "waiting"].map(Column::right);
    let extra = Extra::of(rows);
    let mut table = Table::new(choices.chain(figures).chain(extra.columns()));
    for row in rows {
        let choices = varied.iter().map(|parameter| row.variant.get(parameter).unwrap_or("-").to_owned());
        let figures = match &row.outcome {
            Ok(figures) => [
                time(figures.time),
                significant(figures.speedup, 3),
                percent(100.0 * figures.utilisation),
                percent(100.0 * figures.waiting),
            ],
            Err(_) => ["failed", "-", "-", "-"].map(str::to_owned),
        };
        table.row(choices.chain(figures).chain(extra.cells(row)));
    }
    table
}

/// The columns that only some sweeps have.
#[derive(Clone, Copy)]
struct Extra {
    is_assessed: bool,
    has_cost: bool,
}

impl Extra {
    fn of(rows: &[Row]) -> Self {
        Self {
            is_assessed: rows.iter().any(|row| row.assessment.is_some()),
            has_cost: rows.iter().any(|row| row.cost.is_some()),
        }
    }

    fn columns(self) -> impl Iterator<Item = Column> {
        let cost = self.has_cost.then(|| Column::right("cost"));
        let assessed = self
            .is_assessed
            .then(|| [Column::right("from"), Column::right("to"), Column::text("limited by")]);
        cost.into_iter().chain(assessed.into_iter().flatten())
    }

    fn cells(self, row: &Row) -> impl Iterator<Item = String> {
        let none = || "-".to_owned();
        let cost = self.has_cost.then(|| row.cost.map_or_else(none, |cost| significant(cost, 3)));
        let assessed = self.is_assessed.then(|| match &row.assessment {
            Some(found) => [time(found.low), time(found.high), found.limit().to_string()],
            None => [none(), none(), none()],
        });
        cost.into_iter().chain(assessed.into_iter().flatten())
    }
}

fn named(parameter: &Parameter, row: &Row) -> String {
    format!("{} {}", parameter.name(), row.variant.get(parameter).unwrap_or("default"))
}

fn chosen(varied: &[Parameter], row: &Row) -> String {
    let words: Vec<String> = varied.iter().map(|parameter| named(parameter, row)).collect();
    if words.is_empty() { row.variant.in_words() } else { words.join(", ") }
}

fn csv(rows: &[Row]) -> Table {
    let parameters = parameters(rows);
    let figures = [
        "time_s",
        "scaled_speedup",
        "mean_utilisation",
        "waiting_share",
        "used_processors",
        "error",
        "cost",
        "low_s",
        "high_s",
        "limited_by",
    ]
    .map(Column::text);
    let mut table =
        Table::new(parameters.iter().map(|parameter| Column::text(parameter.name())).chain(figures));
    for row in rows {
        let choices =
            parameters.iter().map(|parameter| row.variant.get(parameter).unwrap_or_default().to_owned());
        let figures = match &row.outcome {
            Ok(figures) => [
                figures.time.to_string(),
                figures.speedup.to_string(),
                figures.utilisation.to_string(),
                figures.waiting.to_string(),
                figures.processors.to_string(),
                String::new(),
            ],
            Err(error) => ["", "", "", "", "", &error.to_string()].map(str::to_owned),
        };
        let found = row.assessment.as_ref();
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let extra = [
            number(row.cost),
            number(found.map(|found| found.low)),
            number(found.map(|found| found.high)),
            found.map_or_else(String::new, |found| found.limit().to_string()),
        ];
        table.row(choices.chain(figures).chain(extra));
    }
    table
}
