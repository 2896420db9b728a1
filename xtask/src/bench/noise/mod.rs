//! Whether figures can be believed on a busy machine: Panto measures while this program disturbs
//! it.
//!
//! A figure of a run or a model that is good or fair is held to what quiet runs found; one that is
//! poor claims nothing. A good figure that is more than 20 % off, or a fair one that is more than
//! 50 % off, is a false claim.

mod cpu_limit;
mod interference;
mod subject;

use std::collections::BTreeMap;
use std::path::Path;

use self::interference::{Disturbance, Interference};
use self::subject::{Measured, Subject};
use super::{Outcome, panto};
use crate::failure::Result;

/// The true times in nanoseconds.
type Truth = BTreeMap<String, f64>;

/// What became of the runs under one disturbance.
#[derive(Default)]
struct Tally {
    grades: BTreeMap<String, usize>,
    /// The largest deviation of a figure that was not poor.
    worst: f64,
    /// Runs with a figure that is further off than its grade allows.
    false_claims: usize,
}

pub fn run() -> Result<Outcome> {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return Ok(Outcome::Skipped("it needs 2 cores".into()));
    }
    let program = panto::build()?;
    let (mut runs, mut false_claims) = (0, 0);
    for subject in Subject::ALL {
        let (of_subject, false_of_subject) = disturb(&program, subject)?;
        runs += of_subject;
        false_claims += false_of_subject;
    }
    println!("\n{false_claims} of {runs} runs claim a figure that is false");
    Ok(Outcome::Done)
}

/// Runs a command under every disturbance; returns how many runs there were, and how many of them
/// claim something false.
fn disturb(program: &Path, subject: Subject) -> Result<(usize, usize)> {
    let quiet: Vec<Measured> = (0..subject.quiet_runs())
        .map(|_| measure(program, subject, Interference::Quiet))
        .collect::<Result<_>>()?;
    let truth = medians(&quiet);
    println!("\n`panto {}`, {} figures", subject.line(), truth.len());
    println!("{:<46}{:>6}{:>6}{:>6}{:>12}{:>8}", "disturbance", "good", "fair", "poor", "worst off", "false");
    let (mut runs, mut false_claims) = (0, 0);
    for interference in Interference::ALL.into_iter().filter(|interference| interference.is_possible()) {
        let mut tally = Tally::default();
        for _ in 0..subject.runs() {
            tally.add(&measure(program, subject, interference)?, &truth);
        }
        tally.print(interference.name());
        runs += subject.runs();
        false_claims += tally.false_claims;
    }
    Ok((runs, false_claims))
}

/// Measures under a disturbance.
fn measure(program: &Path, subject: Subject, interference: Interference) -> Result<Measured> {
    let run = subject.start(program)?;
    let disturbance = Disturbance::start(interference, run.process());
    let ended = run.wait();
    disturbance.stop();
    ended?.figures(program)
}

/// Returns the median of each figure over runs.
fn medians(runs: &[Measured]) -> Truth {
    let mut all: BTreeMap<&String, Vec<f64>> = BTreeMap::new();
    for (name, figure) in runs.iter().flat_map(|run| &run.figures) {
        all.entry(name).or_default().push(figure.nanos);
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    all.into_iter().map(|(name, values)| (name.clone(), median(values))).collect()
}

impl Tally {
    fn add(&mut self, run: &Measured, truth: &Truth) {
        *self.grades.entry(run.grade.clone()).or_default() += 1;
        let off = |(name, figure): (&String, &subject::Figure)| {
            truth.get(name).map(|truth| ((figure.nanos / truth - 1.0).abs(), figure.limit))
        };
        let offs: Vec<(f64, f64)> = run.figures.iter().filter_map(off).collect();
        self.worst = offs.iter().fold(self.worst, |worst, (off, _)| worst.max(*off));
        self.false_claims += usize::from(offs.iter().any(|(off, limit)| off > limit));
    }

    fn print(&self, name: &str) {
        let count = |grade: &str| self.grades.get(grade).copied().unwrap_or(0);
        println!(
            "{name:<46}{:>6}{:>6}{:>6}{:>11.0}%{:>8}",
            count("good"),
            count("fair"),
            count("poor"),
            100.0 * self.worst,
            self.false_claims
        );
    }
}

#[cfg(test)]
mod tests {
    use super::subject::{Figure, limit_of};
    use super::*;

    fn run(grade: &str, nanos: f64) -> Measured {
        let figure = limit_of(grade).map(|limit| ("comet/echo 8".to_owned(), Figure { nanos, limit }));
        Measured { grade: grade.into(), figures: figure.into_iter().collect() }
    }

    #[test]
    fn poor_runs_claim_nothing() {
        let truth = medians(&[run("good", 200.0), run("good", 190.0), run("good", 210.0)]);
        let mut tally = Tally::default();
        for measured in [run("poor", 9e6), run("good", 220.0), run("fair", 280.0)] {
            tally.add(&measured, &truth);
        }
        assert_eq!(tally.false_claims, 0);
        tally.add(&run("good", 250.0), &truth);
        assert_eq!(tally.false_claims, 1);
    }
}
