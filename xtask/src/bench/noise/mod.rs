//! Whether figures can be believed on a busy machine: Panto measures while this program disturbs
//! it.
//!
//! A point of a run that is good or fair is held to what quiet runs found; a run that is poor
//! claims nothing. A figure of a good run that is more than 20 % off, or of a fair run that is more
//! than 50 % off, is a false claim.

mod interference;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use self::interference::{Disturbance, Interference};
use super::{Outcome, panto};
use crate::failure::{Failure, Result};

/// Runs on the undisturbed machine, of whose figures the median is the truth.
const QUIET_RUNS: usize = 5;
/// Runs under each disturbance.
const RUNS: usize = 20;
/// What may be off by how much in a good run and in a fair one.
const LIMITS: [(&str, f64); 2] = [("good", 0.2), ("fair", 0.5)];

/// What is measured: messages small and large, and a collective.
const WORK: &[&str] = &[
    "bench",
    "comet/echo",
    "comet/broadcast",
    "--ranks",
    "2",
    "--hops",
    "1",
    "--sizes",
    "8,1KiB,64KiB,1MiB",
    "-t",
    "6s",
    "--format",
    "json",
];

/// The median time of a point in nanoseconds, and by how much it may be off.
#[derive(Clone, Copy)]
struct Figure {
    nanos: f64,
    limit: f64,
}

/// What a run printed of points that are not poor.
struct Measured {
    grade: String,
    figures: BTreeMap<String, Figure>,
}

/// The true times of points in nanoseconds.
type Truth = BTreeMap<String, f64>;

/// What became of the runs under one disturbance.
#[derive(Default)]
struct Tally {
    grades: BTreeMap<String, usize>,
    /// The largest deviation of a figure of a run that was not poor.
    worst: f64,
    /// Runs with a figure that is further off than the grade allows.
    false_claims: usize,
}

pub fn run() -> Result<Outcome> {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return Ok(Outcome::Skipped("it needs 2 cores".into()));
    }
    let program = panto::build()?;
    let quiet: Vec<Measured> =
        (0..QUIET_RUNS).map(|_| measure(&program, Interference::Quiet)).collect::<Result<_>>()?;
    let truth = medians(&quiet);
    println!("`panto {}`", WORK.join(" "));
    println!(
        "\n{:<46}{:>6}{:>6}{:>6}{:>12}{:>8}",
        "disturbance", "good", "fair", "poor", "worst off", "false"
    );
    let (mut runs, mut false_claims) = (0, 0);
    for interference in Interference::ALL {
        let mut tally = Tally::default();
        for _ in 0..RUNS {
            tally.add(&measure(&program, interference)?, &truth);
        }
        tally.print(interference.name());
        runs += RUNS;
        false_claims += tally.false_claims;
    }
    println!("\n{false_claims} of {runs} runs claim a figure that is false");
    Ok(Outcome::Done)
}

/// Measures under a disturbance.
fn measure(program: &Path, interference: Interference) -> Result<Measured> {
    let failed = |error| Failure::failed(format!("cannot run {}: {error}", program.display()));
    let child = Command::new(program).args(WORK).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let child = child.map_err(failed)?;
    let disturbance = Disturbance::start(interference, child.id());
    let output = child.wait_with_output().map_err(failed)?;
    disturbance.stop();
    let printed = String::from_utf8_lossy(&output.stdout);
    parse(&printed).ok_or_else(|| Failure::failed(format!("panto printed unexpected JSON:\n{printed}")))
}

fn parse(printed: &str) -> Option<Measured> {
    let results: Value = serde_json::from_str(printed).ok()?;
    let grade = results["quality"]["grade"].as_str()?;
    // A point is not claimed to be better than its run.
    let limit = |point: &Value| Some(limit_of(point["grade"].as_str()?)?.max(limit_of(grade)?));
    let figure = |point: &Value| {
        let name = format!("{} {}", point["kernel"].as_str()?, point["params"]["bytes"]);
        Some((name, Figure { nanos: point["summary"]["median_ns"].as_f64()?, limit: limit(point)? }))
    };
    let figures = results["points"].as_array()?.iter().filter_map(figure).collect();
    Some(Measured { grade: grade.to_owned(), figures })
}

/// Returns by how much a figure of this grade may be off; `None` if it claims nothing.
fn limit_of(grade: &str) -> Option<f64> {
    LIMITS.iter().find(|(name, _)| *name == grade).map(|(_, limit)| *limit)
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
        let off = |(name, figure): (&String, &Figure)| {
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
    use super::*;

    fn run(grade: &str, nanos: f64) -> Measured {
        let figure = limit_of(grade).map(|limit| ("comet/echo 8".to_owned(), Figure { nanos, limit }));
        Measured { grade: grade.into(), figures: figure.into_iter().collect() }
    }

    #[test]
    fn poor_points_and_poor_runs_claim_nothing() {
        let printed = r#"{"quality":{"grade":"fair"},"points":[
            {"kernel":"comet/echo","params":{"bytes":8},"grade":"good","summary":{"median_ns":200}},
            {"kernel":"comet/echo","params":{"bytes":64},"grade":"poor","summary":{"median_ns":9e6}}]}"#;
        let measured = parse(printed).unwrap();
        assert_eq!((measured.grade.as_str(), measured.figures.len()), ("fair", 1));
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
