//! A scenario as a small diagram of time, a row for each participant.

mod play;

use std::fmt::Write as _;

use panto_transport::Time;

use super::language::Scenario;
use super::script::{Script, Values};
use crate::error::Result;
use play::{Doing, Picture, Row, play};

/// Columns of the diagram.
const WIDTH: usize = 60;
/// Rows of participants; more are left out.
const MOST_ROWS: usize = 16;

impl Doing {
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

/// Draws a scenario with these values: as if each operation ended for everybody at once, a while after the last one has issued it.
/// How long that while is, no diagram knows: it is what is measured.
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

/// Participants that do the same at the same time share a row.
fn together(rows: &[Row]) -> (Vec<(String, &Row)>, usize) {
    let mut shared: Vec<(Vec<usize>, &Row)> = Vec::new();
    for (rank, row) in rows.iter().enumerate() {
        match shared.iter_mut().find(|(_, other)| *other == row) {
            Some((ranks, _)) => ranks.push(rank),
            None => shared.push((vec![rank], row)),
        }
    }
    let more = shared.len().saturating_sub(MOST_ROWS);
    shared.truncate(MOST_ROWS);
    (shared.into_iter().map(|(ranks, row)| (numbers(&ranks), row)).collect(), more)
}

/// `0..2,5`
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

    /// What a participant does between its start and its stop.
    fn row(&self, row: &Row) -> String {
        let mut line = vec![' '; WIDTH + 2];
        for &(from, to, doing) in &row.parts {
            line[1 + self.column(from)..=self.column(to)].fill(doing.letter());
        }
        line[self.column(row.start)] = '|';
        line[1 + self.column(row.stop)] = '|';
        line.into_iter().collect::<String>().trim_end().to_owned()
    }

    /// `(~~~)` from one moment to another, as often as it happens.
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

/// A row for each operation, and one for the load.
fn flights(scenario: &Scenario, picture: &Picture, scale: &Scale) -> Vec<(String, String)> {
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

fn legend(picture: &Picture) -> String {
    let seen =
        |doing: &Doing| picture.rows.iter().flat_map(|row| &row.parts).any(|(_, _, other)| other == doing);
    let words = |doing: Doing| format!("{} {}", doing.letter(), doing.words());
    Doing::ALL.into_iter().filter(seen).map(words).collect::<Vec<_>>().join("   ")
}
