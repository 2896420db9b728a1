//! Programs inside a simulated machine: calls per second of `panto run`, from start to exit.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::mpi::{self, Mpi, Source};
use super::spread::{Limit, Spread, verdict};
use super::{Outcome, panto};
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

const ROUNDS: usize = 5;
const RANKS: &str = "4";
const RATES: Source = Source { name: "rates", text: include_str!("rates.c") };

/// A kind of calls in `rates.c`.
struct Kind {
    name: &'static str,
    about: &'static str,
    rounds: &'static str,
    /// Goal for all ranks' calls per second, if there is one: 300,000 where ranks run ahead, 50,000
    /// where the simulation decides each call.
    goal: Option<f64>,
}

const KINDS: [Kind; 6] = [
    Kind { name: "stream", about: "sends and receives of a stream", rounds: "200000", goal: Some(3e5) },
    Kind { name: "pingpong", about: "ping-pongs of two pairs", rounds: "50000", goal: Some(3e5) },
    Kind { name: "halo", about: "non-blocking halo exchange", rounds: "20000", goal: Some(3e5) },
    Kind { name: "allreduce", about: "MPI_Allreduce", rounds: "20000", goal: None },
    Kind { name: "master", about: "master with MPI_ANY_SOURCE", rounds: "20000", goal: Some(5e4) },
    Kind { name: "test", about: "loops of MPI_Test", rounds: "10000", goal: Some(5e4) },
];

pub fn run() -> Result<Outcome> {
    let scratch = Scratch::new("run")?;
    let panto = panto::build()?;
    for mpi in mpi::installed() {
        let program = mpi.compile(&RATES, scratch.path())?;
        let mut rates: [Vec<f64>; KINDS.len()] = Default::default();
        for round in 1..=ROUNDS {
            eprintln!("round {round} of {ROUNDS}: {}", mpi.name);
            for (kind, rates) in KINDS.iter().zip(&mut rates) {
                rates.push(kind.rate(mpi, &program, &panto)?);
            }
        }
        report(mpi, &rates);
    }
    Ok(Outcome::Done)
}

impl Kind {
    /// Returns the calls per second of one run.
    fn rate(&self, mpi: &Mpi, program: &Path, panto: &Path) -> Result<f64> {
        let mut command = Command::new(panto);
        command.args(["run", "--machine", "infiniband", "--computation", "none", "--"]);
        command.args(mpi.shared_core()).arg(RANKS).arg(program).args([self.name, self.rounds]);
        let start = Instant::now();
        let printed = shell::capture(&mut command)?;
        let seconds = start.elapsed().as_secs_f64();
        let calls: Option<f64> = printed.lines().find_map(|line| line.strip_prefix("calls ")?.parse().ok());
        let calls = calls.ok_or_else(|| Failure::failed(format!("no `calls` in:\n{printed}")))?;
        Ok(calls / seconds)
    }
}

fn report(mpi: &Mpi, rates: &[Vec<f64>]) {
    println!(
        "\n{}: thousands of calls per second, {RANKS} ranks, median of {ROUNDS} runs (least..most)",
        mpi.name
    );
    for (kind, rates) in KINDS.iter().zip(rates) {
        let thousands: Vec<f64> = rates.iter().map(|rate| rate / 1e3).collect();
        let judged = kind.goal.map(|goal| {
            let goal = goal / 1e3;
            format!("; goal: at least {goal:.0}: {}", verdict(&thousands, Limit::AtLeast(goal)))
        });
        println!("  {:<32}{:.0}{}", kind.about, Spread::of(&thousands), judged.unwrap_or_default());
    }
}
