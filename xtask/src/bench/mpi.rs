//! The MPI side of the comparison: a small C program under each MPI.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{SIZES, Times};
use crate::failure::{Failure, Result};
use crate::{needs, shell};

const PROGRAM: &str = include_str!("pingpong.c");

/// An MPI to compare with.
pub struct Mpi {
    /// As in the table of needs.
    pub name: &'static str,
    compiler: &'static str,
    /// Two ranks, each on a core of its own.
    launcher: &'static [&'static str],
}

pub const ALL: &[Mpi] = &[
    Mpi {
        name: "Open MPI",
        compiler: "mpicc.openmpi",
        launcher: &["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "core", "-n", "2"],
    },
    Mpi {
        name: "MPICH",
        compiler: "mpicc.mpich",
        launcher: &["mpirun.mpich", "-bind-to", "core", "-n", "2"],
    },
];

impl Mpi {
    /// What is missing to run it, with the remedy.
    pub fn lacking(&self) -> Option<String> {
        let need = needs::lacking(&["gcc", self.name])?;
        Some(format!("{} is not installed; to have it: {}", need.name, need.remedy()))
    }

    /// Compiles the program; answers where it is.
    pub fn compile(&self, folder: &Path) -> Result<PathBuf> {
        let source = folder.join("pingpong.c");
        fs::write(&source, PROGRAM)
            .map_err(|error| Failure::failed(format!("cannot write {}: {error}", source.display())))?;
        let program = folder.join(format!("pingpong-{}", self.compiler));
        shell::stream(Command::new(self.compiler).args(["-O2", "-o"]).arg(&program).arg(&source))?;
        Ok(program)
    }

    /// Measures once.
    pub fn measure(&self, program: &Path) -> Result<Times> {
        let mut command = Command::new(self.launcher[0]);
        let printed = shell::capture(command.args(&self.launcher[1..]).arg(program))?;
        parse(&printed).ok_or_else(|| {
            Failure::failed(format!("the ping-pong under {} printed something else:\n{printed}", self.name))
        })
    }
}

/// Reads lines such as `bytes 8 half_ns 123.4`.
fn parse(printed: &str) -> Option<Times> {
    SIZES.iter().map(|(bytes, _)| time_of(printed, *bytes)).collect()
}

fn time_of(printed: &str, bytes: u64) -> Option<f64> {
    let start = format!("bytes {bytes} half_ns ");
    printed.lines().find_map(|line| line.strip_prefix(&start)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_noise_is_not() {
        let printed = "a warning\nbytes 8 half_ns 1.5\nbytes 1024 half_ns 2\nbytes 65536 half_ns 3\nbytes 1048576 half_ns 4\n";
        assert_eq!(parse(printed), Some(vec![1.5, 2.0, 3.0, 4.0]));
        assert_eq!(parse("bytes 8 half_ns 1.5\n"), None);
    }

    #[test]
    fn the_c_program_has_the_same_sizes() {
        let sizes: Vec<String> = SIZES.iter().map(|(bytes, _)| bytes.to_string()).collect();
        assert!(PROGRAM.contains(&format!("SIZES[] = {{{}}}", sizes.join(", "))));
    }
}
