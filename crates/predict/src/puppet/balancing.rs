//! Load balancing: tables A.5 and A.6.

use panto_sim::program::Program;
use panto_units::Time;

use super::fit::Parameters;
use super::machines::Bench;
use super::programs::{fan_in, merge_sort};
use super::published::{Published, Status};
use super::{Cell, Compared};
use crate::balance::{self, Attempt, Effort, Scheme, Watch};
use crate::error::Error;

const PROCESSES: usize = 32;
const PROCESSORS: usize = 9;
const ATTEMPTS: usize = 3;
/// The order of fan-in's matrix,
const ORDER: usize = 600;
/// and the integers of the merge sort.
const INTEGERS: usize = 80_000;
/// Where random mappings begin.
const SEED: u64 = 1;
/// The programs: section 5.5 says fan-in, the caption of table A.6 says merge-sort.
const PROGRAMS: [&str; 2] = ["fan-in (text)", "merge-sort (caption)"];
/// The attempt and the iterations whose utilisations the thesis shows.
pub(super) const SHOWN: usize = 3;
pub(super) const FIRST: &str = "0";
pub(super) const BEST: &str = "9";

/// The parallel times of an attempt, iteration by iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Convergence {
    /// The attempt, from 1.
    pub attempt: usize,
    /// `printed`, or the program.
    pub whose: String,
    /// Seconds.
    pub times: Vec<f64>,
}

/// Nobody waits for the end.
struct Unwatched;

impl Watch for Unwatched {
    fn is_over(&self) -> bool {
        false
    }

    fn tried(&self, _time: Time) {}
}

/// Both tables, and the attempts in full.
pub(super) fn tables(
    published: &Published,
    bench: &Bench,
    parameters: &Parameters,
) -> Result<(Vec<Compared>, Vec<Convergence>), Error> {
    let programs = [fan_in(ORDER, PROCESSES, parameters), merge_sort(INTEGERS, PROCESSES, parameters)];
    let attempts = [balance(&programs[0], bench)?, balance(&programs[1], bench)?];
    let tables = vec![convergence_table(published, &attempts), utilisation_table(published, &attempts)];
    Ok((tables, convergence(published, &attempts)))
}

fn balance(program: &Program, bench: &Bench) -> Result<Vec<Attempt>, Error> {
    let task = bench.shared(program, PROCESSORS)?;
    let effort = Effort { schemes: vec![Scheme::Puppet], attempts: ATTEMPTS, steps: 0, seed: SEED };
    let found = balance::balance(&task, &[], &effort, &Unwatched);
    Ok(found.map_err(|halted| Error::new(halted.describe(program).to_string()))?.attempts)
}

/// A row of both programs beside the same printed figure.
fn row(name: &str, printed: f64, status: Status, simulated: [f64; 2]) -> [Cell; 2] {
    let cell = |(column, simulated): (&str, f64)| Cell {
        row: name.into(),
        column: column.into(),
        printed,
        simulated,
        status,
    };
    [(PROGRAMS[0], simulated[0]), (PROGRAMS[1], simulated[1])].map(cell)
}

/// Table A.5: how good the mappings are that the attempts begin with and come to.
fn convergence_table(published: &Published, attempts: &[Vec<Attempt>; 2]) -> Compared {
    let mut cells = Vec::new();
    for number in 1..=ATTEMPTS {
        let printed = published.row("A.5", &number.to_string());
        let of =
            |what: fn(&Attempt) -> f64| [0, 1].map(|program: usize| what(&attempts[program][number - 1]));
        let best = printed.iter().copied().fold(f64::INFINITY, f64::min);
        let first = printed.first().copied().unwrap_or(f64::NAN);
        // The size of the problem comes from the one whose utilisations are known.
        let status = if number == SHOWN { Status::Given } else { Status::Predicted };
        let mut add = |name: &str, printed: f64, status: Status, simulated: [f64; 2]| {
            cells.extend(row(&format!("{number}: {name}"), printed, status, simulated));
        };
        add("first, s", first, status, of(|attempt| attempt.first.time.as_secs()));
        add("best, s", best, status, of(|attempt| attempt.best.time.as_secs()));
        add("mappings", printed.len() as f64, Status::Predicted, of(|attempt| attempt.tried as f64));
    }
    Compared {
        table: "A.5".into(),
        about: format!("PUPPET's load balancing of {PROCESSES} processes on {PROCESSORS} processors"),
        rows: "attempt",
        cells,
    }
}

/// Table A.6: the utilisation of processors under the first and the best mapping of the third attempt. Processors of other random mappings
/// cannot be compared one by one.
fn utilisation_table(published: &Published, attempts: &[Vec<Attempt>; 2]) -> Compared {
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
            let status = if which == "mean" { Status::Given } else { Status::Predicted };
            cells.extend(row(&format!("{name}: {which}, %"), printed[nth], status, both));
        }
    }
    Compared {
        table: "A.6".into(),
        about: format!("utilisation of the {PROCESSORS} processors under two mappings of attempt {SHOWN}"),
        rows: "mapping",
        cells,
    }
}

/// The least, the mean and the most.
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
