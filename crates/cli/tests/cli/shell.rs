//! A shell for the commands of Markdown pages: all run in one folder, `panto` and an `mpirun` are
//! on the path, and the programs of `apps/` are in `target/apps/mpich`, as in the repository.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use panto_testkit::jobs::mpis::{self, Mpi};

pub struct Shell {
    folder: tempfile::TempDir,
    /// Whether an MPI is installed.
    pub has_mpi: bool,
    /// Whether `cargo xtask apps` has built the programs of `apps/` for that MPI.
    pub has_apps: bool,
    path: String,
}

impl Shell {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).expect("a folder");
        symlink(env!("CARGO_BIN_EXE_panto"), bin.join("panto")).expect("a link");
        let mpi = launcher();
        if let Some((_, line)) = &mpi {
            script(&bin.join("mpirun"), line);
            // The compiler of the same MPI, whichever `mpicc` is.
            let name = line.split([' ', '.']).nth(1).unwrap_or_default();
            script(&bin.join("mpicc"), &format!("mpicc.{name}"));
        }
        let has_apps = mpi.as_ref().is_some_and(|(mpi, _)| link_apps(mpi, folder.path()));
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        Self { folder, has_mpi: mpi.is_some(), has_apps, path }
    }

    /// Returns the folder in which all commands run.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a script, which ends at the first command that fails.
    pub fn run(&self, script: &str) -> Output {
        let mut shell = Command::new("sh");
        shell.args(["-eu", "-c", script]).current_dir(self.folder()).env("PATH", &self.path);
        shell.envs(mpis::ENVIRONMENT).output().expect("a shell")
    }
}

/// Writes a script that runs a command with its own arguments.
fn script(path: &Path, line: &str) {
    fs::write(path, format!("#!/bin/sh\nexec {line} \"$@\"\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it can be run");
}

/// Returns an MPI of the system, and its launcher with the options to start more ranks than there
/// are cores.
fn launcher() -> Option<(Mpi, &'static str)> {
    let all = [
        (mpis::MPICH, "mpiexec.mpich", "mpiexec.mpich"),
        (mpis::OPEN_MPI, "mpirun.openmpi", "mpirun.openmpi --oversubscribe"),
    ];
    let works = |name: &str| Command::new(name).arg("--version").output().is_ok();
    all.into_iter().find(|(_, name, _)| works(name)).map(|(mpi, _, line)| (mpi, line))
}

/// Links the programs of `apps/` that were built for the MPI, whichever it is, to
/// `target/apps/mpich`. Returns whether there are any.
fn link_apps(mpi: &Mpi, folder: &Path) -> bool {
    let Some(program) = mpi.app("mergesort") else { return false };
    let apps = folder.join("target/apps");
    fs::create_dir_all(&apps).expect("a folder");
    symlink(program.parent().expect("a program is in a folder"), apps.join("mpich")).expect("a link");
    true
}
