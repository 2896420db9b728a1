//! What Panto adds to the start-up of an MPI program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::mpi::{self, Mpi, Source};
use super::spread::{Limit, Spread, verdict};
use super::{Outcome, panto};
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

const ROUNDS: usize = 21;
/// Goal for the additional time, in milliseconds.
const GOAL: f64 = 100.0;
const HELLO: Source = Source { name: "hello", text: include_str!("hello.c") };
/// The shortest command of Panto under a launcher, and the shortest one that measures.
const COMMANDS: [&str; 2] = ["info mpi", "bench barrier --ranks 2 --max-samples 1 -t 1ms"];

/// The times of one MPI, in milliseconds, round by round.
struct Times {
    mpi: &'static Mpi,
    hello: PathBuf,
    plain: Vec<f64>,
    /// Times of each of [`COMMANDS`].
    panto: [Vec<f64>; COMMANDS.len()],
}

pub fn run() -> Result<Outcome> {
    if let Some(reason) = mpi::too_few_cores() {
        return Ok(Outcome::Skipped(reason));
    }
    let scratch = Scratch::new("hello")?;
    let program = panto::build()?;
    let mut all = Vec::new();
    for mpi in mpi::installed() {
        let hello = mpi.compile(&HELLO, scratch.path())?;
        all.push(Times { mpi, hello, plain: Vec::new(), panto: Default::default() });
    }
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        all.iter_mut().try_for_each(|times| times.measure(&program))?;
    }
    report(&all);
    Ok(Outcome::Done)
}

impl Times {
    fn measure(&mut self, program: &Path) -> Result<()> {
        self.plain.push(milliseconds(&mut self.mpi.command(&self.hello))?);
        for (words, times) in COMMANDS.iter().zip(&mut self.panto) {
            let mut command = self.mpi.command(program);
            times.push(milliseconds(command.args(words.split_whitespace()))?);
        }
        Ok(())
    }
}

/// Returns the time from the start of the launcher to its exit.
fn milliseconds(command: &mut Command) -> Result<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status();
    let time = start.elapsed().as_secs_f64() * 1e3;
    if status.is_ok_and(|status| status.success()) {
        Ok(time)
    } else {
        Err(Failure::failed(format!("`{}` failed; try it by hand", shell::line(command))))
    }
}

fn report(all: &[Times]) {
    println!(
        "\nFrom the start of the launcher to its exit, two ranks: median of {ROUNDS} interleaved rounds and (least..most) in ms."
    );
    for times in all {
        println!(
            "{}: a C program with MPI_Init and MPI_Finalize alone: {:.1}",
            times.mpi.name,
            Spread::of(&times.plain)
        );
        for (words, own) in COMMANDS.iter().zip(&times.panto) {
            println!("  panto {words}: {:.1}", Spread::of(own));
            println!("  {}", judge(own, &times.plain));
        }
    }
}

fn judge(own: &[f64], plain: &[f64]) -> String {
    let more: Vec<f64> = own.iter().zip(plain).map(|(own, plain)| own - plain).collect();
    format!(
        "goal: less than {GOAL:.0} ms more: {:.1}, {}",
        Spread::of(&more),
        verdict(&more, Limit::AtMost(GOAL))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_added_time_is_judged() {
        assert_eq!(
            judge(&[150.0, 90.0, 100.0], &[60.0, 60.0, 60.0]),
            "goal: less than 100 ms more: 40.0 (30.0..90.0), met in every round"
        );
        assert!(judge(&[200.0], &[60.0]).ends_with("MISSED in every round"));
    }
}
