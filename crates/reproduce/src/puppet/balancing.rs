//! Load balancing: tables A.5 and A.6 of PUPPET's thesis.

use panto_predict::balance;
use panto_predict::balance::{Attempt, Effort, Monitor, Scheme};
use panto_sim::program::Program;
use panto_units::Time;

use super::contradictions::Contradiction;
use super::fit::Parameters;
use super::machines::Bench;
use super::programs::{fan_in, merge_sort};
use super::published::Published;
use super::{Cell, ComparedTable, TableKind};
use crate::Status;
use crate::error::{Error, Result};

/// Processes of the balanced program.
const PROCESSES: usize = 32;
/// Processors that the processes share.
const PROCESSORS: usize = 9;
/// Attempts at balancing, each from a random mapping.
const ATTEMPTS: usize = 3;
/// Order of fan-in's matrix.
const ORDER: usize = 600;
/// Number of integers of the merge sort.
const INTEGERS: usize = 80_000;
/// Seed of the random mappings.
const SEED: u64 = 1;
/// The programs: section 5.5 says fan-in, the caption of table A.6 says merge-sort.
const PROGRAMS: [&str; 2] = ["fan-in (text)", "merge-sort (caption)"];
/// The attempt whose utilisations the thesis shows.
pub(super) const SHOWN: usize = 3;
/// The iteration of the first mapping of that attempt.
pub(super) const FIRST: &str = "0";
/// The iteration of the best mapping of that attempt.
pub(super) const BEST: &str = "9";

/// The parallel times of an attempt, iteration by iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Convergence {
    /// The attempt, from 1.
    pub attempt: usize,
    /// `printed`, or the name of the program.
    pub whose: String,
    /// The parallel times in seconds.
    pub times: Vec<f64>,
}

/// An observer that never ends the search.
struct Unwatched;

impl Monitor for Unwatched {
    fn should_stop(&self) -> bool {
        false
    }

    fn evaluated(&self, _time: Time) {}
}

/// Returns both tables, and all iterations of the attempts.
pub(super) fn tables(
    published: &Published,
    bench: &Bench,
    parameters: &Parameters,
) -> Result<(Vec<ComparedTable>, Vec<Convergence>)> {
    let programs = [fan_in(ORDER, PROCESSES, parameters.update), merge_sort(INTEGERS, PROCESSES, parameters)];
    let attempts = [balance(&programs[0], bench)?, balance(&programs[1], bench)?];
    let tables = vec![convergence_table(published, &attempts), utilisation_table(published, &attempts)];
    Ok((tables, convergence(published, &attempts)))
}

fn balance(program: &Program, bench: &Bench) -> Result<Vec<Attempt>> {
    let task = bench.shared(program, PROCESSORS)?;
    let effort = Effort { schemes: vec![Scheme::Puppet], attempts: ATTEMPTS, steps: 0, seed: SEED };
    let found = balance::balance(&task, &[], &effort, &Unwatched);
    Ok(found.map_err(|deadlock| Error::Deadlock(deadlock.describe(program).to_string()))?.attempts)
}

/// Returns the cells of both programs for the same printed figure. The thesis contradicts itself
/// about which of them it balances.
fn row(name: &str, printed: f64, simulated: [f64; 2]) -> [Cell; 2] {
    let cell = |(column, simulated): (&str, f64)| Cell {
        row: name.into(),
        column: column.into(),
        printed,
        simulated,
        status: Status::Contradicted,
        contradiction: Some(Contradiction::Program),
    };
    [(PROGRAMS[0], simulated[0]), (PROGRAMS[1], simulated[1])].map(cell)
}

/// Returns table A.5: the times of the first and the best mapping of each attempt.
fn convergence_table(published: &Published, attempts: &[Vec<Attempt>; 2]) -> ComparedTable {
    let mut cells = Vec::new();
    for number in 1..=ATTEMPTS {
        let printed = published.row("A.5", &number.to_string());
        let of =
            |what: fn(&Attempt) -> f64| [0, 1].map(|program: usize| what(&attempts[program][number - 1]));
        let best = printed.iter().copied().fold(f64::INFINITY, f64::min);
        let first = printed.first().copied().unwrap_or(f64::NAN);
        let mut add = |name: &str, printed: f64, simulated: [f64; 2]| {
            cells.extend(row(&format!("{number}: {name}"), printed, simulated));
        };
        add("first, s", first, of(|attempt| attempt.first.time.as_secs()));
        add("best, s", best, of(|attempt| attempt.best.time.as_secs()));
        add("mappings", printed.len() as f64, of(|attempt| attempt.tried as f64));
    }
    ComparedTable {
        kind: TableKind::Convergence,
        table: "A.5".into(),
        about: format!("PUPPET's load balancing of {PROCESSES} processes on {PROCESSORS} processors"),
        rows: "attempt",
        cells,
    }
}

/// Returns table A.6: the utilisation of processors under the first and the best mapping of the
/// third attempt. The random mappings differ from those of the thesis, so processors cannot be
/// compared one by one.
fn utilisation_table(published: &Published, attempts: &[Vec<Attempt>; 2]) -> ComparedTable {
    let mut cells = Vec::new();
    for (name, iteration) in [("first", FIRST), ("best", BEST)] {
        let printed = bounds(&published.row("A.6", iteration));
        let simulated = attempts.each_ref().map(|attempts| {
            let attempt = &attempts[SHOWN - 1];
            let trial = if iteration == FIRST { &attempt.first } else { &attempt.best };
            bounds(
                &(0..PROCESSORS).map(|processor| 100.0 * trial.utilisation(processor)).collect::<Vec<f64>>(),
            )
        });
        for (nth, which) in ["least", "mean", "most"].into_iter().enumerate() {
            let both = simulated.map(|bounds| bounds[nth]);
            cells.extend(row(&format!("{name}: {which}, %"), printed[nth], both));
        }
    }
    ComparedTable {
        kind: TableKind::Utilisation,
        table: "A.6".into(),
        about: format!("utilisation of the {PROCESSORS} processors under two mappings of attempt {SHOWN}"),
        rows: "mapping",
        cells,
    }
}

/// Returns the minimum, the mean and the maximum.
fn bounds(values: &[f64]) -> [f64; 3] {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [least, values.iter().sum::<f64>() / values.len() as f64, most]
}

fn convergence(published: &Published, attempts: &[Vec<Attempt>; 2]) -> Vec<Convergence> {
    let mut all = Vec::new();
    for number in 1..=ATTEMPTS {
        let times = published.row("A.5", &number.to_string());
        all.push(Convergence { attempt: number, whose: "printed".into(), times });
        for (name, attempts) in PROGRAMS.iter().zip(attempts) {
            let times = attempts[number - 1].steps.iter().map(|step| step.time.as_secs()).collect();
            all.push(Convergence { attempt: number, whose: (*name).into(), times });
        }
    }
    all
}
