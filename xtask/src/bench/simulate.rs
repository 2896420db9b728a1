//! What a user waits for: `panto simulate` from start to exit, on files as users have them.
//!
//! Schedules of common patterns are written as GOAL text and converted to traces, and one program
//! is traced. Each is simulated on one core and on all, in rounds that alternate, with everything
//! that a prediction prints. An operation is a send, a receive or a computation of the schedule, as
//! `LogGOPSim` counts them, or a call of the traced program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::against::Series;
use super::spread::Spread;
use super::{Outcome, mpi, panto, trace};
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

/// Rounds of each figure: with fewer, no difference between two runs would be significant after the
/// correction for the number of figures.
const ROUNDS: usize = 7;

/// A machine whose messages share endpoints, simulated by the run-ahead engine; and `LogGOPSim`'s.
const MACHINES: [&str; 2] = ["infiniband", "loggops"];

/// A pattern: its name, the number of ranks, and a function that writes the schedule of a rank.
struct Pattern {
    name: &'static str,
    ranks: u32,
    write: fn(&mut Schedule, u32, u32),
}

const PATTERNS: [Pattern; 5] = [
    Pattern { name: "ring", ranks: 1024, write: ring },
    Pattern { name: "halo, 3-D", ranks: 4096, write: halo },
    Pattern { name: "dissemination", ranks: 1024, write: dissemination },
    Pattern { name: "irregular", ranks: 1024, write: irregular },
    Pattern { name: "two messages", ranks: 2, write: small },
];

/// A trace to simulate.
struct Work {
    name: String,
    operations: u64,
    file: PathBuf,
}

pub fn run() -> Result<Outcome> {
    let scratch = Scratch::new("simulate")?;
    let panto = panto::build()?;
    let mut works = Vec::new();
    for pattern in &PATTERNS {
        works.push(pattern.work(&panto, scratch.path())?);
    }
    works.extend(traced(&panto, scratch.path())?);
    let mut series = Vec::new();
    println!("`panto simulate FILE -m MACHINE --format json`: median of {ROUNDS} rounds (least..most)");
    for work in &works {
        println!("\n{}: {} operations", work.name, work.operations);
        for machine in MACHINES {
            series.extend(measure(&panto, work, machine)?);
        }
    }
    Ok(Outcome::Measured(series))
}

fn measure(panto: &Path, work: &Work, machine: &str) -> Result<[Series; 2]> {
    let (mut one, mut all) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        one.push(time(simulate(Command::new("taskset").args(["-c", "0"]).arg(panto), work, machine))?);
        all.push(time(simulate(&mut Command::new(panto), work, machine))?);
    }
    for (cores, seconds) in [("one core", &one), ("all cores", &all)] {
        let millis: Vec<f64> = seconds.iter().map(|seconds| seconds * 1e3).collect();
        let rates: Vec<f64> = seconds.iter().map(|seconds| work.operations as f64 / seconds / 1e6).collect();
        println!(
            "  {machine:<11}{cores:<10}{:.0} ms; {:.1} million operations a second",
            Spread::of(&millis),
            Spread::of(&rates)
        );
    }
    let of = |cores, seconds| Series { name: format!("{}, {machine}, {cores}", work.name), seconds };
    Ok([of("one core", one), of("all cores", all)])
}

fn simulate<'a>(command: &'a mut Command, work: &Work, machine: &str) -> &'a mut Command {
    command.arg("simulate").arg(&work.file).args(["-m", machine, "--format", "json"])
}

/// Returns the seconds that a command takes from start to exit.
fn time(command: &mut Command) -> Result<f64> {
    let start = Instant::now();
    shell::capture(command)?;
    Ok(start.elapsed().as_secs_f64())
}

impl Pattern {
    /// Writes the schedule and converts it.
    fn work(&self, panto: &Path, folder: &Path) -> Result<Work> {
        let mut schedule = Schedule { text: format!("num_ranks {}\n", self.ranks), ..Schedule::default() };
        for rank in 0..self.ranks {
            let _ = writeln!(schedule.text, "rank {rank} {{");
            (schedule.label, schedule.last) = (0, Vec::new());
            (self.write)(&mut schedule, rank, self.ranks);
            schedule.text += "}\n";
        }
        let (text, file) = (folder.join("work.goal"), folder.join(format!("{}.panto", self.name)));
        std::fs::write(&text, &schedule.text)
            .map_err(|error| Failure::failed(format!("cannot write {}: {error}", text.display())))?;
        shell::capture(Command::new(panto).arg("convert").arg(&text).arg("-o").arg(&file))?;
        let name = format!("{}, {} ranks", self.name, self.ranks);
        Ok(Work { name, operations: schedule.operations, file })
    }
}

/// Traces a program with an MPI that is installed, if there is one.
fn traced(panto: &Path, folder: &Path) -> Result<Option<Work>> {
    let Some(mpi) = mpi::installed().into_iter().next() else { return Ok(None) };
    let Some(file) = trace::stencil(mpi, panto, folder)? else { return Ok(None) };
    let operations = trace::calls(panto, &file)?;
    Ok(Some(Work { name: format!("traced stencil, 2 ranks, {}", mpi.name), operations, file }))
}

/// A schedule in GOAL's text form while it is written.
#[derive(Default)]
struct Schedule {
    text: String,
    operations: u64,
    /// The last label of the rank.
    label: u32,
    /// The operations that the next ones require.
    last: Vec<u32>,
}

impl Schedule {
    /// Adds an operation that requires those of the last [`step`](Self::step); returns its label.
    fn add(&mut self, operation: std::fmt::Arguments<'_>) -> u32 {
        self.label += 1;
        self.operations += 1;
        let _ = writeln!(self.text, "l{}: {operation}", self.label);
        for earlier in &self.last {
            let _ = writeln!(self.text, "l{} requires l{earlier}", self.label);
        }
        self.label
    }

    /// Adds operations that require each other in no order, after the last ones.
    fn step(&mut self, operations: &[String]) {
        let labels: Vec<u32> =
            operations.iter().map(|operation| self.add(format_args!("{operation}"))).collect();
        self.last = labels;
    }

    fn send(&mut self, to: u32, bytes: u32) {
        self.step(&[format!("send {bytes}b to {to} tag 0")]);
    }

    fn receive(&mut self, from: u32, bytes: u32) {
        self.step(&[format!("recv {bytes}b from {from} tag 0")]);
    }
}

/// A message goes round a thousand times, with a computation at each rank.
fn ring(schedule: &mut Schedule, rank: u32, ranks: u32) {
    let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    for _ in 0..1000 {
        if rank == 0 {
            schedule.send(next, 1024);
        }
        schedule.receive(before, 1024);
        schedule.step(&["calc 100".to_owned()]);
        if rank > 0 {
            schedule.send(next, 1024);
        }
    }
}

/// Sixty exchanges with the six neighbours on a torus of 16 x 16 x 16 ranks.
fn halo(schedule: &mut Schedule, rank: u32, _: u32) {
    let (x, y, z) = (rank % 16, rank / 16 % 16, rank / 256);
    let at = |x: u32, y: u32, z: u32| x % 16 + y % 16 * 16 + z % 16 * 256;
    let neighbours = [
        at(x + 15, y, z),
        at(x + 1, y, z),
        at(x, y + 15, z),
        at(x, y + 1, z),
        at(x, y, z + 15),
        at(x, y, z + 1),
    ];
    for _ in 0..60 {
        schedule.step(&["calc 1000".to_owned()]);
        let sends = (0..6).zip(neighbours).map(|(side, to)| format!("send 1024b to {to} tag {side}"));
        let receives =
            (0..6).zip(neighbours).map(|(side, from)| format!("recv 1024b from {from} tag {}", side ^ 1));
        schedule.step(&sends.chain(receives).collect::<Vec<_>>());
    }
}

/// A hundred barriers of ten rounds, in which the distance of partners doubles.
fn dissemination(schedule: &mut Schedule, rank: u32, ranks: u32) {
    for _ in 0..100 {
        for round in 0..ranks.ilog2() {
            let (to, from) = ((rank + (1 << round)) % ranks, (rank + ranks - (1 << round)) % ranks);
            schedule.step(&[
                format!("send 1024b to {to} tag {round}"),
                format!("recv 1024b from {from} tag {round}"),
            ]);
        }
    }
}

/// A thousand exchanges whose partners, sizes and computations never repeat.
fn irregular(schedule: &mut Schedule, rank: u32, ranks: u32) {
    for round in 0..1000_u32 {
        let far = 1 + round.wrapping_mul(2_654_435_761) % (ranks - 1);
        let bytes = |sender: u32| 8 + (sender.wrapping_mul(40_503) ^ round.wrapping_mul(9_973)) % 4096;
        let (to, from) = ((rank + far) % ranks, (rank + ranks - far) % ranks);
        let time = 100 + (rank.wrapping_mul(7_919) ^ round.wrapping_mul(104_729)) % 10_007;
        schedule.step(&[format!("calc {time}")]);
        schedule.step(&[
            format!("send {}b to {to} tag 0", bytes(rank)),
            format!("recv {}b from {from} tag 0", bytes(from)),
        ]);
    }
}

/// Two ranks that exchange a message: what remains is the start of the command.
fn small(schedule: &mut Schedule, rank: u32, _: u32) {
    let other = 1 - rank;
    schedule.step(&[format!("send 8b to {other} tag 0"), format!("recv 8b from {other} tag 0")]);
}
