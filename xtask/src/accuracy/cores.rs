//! Accuracy on two cores of this machine: traced on one core, predicted for two, and run on two.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use super::core_speed::{CoreSpeedMonitor, Window};
use super::prediction::{self, CoreSpeeds, PredictionInputs, performed};
use super::programs::Program;
use super::report::{self, Outcome};
use super::{PAIR, ROUNDS, samples};
use crate::bench::Mpi;
use crate::failure::{Failure, Result};
use crate::shell;

/// Options for the messages alone: enough warm-up that times are stable, since what a library does
/// on first use is not a cost of a message.
const STEADY: &[&str] = &["--warm-up", "8", "--repetitions", "5"];

/// Time for which core speeds are measured before the first run.
const PAST: Duration = Duration::from_secs(10);

/// Compares all programs on one MPI; returns whether the goals were met.
pub fn compare(mpi: &Mpi, panto: &Path, programs: &[&'static Program], folder: &Path) -> Result<bool> {
    eprintln!("{}: measuring the machine", mpi.name);
    let model = calibrate(mpi, panto, folder)?;
    let inputs = PredictionInputs { panto, model: &model, ranks: PAIR, rules: mpi.rules() };
    let mut monitor = CoreSpeedMonitor::start(mpi, folder)?;
    // The expected speed of a core comes from earlier windows.
    sleep(PAST);
    let mut outcomes: Vec<Outcome> = programs.iter().map(|program| Outcome::new(program)).collect();
    for round in 1..=ROUNDS {
        eprintln!("{}: round {round} of {ROUNDS}", mpi.name);
        for outcome in &mut outcomes {
            let trace = folder.join(format!("{}-{}-{round}.panto", mpi.folder, outcome.program.name));
            let traced = record(mpi, panto, outcome.program, PAIR, &trace)?;
            let real = actual(mpi, outcome.program)?;
            outcome.predicted.push(inputs.predict(&trace, &speeds(&mut monitor, &traced, &real)?)?);
            outcome.actual.push(real.seconds);
            outcome.alone.push(performed(mpi.command(panto), &trace, "none", mpi.rules(), STEADY)?);
        }
    }
    samples::save(&format!("{}-cores", mpi.folder), &outcomes)?;
    Ok(report::print(mpi, "two ranks, traced on one core, predicted and run on two", &outcomes))
}

/// Calibrates the machine with a rank on each core.
fn calibrate(mpi: &Mpi, panto: &Path, folder: &Path) -> Result<PathBuf> {
    let model = folder.join(format!("cores-{}.toml", mpi.folder));
    shell::capture(mpi.command(panto).arg("calibrate").arg("-o").arg(&model))?;
    Ok(model)
}

/// Returns the speed of each core during the real run relative to the first core during tracing,
/// and the range that was to be expected.
fn speeds(monitor: &mut CoreSpeedMonitor, traced: &Run, real: &Run) -> Result<CoreSpeeds> {
    let there = monitor.of(0, traced.window)?;
    // With a core to itself, a rank takes half as long.
    let (before, length) = (traced.window.to, traced.seconds / PAIR as f64);
    let mut speeds = CoreSpeeds::same();
    for core in 0..PAIR {
        speeds.measured.push(monitor.of(core, real.window)?.speed(there));
        let (fast, slow) = monitor.before(core, before, length)?;
        speeds.expected.push((slow.speed(there), fast.speed(there)));
    }
    Ok(speeds)
}

/// A run of a program.
pub struct Run {
    /// Time from the end of `MPI_Init` to the start of `MPI_Finalize`, the longest over ranks.
    pub seconds: f64,
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

/// Runs a program on two cores.
fn actual(mpi: &Mpi, program: &Program) -> Result<Run> {
    run(&mut mpi.command(&mpi.app(program.words[0])), program)
}

/// Runs a program by a launcher's command, which ends before the program's arguments.
pub fn run(command: &mut Command, program: &Program) -> Result<Run> {
    let printed = prediction::run(command.args(&program.words[1..]).env("APP_TIMES", "1"))?;
    parse_times(&printed)
        .ok_or_else(|| Failure::failed(format!("`{}` did not print its time", shell::line(command))))
}

/// Parses the times that ranks print: `ran for 1.5 s until 1700000000.25`. Launchers may run lines
/// together.
fn parse_times(printed: &str) -> Option<Run> {
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
        let run =
            parse_times("sorted 1.5 sran for 1.5 s until 100.5\nran for 2.25 s until 100.25\n").unwrap();
        assert_eq!((run.seconds, run.window), (2.25, Window { from: 98.0, to: 100.25 }));
        assert!(parse_times("sorted\n").is_none());
    }
}
