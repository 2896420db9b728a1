//! Starts the finished binary as a user does, in an empty folder: it measures, predicts, and traces
//! an MPI program on each MPI that is installed.

use std::path::Path;
use std::process::Command;

use crate::bench::{Source, installed};
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

const EXCHANGE: Source = Source { name: "exchange", text: include_str!("exchange.c") };

/// Fails if the binary does not work.
pub fn run(binary: &Path) -> Result<()> {
    let scratch = Scratch::new("trial")?;
    let folder = scratch.path();
    prints(binary, folder, "--version", env!("CARGO_PKG_VERSION"))?;
    prints(binary, folder, "bench echo --on infiniband --ranks 2 --sizes 8", "comet/echo")?;
    prints(binary, folder, "quickstart -t 5s --quiet-wait 0s --force", "report.html")?;
    for mpi in installed() {
        let program = mpi.compile(&EXCHANGE, folder)?;
        let mut command = Command::new(binary);
        command.args(["trace", "-o", mpi.folder, "--"]).current_dir(folder);
        shell::stream(command.args(mpi.shared_core()).arg("2").arg(&program))?;
        prints(binary, folder, &format!("info {}", mpi.folder), "2 ranks, 6 calls")?;
    }
    Ok(())
}

/// Runs a command of the binary, and fails if its output lacks a text.
fn prints(binary: &Path, folder: &Path, words: &str, text: &str) -> Result<()> {
    let output = shell::capture(Command::new(binary).args(words.split(' ')).current_dir(folder))?;
    println!("panto {words}: {}", output.lines().next().unwrap_or_default());
    if output.contains(text) {
        return Ok(());
    }
    Err(Failure::failed(format!("`panto {words}` did not print `{text}`:\n{output}")))
}
