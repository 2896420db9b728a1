//! Predicted beside actual.

use super::programs::Program;
use super::{Predicted, median};
use crate::bench::{Mpi, Spread, interval, ratios};

/// Each program should be predicted this well,
const MOST: f64 = 0.10;
/// and half of them this well.
const MEDIAN: f64 = 0.05;

/// A program that was predicted and run.
pub struct Outcome<'a> {
    pub program: &'a Program,
    /// From the trace of each round.
    pub predicted: Vec<Predicted>,
    /// Seconds of each real run.
    pub actual: Vec<f64>,
}

impl<'a> Outcome<'a> {
    pub fn new(program: &'a Program) -> Self {
        Self { program, predicted: Vec::new(), actual: Vec::new() }
    }

    /// How far off, as a share of the actual time: the median over rounds, since neighbours in time had the same weather.
    fn error(&self) -> f64 {
        median(&ratios(&self.seconds(), &self.actual)) - 1.0
    }

    fn seconds(&self) -> Vec<f64> {
        self.predicted.iter().map(|predicted| predicted.seconds).collect()
    }

    fn communication(&self) -> Vec<f64> {
        self.predicted.iter().map(|predicted| predicted.communication).collect()
    }

    /// How far real runs are from each other: half of what lies between the least and the most.
    fn floor(&self) -> f64 {
        let Spread { least, median, most } = Spread::of(&self.actual);
        (most - least) / 2.0 / median
    }

    fn is_good(&self) -> bool {
        self.error().abs() <= MOST.max(self.floor())
    }
}

pub fn print(mpi: &Mpi, outcomes: &[Outcome]) {
    println!("\n{}: two ranks, traced on one core, predicted and run on two; medians of rounds", mpi.name);
    println!(
        "{:<10} {:>11} {:>11} {:>23} {:>8} {:>11}   of it not computation",
        "program", "predicted", "actual", "95% interval", "error", "noise floor"
    );
    for outcome in outcomes {
        let (low, high) = interval(&outcome.actual);
        println!(
            "{:<10} {:>8.1} ms {:>8.1} ms {:>9.1}..{:>7.1} ms {:>+7.1}% {:>10.1}%   {:>7.1} ms{}",
            outcome.program.name,
            median(&outcome.seconds()) * 1e3,
            median(&outcome.actual) * 1e3,
            low * 1e3,
            high * 1e3,
            outcome.error() * 100.0,
            outcome.floor() * 100.0,
            median(&outcome.communication()) * 1e3,
            if outcome.is_good() { "" } else { "   MISSED" }
        );
    }
    let errors: Vec<f64> = outcomes.iter().map(|outcome| outcome.error().abs()).collect();
    let good = outcomes.iter().filter(|outcome| outcome.is_good()).count();
    let median = Spread::of(&errors).median;
    println!(
        "{good} of {} within {:.0} % or the noise floor; median error {:.1} %, goal {:.0} %: {}",
        outcomes.len(),
        MOST * 100.0,
        median * 100.0,
        MEDIAN * 100.0,
        if median <= MEDIAN { "met" } else { "MISSED" }
    );
}
