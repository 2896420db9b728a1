//! The binary under the launchers of real MPIs.

mod benchmarks;
mod calibrate;
mod classic;
mod clocks;
mod conformance;
mod detection;
mod failures;
mod hosts;
mod implementations;
mod measuring;
mod mismatch;
mod once;
mod perform;
mod quickstart;
mod scenario;
mod swap;
mod sweep;
mod tune;

use panto_testkit::jobs::{compiled, job, mpis};
use panto_testkit::stencil;
use std::path::Path;
use std::process::{Command, Output};

use job::JobOutput;
use mpis::Mpi;

/// The binary under test.
const PANTO: &str = env!("CARGO_BIN_EXE_panto");

/// Runs `panto` with the words of a line, without a launcher.
fn alone(line: &str) -> Output {
    Command::new(PANTO).args(line.split_whitespace()).output().expect("the binary starts")
}

/// Runs `panto` with the arguments of a line on `ranks` ranks.
fn on(mpi: &Mpi, ranks: usize, line: &str) -> JobOutput {
    mpi.job(ranks).words(line).run()
}

/// Asserts that `panto info` reads the file, and returns its output.
fn read_back(path: &Path) -> String {
    let output = alone(&format!("info {}", path.display()));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
