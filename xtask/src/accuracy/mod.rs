//! `cargo xtask accuracy`: predicted against measured (P22).
//!
//! Each program is traced with all ranks on one core, predicted for two, and then run on two, over and over: what is compared was
//! measured within a second or two, because the speed of a virtual machine changes. Nothing of the real run reaches the prediction
//! but the machine's model, which is measured by other programs.

mod calibrate;
mod programs;
mod report;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::apps;
use crate::bench::{Mpi, Spread, build_panto, installed, too_few_cores};
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;
use programs::{PROGRAMS, Program};
use report::Outcome;

/// How often each program is traced and run, in turns with the others.
const ROUNDS: usize = 9;

pub fn help() -> String {
    let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    format!(
        "cargo xtask accuracy [PROGRAM...]\n\
         Traces each program with all ranks on one core, predicts how long it takes on two, and runs it there; {ROUNDS} times, in\n\
         turns with the others. Programs: {}.\n",
        names.join(", ")
    )
}

pub fn run(arguments: &[String]) -> Result<()> {
    let programs = chosen(arguments)?;
    if let Some(reason) = too_few_cores() {
        println!("nothing is compared: {reason}");
        return Ok(());
    }
    apps::ensure()?;
    let panto = build_panto()?;
    let scratch = Scratch::new("accuracy")?;
    for mpi in installed() {
        compare(mpi, &panto, &programs, scratch.path())?;
    }
    Ok(())
}

fn chosen(arguments: &[String]) -> Result<Vec<&'static Program>> {
    if arguments.is_empty() {
        return Ok(PROGRAMS.iter().collect());
    }
    let find = |name: &String| {
        PROGRAMS.iter().find(|program| program.name == name.as_str()).ok_or_else(|| {
            Failure::usage(format!("there is no program `{name}`; see `cargo xtask accuracy --help`"))
        })
    };
    arguments.iter().map(find).collect()
}

/// All programs on one MPI.
fn compare(mpi: &Mpi, panto: &Path, programs: &[&Program], folder: &Path) -> Result<()> {
    eprintln!("{}: measuring the machine", mpi.name);
    let machine = calibrate::machine(mpi, panto, folder)?;
    let mut outcomes: Vec<Outcome> = programs.iter().map(|program| Outcome::new(program)).collect();
    for round in 1..=ROUNDS {
        eprintln!("{}: round {round} of {ROUNDS}", mpi.name);
        for outcome in &mut outcomes {
            let trace = folder.join(format!("{}-{}-{round}.panto", mpi.folder, outcome.program.name));
            record(mpi, panto, outcome.program, &trace)?;
            outcome.predicted.push(predict(panto, &trace, &machine)?);
            outcome.actual.push(actual(mpi, outcome.program)?);
        }
    }
    report::print(mpi, &outcomes);
    Ok(())
}

/// Traces a program with both ranks on the first core.
fn record(mpi: &Mpi, panto: &Path, program: &Program, trace: &Path) -> Result<()> {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(panto).arg("trace").arg("-o").arg(trace).arg("--");
    command.args(mpi.shared_core()).arg(mpi.app(program.words[0])).args(&program.words[1..]);
    if shell::works(&mut command) {
        return Ok(());
    }
    Err(Failure::failed(format!("`{}` failed; try it by hand", shell::line(&command))))
}

/// What a prediction says.
pub struct Predicted {
    pub seconds: f64,
    /// The mean over ranks of what is not computation.
    pub communication: f64,
}

fn predict(panto: &Path, trace: &Path, machine: &Path) -> Result<Predicted> {
    let mut command = Command::new(panto);
    command.arg("simulate").arg(trace).arg("--machine").arg(machine).args(["--format", "json"]);
    let printed = shell::capture(&mut command)?;
    let wrong = || Failure::failed(format!("panto printed other JSON than expected:\n{printed}"));
    let value: Value = serde_json::from_str(&printed).map_err(|_| wrong())?;
    let seconds = value["time_s"].as_f64().ok_or_else(wrong)?;
    let computation = value["computation_s"].as_f64().ok_or_else(wrong)?;
    let ranks = value["ranks"].as_array().ok_or_else(wrong)?.len() as f64;
    Ok(Predicted { seconds, communication: seconds - computation / ranks })
}

/// A real run on two cores: seconds from the end of `MPI_Init` to the beginning of `MPI_Finalize`, the longest of a rank.
fn actual(mpi: &Mpi, program: &Program) -> Result<f64> {
    let mut command = mpi.command(&mpi.app(program.words[0]));
    let printed = shell::capture(command.args(&program.words[1..]).env("APP_TIMES", "1"))?;
    let times = printed.lines().filter_map(|line| line.strip_prefix("ran for ")?.strip_suffix(" s"));
    let longest = times.filter_map(|time| time.parse::<f64>().ok()).fold(f64::NAN, f64::max);
    if longest.is_nan() {
        return Err(Failure::failed(format!("`{}` did not say how long it ran", shell::line(&command))));
    }
    Ok(longest)
}

/// The median of real runs.
fn median(times: &[f64]) -> f64 {
    Spread::of(times).median
}
