//! The MPIs that tests run on, and how each is started here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::PANTO;
use crate::job::Job;

/// An MPI with the ABI that is asked of it.
#[derive(Debug, Clone, Copy)]
pub struct Mpi {
    pub name: &'static str,
    pub family: Family,
    home: Home,
    /// The library to ask for, below the MPI's folder; none if Panto shall find it.
    asked: Option<&'static str>,
    /// Where programs for it are, below the folder of `cargo xtask apps`.
    apps: &'static str,
    /// The words in its version.
    pub version: &'static str,
    /// The end of the path of the library that Panto should find.
    pub library: &'static str,
    /// Its ABI, as `panto info mpi` calls it.
    pub abi: &'static str,
}

/// Whose launcher and options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Mpich,
    OpenMpi4,
    OpenMpi5,
    Intel,
}

/// Where it is installed.
#[derive(Debug, Clone, Copy)]
enum Home {
    /// The system's, with a launcher of this name.
    System(&'static str),
    /// A folder under `target/mpi`.
    Folder(&'static str),
}

pub const MPICH: Mpi = Mpi {
    name: "Debian's MPICH",
    family: Family::Mpich,
    home: Home::System("mpiexec.mpich"),
    asked: None,
    apps: "mpich",
    version: "MPICH",
    library: "libmpich.so.12",
    abi: "MPICH",
};

pub const OPEN_MPI: Mpi = Mpi {
    name: "Debian's Open MPI",
    family: Family::OpenMpi4,
    home: Home::System("mpirun.openmpi"),
    asked: None,
    apps: "openmpi",
    version: "Open MPI",
    library: "libmpi.so.40",
    abi: "Open MPI",
};

pub const MPICH_5: Mpi = Mpi {
    name: "MPICH 5",
    family: Family::Mpich,
    home: Home::Folder("mpich5"),
    asked: None,
    apps: "mpich5",
    version: "MPICH Version:      5.",
    library: "mpich5/lib/libmpi.so.12",
    abi: "MPICH",
};

pub const MPICH_5_STANDARD: Mpi = Mpi {
    name: "MPICH 5 by the standard ABI",
    asked: Some("lib/libmpi_abi.so.1"),
    apps: "mpich5-abi",
    library: "mpich5/lib/libmpi_abi.so.1",
    abi: "MPI-5 standard",
    ..MPICH_5
};

pub const OPEN_MPI_5: Mpi = Mpi {
    name: "Open MPI 5",
    family: Family::OpenMpi5,
    home: Home::Folder("openmpi5"),
    asked: None,
    apps: "openmpi5",
    version: "Open MPI v5.",
    library: "openmpi5/lib/libmpi.so.40",
    abi: "Open MPI",
};

pub const INTEL: Mpi = Mpi {
    name: "Intel MPI",
    family: Family::Intel,
    home: Home::Folder("intel"),
    asked: None,
    apps: "mpich5",
    version: "Intel(R) MPI",
    library: "intel/lib/libmpi.so.12",
    abi: "MPICH",
};

pub const INTEL_STANDARD: Mpi = Mpi {
    name: "Intel MPI by the standard ABI",
    asked: Some("lib/libmpi_abi.so.1"),
    apps: "mpich5-abi",
    library: "intel/lib/libmpi_abi.so.1",
    abi: "MPI-5 standard",
    ..INTEL
};

/// All of them.
pub const ALL: [Mpi; 7] = [MPICH, OPEN_MPI, MPICH_5, MPICH_5_STANDARD, OPEN_MPI_5, INTEL, INTEL_STANDARD];

/// What launchers want as root, in a sandbox, and on one host: nothing but shared memory. Where MPICH's successors can
/// give up the core while they wait, they are told to: ranks outnumber the cores here.
pub const ENVIRONMENT: [(&str, &str); 8] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ("MPIR_CVAR_ENABLE_HEAVY_YIELD", "1"),
    ("MPIR_CVAR_POLLS_BEFORE_YIELD", "10"),
    ("I_MPI_FABRICS", "shm"),
];

impl Mpi {
    /// Is it here? If not, that is said, and the test that asks has nothing to do.
    pub fn is_here(&self) -> bool {
        let remedy = "`cargo xtask test --only needs` installs it";
        let found = self.launcher().is_some() && self.asked().is_none_or(|library| library.is_file());
        if !found {
            eprintln!("skipped: {} is not installed; {remedy}", self.name);
        }
        found
    }

    /// Is it installed as other programs are?
    pub fn is_of_the_system(&self) -> bool {
        matches!(self.home, Home::System(_))
    }

    /// What Panto calls its launcher.
    pub fn launcher_name(&self) -> &'static str {
        match self.family {
            Family::Mpich | Family::Intel => "Hydra",
            Family::OpenMpi4 | Family::OpenMpi5 => "Open MPI",
        }
    }

    /// A job of `panto`; its arguments come next.
    pub fn job(&self, ranks: usize) -> Job {
        self.job_by(Command::new(self.launcher().expect("asked before whether it is here")), ranks, &[])
    }

    /// A job of `panto` by a command that starts the launcher, with options for it.
    pub fn job_by(&self, mut launcher: Command, ranks: usize, options: &[&str]) -> Job {
        launcher.args(self.options()).args(options).args(["-n", &ranks.to_string()]).arg(PANTO);
        launcher.envs(ENVIRONMENT);
        if let Some(library) = self.asked() {
            launcher.env("PANTO_MPI", library);
        }
        Job::new(launcher)
    }

    /// What starts so many ranks of a program, which comes next.
    pub fn words(&self, ranks: usize) -> Vec<OsString> {
        let launcher = self.launcher().expect("asked before whether it is here");
        let options = self.options().iter().copied().chain(["-n"]).map(OsString::from);
        [launcher.into_os_string()].into_iter().chain(options).chain([ranks.to_string().into()]).collect()
    }

    /// A program of `apps/` that is built for this MPI. `cargo xtask test` builds them all and says where, so there one that is missing is a
    /// failure; only Fortran needs a compiler that not every MPI brings. Otherwise it is said, and the test has nothing to do.
    pub fn app(&self, name: &str) -> Option<PathBuf> {
        let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/apps");
        let built = std::env::var_os("PANTO_TEST_APPS").map(PathBuf::from);
        let must_be_there = built.is_some() && !name.starts_with("ring_");
        let path = built.unwrap_or_else(usual).join(self.apps).join(name);
        if !self.is_here() {
            return None;
        }
        if !path.is_file() {
            assert!(!must_be_there, "{} is not built for {}", path.display(), self.name);
            eprintln!("skipped: {name} is not built for {}; `cargo xtask apps` builds it", self.name);
        }
        path.canonicalize().ok()
    }

    /// More ranks than cores are all right.
    fn options(&self) -> &'static [&'static str] {
        match self.family {
            Family::Mpich | Family::Intel => &[],
            Family::OpenMpi4 => &["--oversubscribe"],
            Family::OpenMpi5 => &["--map-by", ":OVERSUBSCRIBE"],
        }
    }

    /// The launcher, if it is installed.
    pub fn launcher(&self) -> Option<PathBuf> {
        match self.home {
            Home::System(name) => on_path(name),
            Home::Folder(folder) => {
                Some(installed().join(folder).join("bin/mpiexec")).filter(|path| path.is_file())
            }
        }
    }

    /// The library to ask for, if Panto shall not find one by itself.
    pub fn asked(&self) -> Option<PathBuf> {
        let Home::Folder(folder) = self.home else { return None };
        Some(installed().join(folder).join(self.asked?))
    }
}

/// Where `cargo xtask test` puts MPIs that are not the system's.
pub fn installed() -> PathBuf {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mpi");
    let folder = std::env::var_os("PANTO_TEST_MPI_DIR").map_or_else(usual, PathBuf::from);
    folder.canonicalize().unwrap_or(folder)
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
