//! The table of predicted and actual times.

use super::median;
use super::prediction::Predicted;
use super::programs::Program;
use crate::bench::{Mpi, Spread, interval, ratios};

/// Goal for the relative error of each program.
const MAX_ERROR: f64 = 0.10;
/// Goal for the median relative error.
const MEDIAN_ERROR: f64 = 0.05;

/// A program that was predicted and run.
pub struct Outcome<'a> {
    pub program: &'a Program,
    /// The prediction from the trace of each round.
    pub predicted: Vec<Predicted>,
    /// Seconds of each real run.
    pub actual: Vec<f64>,
    /// Seconds of its messages alone, really executed.
    pub alone: Vec<f64>,
}

impl<'a> Outcome<'a> {
    pub fn new(program: &'a Program) -> Self {
        Self { program, predicted: Vec::new(), actual: Vec::new(), alone: Vec::new() }
    }

    /// Returns the relative error: the median over rounds of the ratio within a round, since core
    /// speeds drift.
    fn error(&self) -> f64 {
        median(&ratios(&self.seconds(), &self.actual)) - 1.0
    }

    /// Returns the 95 % interval of the error.
    fn error_interval(&self) -> (f64, f64) {
        let (low, high) = interval(&ratios(&self.seconds(), &self.actual));
        (low - 1.0, high - 1.0)
    }

    fn seconds(&self) -> Vec<f64> {
        self.predicted.iter().map(|predicted| predicted.seconds).collect()
    }

    /// Returns the relative error without the measured core speeds.
    fn error_unadjusted(&self) -> f64 {
        let seconds: Vec<f64> = self.predicted.iter().map(|predicted| predicted.unadjusted).collect();
        median(&ratios(&seconds, &self.actual)) - 1.0
    }

    /// Returns the predicted seconds of the messages alone.
    fn predicted_alone(&self) -> Vec<f64> {
        self.predicted.iter().map(|predicted| predicted.alone).collect()
    }

    /// Returns the relative error of the messages alone.
    fn error_alone(&self) -> f64 {
        median(&ratios(&self.predicted_alone(), &self.alone)) - 1.0
    }

    /// Returns the number of rounds whose real run was inside the predicted interval, and the
    /// number with an interval.
    fn covered(&self) -> (usize, usize) {
        let rounds = self.predicted.iter().zip(&self.actual);
        let inside = rounds.filter_map(|(predicted, actual)| {
            predicted.interval.map(|(low, high)| (low..=high).contains(actual))
        });
        let inside: Vec<bool> = inside.collect();
        (inside.iter().filter(|is_inside| **is_inside).count(), inside.len())
    }

    /// Returns the noise floor: the median deviation of real runs from their median, which single
    /// interrupted runs do not raise.
    fn floor(&self) -> f64 {
        let middle = median(&self.actual);
        let apart: Vec<f64> = self.actual.iter().map(|seconds| (seconds - middle).abs()).collect();
        median(&apart) / middle
    }

    fn verdict(&self) -> Verdict {
        if self.floor() > MAX_ERROR {
            Verdict::Undecided
        } else if self.error().abs() <= MAX_ERROR {
            Verdict::Good
        } else {
            Verdict::Missed
        }
    }
}

/// Whether a program was predicted well enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Good,
    Missed,
    /// Real runs differ among themselves by more than the goal, so that they decide nothing.
    Undecided,
}

impl Verdict {
    /// Returns the end of the program's row.
    fn note(self) -> &'static str {
        match self {
            Self::Good => "",
            Self::Missed => "   MISSED",
            Self::Undecided => "   not counted: real runs differ by more than the goal among themselves",
        }
    }
}

/// Prints the table; returns whether the goals were met.
pub fn print(mpi: &Mpi, what: &str, outcomes: &[Outcome]) -> bool {
    println!("\n{}: {what}; medians of rounds", mpi.name);
    println!(
        "{:<10} {:>11} {:>11} {:>23} {:>8} {:>17} {:>11} {:>11} | {:>11} {:>11} {:>8}",
        "program",
        "predicted",
        "actual",
        "95% interval",
        "error",
        "its 95% interval",
        "noise floor",
        "unadjusted",
        "msgs alone",
        "actual",
        "error"
    );
    for outcome in outcomes {
        let (low, high) = interval(&outcome.actual);
        let (least, most) = outcome.error_interval();
        println!(
            "{:<10} {:>8.1} ms {:>8.1} ms {:>9.1}..{:>7.1} ms {:>+7.1}% {:>+8.1}..{:>+6.1}% {:>10.1}% {:>+10.1}% | {:>8.2} ms {:>8.2} ms {:>+7.1}%{}",
            outcome.program.name,
            median(&outcome.seconds()) * 1e3,
            median(&outcome.actual) * 1e3,
            low * 1e3,
            high * 1e3,
            outcome.error() * 100.0,
            least * 100.0,
            most * 100.0,
            outcome.floor() * 100.0,
            outcome.error_unadjusted() * 100.0,
            median(&outcome.predicted_alone()) * 1e3,
            median(&outcome.alone) * 1e3,
            outcome.error_alone() * 100.0,
            outcome.verdict().note()
        );
    }
    let counted: Vec<&Outcome> =
        outcomes.iter().filter(|outcome| outcome.verdict() != Verdict::Undecided).collect();
    if counted.is_empty() {
        println!("no program is counted: all real runs differ by more than {:.0} %", MAX_ERROR * 100.0);
        return true;
    }
    let errors: Vec<f64> = counted.iter().map(|outcome| outcome.error().abs()).collect();
    let alone: Vec<f64> = counted.iter().map(|outcome| outcome.error_alone().abs()).collect();
    let good = counted.iter().filter(|outcome| outcome.verdict() == Verdict::Good).count();
    let middle = Spread::of(&errors).median;
    println!(
        "{good} of {} counted within {:.0} %; median error {:.1} %, goal {:.0} %: {}; messages alone: median error {:.1} %",
        counted.len(),
        MAX_ERROR * 100.0,
        middle * 100.0,
        MEDIAN_ERROR * 100.0,
        if middle <= MEDIAN_ERROR { "met" } else { "MISSED" },
        Spread::of(&alone).median * 100.0
    );
    let (inside, of) =
        outcomes.iter().map(Outcome::covered).fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    if of > 0 {
        println!(
            "{inside} of {of} real runs were inside the interval that `--samples` predicts from the uncertainty of the model and of core speeds"
        );
    }
    good == counted.len() && middle <= MEDIAN_ERROR
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that was predicted to take a second.
    fn outcome(actual: &[f64]) -> Outcome<'static> {
        static PROGRAM: Program = Program { name: "one", words: &["one"] };
        let predicted = || Predicted { seconds: 1.0, unadjusted: 1.0, alone: 1.0, interval: None };
        Outcome {
            predicted: actual.iter().map(|_| predicted()).collect(),
            actual: actual.to_vec(),
            ..Outcome::new(&PROGRAM)
        }
    }

    #[test]
    fn runs_that_differ_too_much_decide_nothing() {
        assert_eq!(outcome(&[1.0, 1.05, 1.02]).verdict(), Verdict::Good);
        assert_eq!(outcome(&[1.3, 1.31, 1.32]).verdict(), Verdict::Missed);
        assert_eq!(outcome(&[0.7, 1.0, 1.4]).verdict(), Verdict::Undecided);
        assert_eq!(outcome(&[2.0, 3.0, 4.0]).verdict(), Verdict::Undecided);
    }
}
