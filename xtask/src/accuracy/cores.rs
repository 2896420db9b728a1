//! On two cores of this machine: traced on one, predicted for both, and run there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use super::prediction::{self, Pace, Question, performed};
use super::programs::Program;
use super::report::{self, Outcome};
use super::weather::{Weather, Window};
use super::{PAIR, ROUNDS, samples};
use crate::bench::Mpi;
use crate::failure::{Failure, Result};
use crate::shell;

/// Messages alone, after as many times as it takes until they take no longer the next time: what a library does at first is no cost of a
/// message.
const STEADY: &[&str] = &["--warm-up", "8", "--repetitions", "5"];

/// How long the cores are watched before the first run.
const PAST: Duration = Duration::from_secs(10);

/// All programs on one MPI.
pub fn compare(mpi: &Mpi, panto: &Path, programs: &[&'static Program], folder: &Path) -> Result<bool> {
    eprintln!("{}: measuring the machine", mpi.name);
    let model = calibrate(mpi, panto, folder)?;
    let question = Question { panto, model: &model, ranks: PAIR, rules: mpi.rules() };
    let mut weather = Weather::start(mpi, folder)?;
    // So that there is a past.
    sleep(PAST);
    let mut outcomes: Vec<Outcome> = programs.iter().map(|program| Outcome::new(program)).collect();
    for round in 1..=ROUNDS {
        eprintln!("{}: round {round} of {ROUNDS}", mpi.name);
        for outcome in &mut outcomes {
            let trace = folder.join(format!("{}-{}-{round}.panto", mpi.folder, outcome.program.name));
            let traced = record(mpi, panto, outcome.program, PAIR, &trace)?;
            let real = actual(mpi, outcome.program)?;
            outcome.predicted.push(question.predict(&trace, &pace(&mut weather, &traced, &real)?)?);
            outcome.actual.push(real.seconds);
            outcome.alone.push(performed(mpi.command(panto), &trace, "none", mpi.rules(), STEADY)?);
        }
    }
    samples::save(&format!("{}-cores", mpi.folder), &outcomes)?;
    Ok(report::print(mpi, "two ranks, traced on one core, predicted and run on two", &outcomes))
}

/// The machine as it is: what is found with a rank on each core.
fn calibrate(mpi: &Mpi, panto: &Path, folder: &Path) -> Result<PathBuf> {
    let model = folder.join(format!("cores-{}.toml", mpi.folder));
    shell::capture(mpi.command(panto).arg("calibrate").arg("-o").arg(&model))?;
    Ok(model)
}

/// How fast each core was during the real run, against the first one while the program was traced there; and how fast one had to expect it
/// to be.
fn pace(weather: &mut Weather, traced: &Run, real: &Run) -> Result<Pace> {
    let there = weather.of(0, traced.window)?;
    // On its own core, a rank takes half as long.
    let (before, length) = (traced.window.to, traced.seconds / PAIR as f64);
    let mut pace = Pace::same();
    for core in 0..PAIR {
        pace.measured.push(weather.of(core, real.window)?.speed(there));
        let (fast, slow) = weather.before(core, before, length)?;
        pace.expected.push((slow.speed(there), fast.speed(there)));
    }
    Ok(pace)
}

/// A run of a program.
pub struct Run {
    /// From the end of `MPI_Init` to the beginning of `MPI_Finalize`, the longest of a rank.
    seconds: f64,
    window: Window,
}

/// Traces a program with all ranks on the first core.
pub fn record(mpi: &Mpi, panto: &Path, program: &Program, ranks: usize, trace: &Path) -> Result<Run> {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(panto).args(["trace", "--token", "-o"]).arg(trace).arg("--");
    command.args(mpi.shared_core()).arg(ranks.to_string());
    command.arg(mpi.app(program.words[0]));
    run(&mut command, program)
}

/// A real run on two cores.
fn actual(mpi: &Mpi, program: &Program) -> Result<Run> {
    run(&mut mpi.command(&mpi.app(program.words[0])), program)
}

fn run(command: &mut Command, program: &Program) -> Result<Run> {
    let printed = prediction::run(command.args(&program.words[1..]).env("APP_TIMES", "1"))?;
    said(&printed)
        .ok_or_else(|| Failure::failed(format!("`{}` did not say how long it ran", shell::line(command))))
}

/// What ranks say of their time: `ran for 1.5 s until 1700000000.25`. Launchers do not always keep lines apart.
fn said(printed: &str) -> Option<Run> {
    let ranks = printed.split("ran for ").skip(1).filter_map(|text| {
        let mut words = text.split_whitespace();
        let seconds: f64 = words.next()?.parse().ok()?;
        let to: f64 = words.nth(2)?.parse().ok()?;
        Some(Run { seconds, window: Window { from: to - seconds, to } })
    });
    ranks.max_by(|one, other| one.seconds.total_cmp(&other.seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rank_counts() {
        let run = said("sorted 1.5 sran for 1.5 s until 100.5\nran for 2.25 s until 100.25\n").unwrap();
        assert_eq!((run.seconds, run.window), (2.25, Window { from: 98.0, to: 100.25 }));
        assert!(said("sorted\n").is_none());
    }
}
