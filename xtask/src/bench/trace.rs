//! The cost of tracing: time per call, and bytes per call.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::mpi::{self, Mpi, Source};
use super::spread::{Limit, Spread, verdict};
use super::{Outcome, panto};
use crate::apps;
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

const ROUNDS: usize = 21;
const CALLS: Source = Source { name: "calls", text: include_str!("calls.c") };

/// The lines of `calls.c` and their descriptions.
const LOOPS: [(&str, &str); 3] = [
    ("send", "a send to MPI_PROC_NULL"),
    ("start", "Irecv, Isend, Waitall with MPI_PROC_NULL"),
    ("echo", "an 8-byte ping-pong"),
];

/// A way to run a program.
struct Way {
    name: &'static str,
    is_traced: bool,
    /// Environment: without glibc's restartable sequences the CPU clock is read in each call.
    has_flag: bool,
    /// Goal for the additional time per call, in nanoseconds.
    goal: f64,
}

const WAYS: [Way; 3] = [
    Way { name: "untraced", is_traced: false, has_flag: true, goal: 0.0 },
    Way { name: "traced", is_traced: true, has_flag: true, goal: 120.0 },
    Way { name: "traced, CPU clock", is_traced: true, has_flag: false, goal: 1000.0 },
];

/// Nanoseconds per call: by mode, by loop, by round.
type Times = [[Vec<f64>; LOOPS.len()]; WAYS.len()];

pub fn run() -> Result<Outcome> {
    if let Some(reason) = mpi::too_few_cores() {
        return Ok(Outcome::Skipped(reason));
    }
    let scratch = Scratch::new("trace")?;
    let panto = panto::build()?;
    for mpi in mpi::installed() {
        let program = mpi.compile(&CALLS, scratch.path())?;
        let mut times = Times::default();
        for round in 1..=ROUNDS {
            eprintln!("round {round} of {ROUNDS}: {}", mpi.name);
            for (way, times) in WAYS.iter().zip(&mut times) {
                let printed = shell::capture(&mut way.command(mpi, &program, &panto, scratch.path()))?;
                take(&printed, times)?;
            }
        }
        report(mpi, &times);
    }
    sizes(&panto, scratch.path())?;
    Ok(Outcome::Done)
}

impl Way {
    fn command(&self, mpi: &Mpi, program: &Path, panto: &Path, folder: &Path) -> Command {
        let launch = mpi.command(program);
        let mut command =
            if self.is_traced { traced(panto, &folder.join("calls.panto"), &launch) } else { launch };
        if !self.has_flag {
            command.env("GLIBC_TUNABLES", "glibc.pthread.rseq=0");
        }
        command
    }
}

/// Returns the command that traces another.
fn traced(panto: &Path, file: &Path, launch: &Command) -> Command {
    let mut command = Command::new(panto);
    command
        .args(["trace", "--force", "-o"])
        .arg(file)
        .arg("--")
        .arg(launch.get_program())
        .args(launch.get_args());
    command
}

fn take(printed: &str, times: &mut [Vec<f64>; LOOPS.len()]) -> Result<()> {
    for ((name, _), times) in LOOPS.iter().zip(times) {
        let start = format!("{name} ns ");
        let figure = printed.lines().find_map(|line| line.strip_prefix(&start)?.trim().parse().ok());
        times.push(figure.ok_or_else(|| Failure::failed(format!("no `{start}` in:\n{printed}")))?);
    }
    Ok(())
}

fn report(mpi: &Mpi, times: &Times) {
    println!("\n{}: nanoseconds per call, median of {ROUNDS} interleaved rounds (least..most)", mpi.name);
    for (place, (_, about)) in LOOPS.iter().enumerate() {
        println!("  {about}");
        for (way, times_of_way) in WAYS.iter().zip(times) {
            println!("    {:<20}{:.1}", way.name, Spread::of(&times_of_way[place]));
            if way.is_traced {
                println!("    {:<20}{}", "", judge(way.goal, &times_of_way[place], &times[0][place]));
            }
        }
    }
}

fn judge(goal: f64, traced: &[f64], plain: &[f64]) -> String {
    let more: Vec<f64> = traced.iter().zip(plain).map(|(traced, plain)| traced - plain).collect();
    format!(
        "goal: at most {goal:.0} ns more: {:.1}, {}",
        Spread::of(&more),
        verdict(&more, Limit::AtMost(goal))
    )
}

/// Programs whose traces have a goal: name, arguments, and bytes per call.
const PROGRAMS: [(&str, &[&str], f64); 2] =
    [("stencil", &["-n", "128", "-i", "20000"], 3.0), ("cholesky_fanout", &["-n", "2000"], 5.0)];

fn sizes(panto: &Path, folder: &Path) -> Result<()> {
    apps::ensure()?;
    println!("\nBytes of a trace, with nanoseconds of computation before each call, 2 ranks:");
    for mpi in mpi::installed() {
        for (name, arguments, goal) in PROGRAMS {
            let Some(file) = trace(mpi, panto, (name, arguments), folder)? else { continue };
            let calls = calls(panto, &file)?;
            let bytes = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
            let each = bytes as f64 / calls as f64;
            let verdict = verdict(&[each], Limit::AtMost(goal));
            println!(
                "  {:<10}{name:<18}{calls:>10} calls  {each:.2} bytes each; goal: at most {goal}, {verdict}",
                mpi.name
            );
        }
    }
    Ok(())
}

/// Traces the first program of [`PROGRAMS`] on two ranks; `None` if it is not there.
pub fn stencil(mpi: &Mpi, panto: &Path, folder: &Path) -> Result<Option<PathBuf>> {
    apps::ensure()?;
    let (name, arguments, _) = PROGRAMS[0];
    trace(mpi, panto, (name, arguments), folder)
}

/// Traces a program; `None` if it is not there.
fn trace(
    mpi: &Mpi,
    panto: &Path,
    (name, arguments): (&str, &[&str]),
    folder: &Path,
) -> Result<Option<PathBuf>> {
    let Some(program) = app(mpi, name) else { return Ok(None) };
    let file = folder.join(name).with_extension("panto");
    let mut launch = mpi.command(&program);
    launch.args(arguments);
    shell::capture(&mut traced(panto, &file, &launch))?;
    Ok(Some(file))
}

fn app(mpi: &Mpi, name: &str) -> Option<PathBuf> {
    let folder = mpi.name.to_lowercase().replace(' ', "");
    let program = shell::root().join("target/apps").join(folder).join(name);
    program.is_file().then_some(program)
}

/// Returns the number of calls in a trace.
pub fn calls(panto: &Path, file: &Path) -> Result<u64> {
    let printed = shell::capture(Command::new(panto).arg("info").arg(file).args(["--format", "json"]))?;
    let summary: Option<Value> = serde_json::from_str(&printed).ok();
    let calls = summary.and_then(|summary| summary["calls"].as_u64());
    calls.ok_or_else(|| Failure::failed(format!("panto printed unexpected JSON:\n{printed}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_name() {
        let mut times: [Vec<f64>; 3] = Default::default();
        take("noise\nsend ns 6.70\nstart ns 12.0\necho ns 250.5\n", &mut times).unwrap();
        assert_eq!(times, [vec![6.7], vec![12.0], vec![250.5]]);
        assert!(take("send ns 1\n", &mut times).is_err());
    }

    #[test]
    fn what_tracing_adds_is_judged() {
        assert_eq!(
            judge(120.0, &[107.0, 130.0, 101.0], &[7.0, 7.0, 7.0]),
            "goal: at most 120 ns more: 100.0 (94.0..123.0), met by the median, not in every round"
        );
    }
}
