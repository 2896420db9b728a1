//! `cargo xtask accuracy`: predicted against measured (P22).
//!
//! Each program is traced with all ranks on one core, predicted for two, and then run on two, over and over: what is compared was
//! measured within a second or two, because the speed of a virtual machine changes. Nothing of the real run reaches the prediction
//! but the machine's model, which other programs measure. Then the same across hosts, where the network is what takes the time.

mod calibrate;
mod network;
mod prediction;
mod programs;
mod report;

use std::path::Path;
use std::process::Command;

use crate::apps;
use crate::bench::{Mpi, Spread, build_panto, installed, too_few_cores};
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;
use prediction::{Question, performed};
use programs::{PROGRAMS, Program};
use report::Outcome;

/// How often each program is traced and run, in turns with the others: where runs differ by a fifth, the median of fewer would say little.
const ROUNDS: usize = 31;
/// Ranks of the programs on two cores.
const PAIR: usize = 2;
/// The word for what is compared across hosts.
const NETWORK: &str = "network";

pub fn help() -> String {
    let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    format!(
        "cargo xtask accuracy [PROGRAM...] [{NETWORK}]\n\
         Traces each program with all ranks on one core, predicts how long it takes on two, and runs it there; {ROUNDS} times, in\n\
         turns with the others. Then, or for `{NETWORK}` alone, carries traces out on 2 and 4 hosts made of network namespaces,\n\
         beside their predictions. Ends with 1 if a goal was missed. Programs: {}.\n",
        names.join(", ")
    )
}

pub fn run(arguments: &[String]) -> Result<()> {
    let is_network = |word: &&String| word.as_str() == NETWORK;
    let has_network = arguments.is_empty() || arguments.iter().any(|word| is_network(&word));
    let words: Vec<&String> = arguments.iter().filter(|word| !is_network(word)).collect();
    let programs = if words.is_empty() && !arguments.is_empty() { Vec::new() } else { chosen(&words)? };
    if let Some(reason) = too_few_cores() {
        println!("nothing is compared: {reason}");
        return Ok(());
    }
    apps::ensure()?;
    let panto = build_panto()?;
    let scratch = Scratch::new("accuracy")?;
    let mut good = true;
    for mpi in installed() {
        good &= programs.is_empty() || compare(mpi, &panto, &programs, scratch.path())?;
        good &= !has_network || network::compare(mpi, &panto, scratch.path())?;
    }
    if good { Ok(()) } else { Err(Failure::failed("a goal was missed; see the tables above".to_owned())) }
}

fn chosen(names: &[&String]) -> Result<Vec<&'static Program>> {
    if names.is_empty() {
        return Ok(PROGRAMS.iter().collect());
    }
    let find = |name: &&String| {
        PROGRAMS.iter().find(|program| program.name == name.as_str()).ok_or_else(|| {
            Failure::usage(format!("there is no program `{name}`; see `cargo xtask accuracy --help`"))
        })
    };
    names.iter().map(find).collect()
}

/// All programs on one MPI.
fn compare(mpi: &Mpi, panto: &Path, programs: &[&'static Program], folder: &Path) -> Result<bool> {
    eprintln!("{}: measuring the machine", mpi.name);
    let machine = calibrate::machine(mpi, panto, folder)?;
    let question =
        Question { panto, model: &machine.model, ranks: PAIR, pace: machine.pace, rules: mpi.rules() };
    let mut outcomes: Vec<Outcome> = programs.iter().map(|program| Outcome::new(program)).collect();
    for round in 1..=ROUNDS {
        eprintln!("{}: round {round} of {ROUNDS}", mpi.name);
        for outcome in &mut outcomes {
            let trace = folder.join(format!("{}-{}-{round}.panto", mpi.folder, outcome.program.name));
            record(mpi, panto, outcome.program, PAIR, &trace)?;
            outcome.predicted.push(question.predict(&trace)?);
            outcome.actual.push(actual(mpi, outcome.program)?);
            outcome.alone.push(performed(mpi.command(panto), &trace, "none", mpi.rules())?);
        }
    }
    Ok(report::print(mpi, "two ranks, traced on one core, predicted and run on two", &outcomes))
}

/// Traces a program with all ranks on the first core.
fn record(mpi: &Mpi, panto: &Path, program: &Program, ranks: usize, trace: &Path) -> Result<()> {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(panto).args(["trace", "--token", "-o"]).arg(trace).arg("--");
    command.args(mpi.shared_core()).arg(ranks.to_string());
    command.arg(mpi.app(program.words[0])).args(&program.words[1..]);
    if shell::works(&mut command) {
        return Ok(());
    }
    Err(Failure::failed(format!("`{}` failed; try it by hand", shell::line(&command))))
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
