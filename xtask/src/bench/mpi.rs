//! The MPIs that Panto is compared with, and small C programs that run under them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::{needs, shell};

/// An MPI to compare with.
pub struct Mpi {
    /// The name, as in the table of needs.
    pub name: &'static str,
    /// The folder of its programs of `apps/`, under `target/apps`.
    pub folder: &'static str,
    compiler: &'static str,
    /// Launcher options for two ranks, each on its own core.
    launcher: &'static [&'static str],
    /// Launcher options for ranks that share cores; the number follows.
    sharing: &'static [&'static str],
    /// Launcher options for ranks on other hosts: the replacement of ssh, then the hosts; the
    /// number follows.
    across: [&'static [&'static str]; 2],
    /// The rules by which Panto expands its collectives.
    rules: &'static str,
}

const ALL: &[Mpi] = &[
    Mpi {
        name: "Open MPI",
        folder: "openmpi",
        compiler: "mpicc.openmpi",
        launcher: &["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "core", "-n", "2"],
        // Waiting ranks yield: a rank that loses the core for milliseconds finds cold caches and
        // computes for longer.
        sharing: &[
            "mpirun.openmpi",
            "--allow-run-as-root",
            "--oversubscribe",
            "--bind-to",
            "none",
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "-n",
        ],
        across: [
            // All hosts share two cores, so that waiting ranks must yield.
            &[
                "mpirun.openmpi",
                "--allow-run-as-root",
                "--bind-to",
                "none",
                "--mca",
                "mpi_yield_when_idle",
                "1",
                "--mca",
                "plm_rsh_agent",
            ],
            &["--host"],
        ],
        rules: "openmpi",
    },
    Mpi {
        name: "MPICH",
        folder: "mpich",
        compiler: "mpicc.mpich",
        launcher: &["mpirun.mpich", "-bind-to", "core", "-n", "2"],
        sharing: &["mpirun.mpich", "-bind-to", "none", "-n"],
        across: [&["mpirun.mpich", "-launcher", "ssh", "-launcher-exec"], &["-hosts"]],
        rules: "mpich",
    },
];

/// A C program.
pub struct Source {
    pub name: &'static str,
    pub text: &'static str,
}

/// Returns the installed MPIs; prints what is missing, with the remedy.
pub fn installed() -> Vec<&'static Mpi> {
    let is_there = |mpi: &&Mpi| match needs::first_missing(&["gcc", mpi.name]) {
        None => true,
        Some(need) => {
            println!(
                "without {}: {} is not installed; to install it: {}",
                mpi.name,
                need.name,
                need.remedy()
            );
            false
        }
    };
    ALL.iter().filter(is_there).collect()
}

/// Returns why two ranks cannot be compared on this machine, if so.
pub fn too_few_cores() -> Option<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores < 2).then(|| "two ranks that share a core measure the scheduler; use 2 cores".to_owned())
}

impl Mpi {
    /// Compiles a program and returns its path.
    pub fn compile(&self, source: &Source, folder: &Path) -> Result<PathBuf> {
        let file = folder.join(format!("{}.c", source.name));
        fs::write(&file, source.text)
            .map_err(|error| Failure::failed(format!("cannot write {}: {error}", file.display())))?;
        let program = folder.join(format!("{}-{}", source.name, self.compiler));
        shell::stream(Command::new(self.compiler).args(["-O2", "-o"]).arg(&program).arg(&file))?;
        Ok(program)
    }

    /// Returns the command that launches ranks that share cores; the number follows.
    pub fn shared_core(&self) -> &'static [&'static str] {
        self.sharing
    }

    /// Returns the command that launches `ranks` ranks on these hosts; the program follows.
    pub fn across(&self, agent: &str, slots: &str, ranks: usize) -> Vec<String> {
        let [before, between] = self.across;
        let words = before.iter().chain([&agent]).chain(between).chain([&slots, &"-n"]);
        words.map(ToString::to_string).chain([ranks.to_string()]).collect()
    }

    /// The rules by which Panto expands its collectives.
    pub fn rules(&self) -> &'static str {
        self.rules
    }

    /// Returns a program of `apps/` built for this MPI.
    pub fn app(&self, name: &str) -> PathBuf {
        shell::root().join("target/apps").join(self.folder).join(name)
    }

    /// Returns the command that launches two ranks of a program; its arguments follow.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(self.launcher[0]);
        command.args(&self.launcher[1..]).arg(program);
        command
    }
}
