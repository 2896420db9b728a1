//! The MPIs that Panto is compared with, and small C programs that run under them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::{needs, shell};

/// An MPI to compare with.
pub struct Mpi {
    /// As in the table of needs.
    pub name: &'static str,
    /// Where its programs of `apps/` are, under `target/apps`.
    pub folder: &'static str,
    compiler: &'static str,
    /// Two ranks, each on a core of its own.
    launcher: &'static [&'static str],
    /// Ranks that share whatever cores there are; how many comes next.
    sharing: &'static [&'static str],
    /// Ranks on other hosts: how the launcher is told what to call instead of ssh, and then where ranks run; how many comes next.
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
        // Whoever waits lets others go on: who keeps the core for milliseconds finds its caches cold, and computes for longer.
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
            // Each host thinks that its cores are its own, but all of them have two: whoever waits must let others go on.
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

/// Those that are there. What is missing is named, with the remedy.
pub fn installed() -> Vec<&'static Mpi> {
    let is_there = |mpi: &&Mpi| match needs::lacking(&["gcc", mpi.name]) {
        None => true,
        Some(need) => {
            println!("without {}: {} is not installed; to have it: {}", mpi.name, need.name, need.remedy());
            false
        }
    };
    ALL.iter().filter(is_there).collect()
}

/// Why two ranks cannot be compared on this machine, if they cannot.
pub fn too_few_cores() -> Option<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores < 2).then(|| "two ranks that share a core measure the scheduler; use 2 cores".to_owned())
}

impl Mpi {
    /// Compiles a program; answers where it is.
    pub fn compile(&self, source: &Source, folder: &Path) -> Result<PathBuf> {
        let file = folder.join(format!("{}.c", source.name));
        fs::write(&file, source.text)
            .map_err(|error| Failure::failed(format!("cannot write {}: {error}", file.display())))?;
        let program = folder.join(format!("{}-{}", source.name, self.compiler));
        shell::stream(Command::new(self.compiler).args(["-O2", "-o"]).arg(&program).arg(&file))?;
        Ok(program)
    }

    /// What starts ranks that share whatever cores there are; how many comes next.
    pub fn shared_core(&self) -> &'static [&'static str] {
        self.sharing
    }

    /// What starts so many ranks on these hosts; the program comes next.
    pub fn across(&self, agent: &str, slots: &str, ranks: usize) -> Vec<String> {
        let [before, between] = self.across;
        let words = before.iter().chain([&agent]).chain(between).chain([&slots, &"-n"]);
        words.map(ToString::to_string).chain([ranks.to_string()]).collect()
    }

    /// The rules by which Panto expands its collectives.
    pub fn rules(&self) -> &'static str {
        self.rules
    }

    /// A program of `apps/`, built for this MPI.
    pub fn app(&self, name: &str) -> PathBuf {
        shell::root().join("target/apps").join(self.folder).join(name)
    }

    /// Two ranks of a program; its arguments come next.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(self.launcher[0]);
        command.args(&self.launcher[1..]).arg(program);
        command
    }
}
