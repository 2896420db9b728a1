//! The MPIs that programs are built for.

use std::path::PathBuf;

use super::programs::Language;
use crate::needs::pypi::{self, Environment};
use crate::shell;

/// An MPI, or one of its ABIs.
pub struct Mpi {
    /// The folder under `target/apps`.
    pub name: &'static str,
    pub compilers: Compilers,
}

/// The location of compiler wrappers.
pub enum Compilers {
    /// On the path.
    System { c: &'static str, fortran: &'static str },
    /// In a virtual environment.
    Environment { home: &'static Environment, c: &'static str, fortran: &'static str },
    /// None, for this reason.
    None(&'static str),
}

pub const ALL: &[Mpi] = &[
    Mpi { name: "mpich", compilers: Compilers::System { c: "mpicc.mpich", fortran: "mpifort.mpich" } },
    Mpi { name: "openmpi", compilers: Compilers::System { c: "mpicc.openmpi", fortran: "mpifort.openmpi" } },
    Mpi {
        name: "mpich5",
        compilers: Compilers::Environment { home: &pypi::MPICH_5, c: "mpicc", fortran: "mpifort" },
    },
    Mpi {
        name: "mpich5-abi",
        compilers: Compilers::Environment { home: &pypi::MPICH_5, c: "mpicc_abi", fortran: "mpifort_abi" },
    },
    Mpi {
        name: "openmpi5",
        compilers: Compilers::Environment { home: &pypi::OPEN_MPI_5, c: "mpicc", fortran: "mpifort" },
    },
    Mpi {
        name: "intel",
        compilers: Compilers::None("it has no compiler; programs of mpich5 and mpich5-abi run on it"),
    },
];

impl Mpi {
    /// Returns the wrapper for a language, or why there is none.
    pub fn compiler(&self, language: Language) -> Result<PathBuf, String> {
        match self.compilers {
            Compilers::None(reason) => Err(reason.to_owned()),
            Compilers::System { c, fortran } => {
                let on_path =
                    |name: &str| shell::find(name).ok_or_else(|| format!("there is no {name} on the path"));
                // Wrappers for Fortran are always installed, the compiler that they call is not.
                on_path(language.choose("gcc", "gfortran"))?;
                on_path(language.choose(c, fortran))
            }
            Compilers::Environment { home, c, fortran } => {
                let program = home.program(language.choose(c, fortran));
                let missing = format!("there is no {}", shell::shown(&program));
                if program.is_file() { Ok(program) } else { Err(missing) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_wrapper_is_named() {
        let compilers = Compilers::System { c: "no-such-mpicc", fortran: "no-such-mpifort" };
        let mpi = Mpi { name: "nothing", compilers };
        assert_eq!(mpi.compiler(Language::Fortran).unwrap_err(), "there is no no-such-mpifort on the path");
    }
}
