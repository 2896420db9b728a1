//! A scenario as a small timing diagram, a row for each participant.

mod play;

use std::fmt::Write as _;

use panto_transport::Time;

use super::language::Scenario;
use super::script::{Script, Values};
use crate::error::Result;
use play::{Activity, Diagram, Row, play};

/// Columns of the diagram.
const WIDTH: usize = 60;
/// Most rows of participants; more are omitted.
const MAX_ROWS: usize = 16;

impl Activity {
    const ALL: [Self; 3] = [Self::Late, Self::Computing, Self::Waiting];

    fn letter(self) -> char {
        match self {
            Self::Late => '.',
            Self::Computing => '#',
            Self::Waiting => '=',
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Late => "delayed",
            Self::Computing => "computes",
            Self::Waiting => "in the operation or waiting for it",
        }
    }
}

/// Draws a scenario with these values. Each operation is drawn as if it ended for all participants
/// at once, some time after the last one has issued it: the real time is what is measured.
pub fn draw(scenario: &Scenario, values: Values) -> Result<String> {
    let script = Script::new(scenario, values)?;
    let picture = play(&script, values.ranks);
    let end = picture.rows.iter().map(|row| row.stop).max().unwrap_or_default();
    let scale = Scale { end };
    let (rows, more) = together(&picture.rows);
    let flights = flights(scenario, &picture, &scale);
    let labels = rows.iter().map(|(label, _)| label).chain(flights.iter().map(|(label, _)| label));
    let wide = labels.map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (label, row) in &rows {
        let _ = writeln!(text, "{label:>wide$}  {}", scale.row(row));
    }
    if more > 0 {
        let _ = writeln!(text, "{:>wide$}  and {more} more rows", "...");
    }
    for (label, line) in &flights {
        let _ = writeln!(text, "{label:>wide$}  {line}");
    }
    let _ = writeln!(text, "{:>wide$}  {}", "", legend(&picture));
    Ok(text)
}

/// Returns rows shared by participants with equal steps at equal times.
fn together(rows: &[Row]) -> (Vec<(String, &Row)>, usize) {
    let mut shared: Vec<(Vec<usize>, &Row)> = Vec::new();
    for (rank, row) in rows.iter().enumerate() {
        match shared.iter_mut().find(|(_, other)| *other == row) {
            Some((ranks, _)) => ranks.push(rank),
            None => shared.push((vec![rank], row)),
        }
    }
    let more = shared.len().saturating_sub(MAX_ROWS);
    shared.truncate(MAX_ROWS);
    (shared.into_iter().map(|(ranks, row)| (numbers(&ranks), row)).collect(), more)
}

/// Formats ranks as `0..2,5`.
fn numbers(ranks: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &rank in ranks {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => runs.push((rank, rank)),
        }
    }
    let run = |(first, last): &(usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}..{last}") }
    };
    let all: Vec<String> = runs.iter().take(3).map(run).collect();
    all.join(",") + if runs.len() > 3 { ",..." } else { "" }
}

struct Scale {
    end: Time,
}

impl Scale {
    fn column(&self, time: Time) -> usize {
        let end = self.end.as_picos().max(1);
        (u128::from(time.as_picos()) * WIDTH as u128 / u128::from(end)).min(WIDTH as u128) as usize
    }

    /// Draws the steps of a participant between its start and its stop.
    fn row(&self, row: &Row) -> String {
        let mut line = vec![' '; WIDTH + 2];
        for &(from, to, doing) in &row.parts {
            line[1 + self.column(from)..=self.column(to)].fill(doing.letter());
        }
        line[self.column(row.start)] = '|';
        line[1 + self.column(row.stop)] = '|';
        line.into_iter().collect::<String>().trim_end().to_owned()
    }

    /// Draws `(~~~)` for each time that an operation is in flight.
    fn flights(&self, flights: &[(Time, Time)]) -> String {
        let mut line = vec![' '; WIDTH + 2];
        for &(from, to) in flights {
            let (from, to) = (1 + self.column(from), self.column(to));
            if from > to {
                continue;
            }
            line[from..=to].fill('~');
            line[from] = '(';
            line[to] = ')';
        }
        line.into_iter().collect::<String>().trim_end().to_owned()
    }
}

/// Returns a row for each operation, and one for the load.
fn flights(scenario: &Scenario, picture: &Diagram, scale: &Scale) -> Vec<(String, String)> {
    let named = scenario.operations.iter().zip(&picture.flights);
    let label = |name: &str, alone: bool| if alone { "in flight".to_owned() } else { name.to_owned() };
    let mut lines: Vec<(String, String)> = named
        .map(|(operation, flights)| (label(&operation.name, operation.line == 0), scale.flights(flights)))
        .collect();
    if let Some(from) = picture.rows.iter().filter_map(|row| row.load).min() {
        lines.push(("load".into(), scale.flights(&[(from, scale.end)])));
    }
    lines
}

fn legend(picture: &Diagram) -> String {
    let seen =
        |doing: &Activity| picture.rows.iter().flat_map(|row| &row.parts).any(|(_, _, other)| other == doing);
    let words = |doing: Activity| format!("{} {}", doing.letter(), doing.words());
    Activity::ALL.into_iter().filter(seen).map(words).collect::<Vec<_>>().join("   ")
}
