//! The MPI installations that tests run on, and how each is launched.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::job::Job;

/// An MPI installation, with the ABI to use.
#[derive(Debug, Clone, Copy)]
pub struct Mpi {
    /// The name in messages.
    pub name: &'static str,
    /// The family of its launcher.
    pub family: Family,
    home: Home,
    /// The library to name explicitly, relative to the installation; `None` if Panto finds it.
    requested_library: Option<&'static str>,
    /// The folder of the programs built for it, relative to that of `cargo xtask apps`.
    apps: &'static str,
    /// Text that its version string contains.
    pub version: &'static str,
    /// The end of the path of the library that Panto must find.
    pub library: &'static str,
    /// Its ABI, as `panto info mpi` calls it.
    pub abi: &'static str,
}

/// The family of a launcher, which determines its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// MPICH with Hydra.
    Mpich,
    /// Open MPI 4.
    OpenMpi4,
    /// Open MPI 5, which launches with PRRTE.
    OpenMpi5,
    /// Intel MPI with Hydra.
    Intel,
}

/// Where an MPI is installed.
#[derive(Debug, Clone, Copy)]
enum Home {
    /// In the system, with a launcher of this name on the path.
    System(&'static str),
    /// In this folder under `target/mpi`.
    Folder(&'static str),
}

/// MPICH from Debian.
pub const MPICH: Mpi = Mpi {
    name: "Debian's MPICH",
    family: Family::Mpich,
    home: Home::System("mpiexec.mpich"),
    requested_library: None,
    apps: "mpich",
    version: "MPICH",
    library: "libmpich.so.12",
    abi: "MPICH",
};

/// Open MPI from Debian.
pub const OPEN_MPI: Mpi = Mpi {
    name: "Debian's Open MPI",
    family: Family::OpenMpi4,
    home: Home::System("mpirun.openmpi"),
    requested_library: None,
    apps: "openmpi",
    version: "Open MPI",
    library: "libmpi.so.40",
    abi: "Open MPI",
};

/// MPICH 5 from PyPI.
pub const MPICH_5: Mpi = Mpi {
    name: "MPICH 5",
    family: Family::Mpich,
    home: Home::Folder("mpich5"),
    requested_library: None,
    apps: "mpich5",
    version: "MPICH Version:      5.",
    library: "mpich5/lib/libmpi.so.12",
    abi: "MPICH",
};

/// MPICH 5 through the standard ABI of MPI 5.
pub const MPICH_5_STANDARD: Mpi = Mpi {
    name: "MPICH 5 by the standard ABI",
    requested_library: Some("lib/libmpi_abi.so.1"),
    apps: "mpich5-abi",
    library: "mpich5/lib/libmpi_abi.so.1",
    abi: "MPI-5 standard",
    ..MPICH_5
};

/// Open MPI 5 from PyPI.
pub const OPEN_MPI_5: Mpi = Mpi {
    name: "Open MPI 5",
    family: Family::OpenMpi5,
    home: Home::Folder("openmpi5"),
    requested_library: None,
    apps: "openmpi5",
    version: "Open MPI v5.",
    library: "openmpi5/lib/libmpi.so.40",
    abi: "Open MPI",
};

/// Intel MPI from PyPI.
pub const INTEL: Mpi = Mpi {
    name: "Intel MPI",
    family: Family::Intel,
    home: Home::Folder("intel"),
    requested_library: None,
    apps: "mpich5",
    version: "Intel(R) MPI",
    library: "intel/lib/libmpi.so.12",
    abi: "MPICH",
};

/// Intel MPI through the standard ABI of MPI 5.
pub const INTEL_STANDARD: Mpi = Mpi {
    name: "Intel MPI by the standard ABI",
    requested_library: Some("lib/libmpi_abi.so.1"),
    apps: "mpich5-abi",
    library: "intel/lib/libmpi_abi.so.1",
    abi: "MPI-5 standard",
    ..INTEL
};

/// All MPI installations.
pub const ALL: [Mpi; 7] = [MPICH, OPEN_MPI, MPICH_5, MPICH_5_STANDARD, OPEN_MPI_5, INTEL, INTEL_STANDARD];

/// The environment of launchers: permission to run as root, shared memory only, and yielding while
/// waiting, since ranks outnumber the cores of test machines.
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
    /// Returns whether the MPI is installed; if not, prints that the test is skipped.
    pub fn is_installed(&self) -> bool {
        let remedy = "`cargo xtask test --only needs` installs it";
        let found = self.launcher().is_some() && self.library_path().is_none_or(|library| library.is_file());
        if !found {
            eprintln!("skipped: {} is not installed; {remedy}", self.name);
        }
        found
    }

    /// Returns whether it is a package of the system, not one in the folder of `cargo xtask test`.
    pub fn is_system_package(&self) -> bool {
        matches!(self.home, Home::System(_))
    }

    /// Returns the name Panto uses for its launcher.
    pub fn launcher_name(&self) -> &'static str {
        match self.family {
            Family::Mpich | Family::Intel => "Hydra",
            Family::OpenMpi4 | Family::OpenMpi5 => "Open MPI",
        }
    }

    /// Creates a job of `panto`, whose arguments follow.
    pub fn job(&self, ranks: usize) -> Job {
        self.job_with_launcher(
            Command::new(self.launcher().expect("the caller checked is_installed")),
            ranks,
            &[],
        )
    }

    /// Creates a job of `panto` with a command that starts the launcher, and options for the
    /// launcher.
    pub fn job_with_launcher(&self, mut launcher: Command, ranks: usize, options: &[&str]) -> Job {
        launcher.args(self.options()).args(options).args(["-n", &ranks.to_string()]).arg(super::panto());
        launcher.envs(ENVIRONMENT);
        if let Some(library) = self.library_path() {
            launcher.env("PANTO_MPI", library);
        }
        Job::new(launcher)
    }

    /// Returns the words of the command line that launches `ranks` ranks of a program, which
    /// follows.
    pub fn launch_words(&self, ranks: usize) -> Vec<OsString> {
        let launcher = self.launcher().expect("the caller checked is_installed");
        let options = self.options().iter().copied().chain(["-n"]).map(OsString::from);
        [launcher.into_os_string()].into_iter().chain(options).chain([ranks.to_string().into()]).collect()
    }

    /// Returns a program of `apps/` built for this MPI.
    ///
    /// `cargo xtask test` builds them all and sets `PANTO_TEST_APPS`, so that a missing one is a
    /// failure there; only the Fortran programs need a compiler that not every MPI provides.
    /// Otherwise prints that the test is skipped.
    pub fn app(&self, name: &str) -> Option<PathBuf> {
        let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/apps");
        let built = std::env::var_os("PANTO_TEST_APPS").map(PathBuf::from);
        let is_fortran = name.starts_with("ring_") || name.ends_with("_f90");
        let must_be_there = built.is_some() && !is_fortran;
        let path = built.unwrap_or_else(usual).join(self.apps).join(name);
        if !self.is_installed() {
            return None;
        }
        if !path.is_file() {
            assert!(!must_be_there, "{} is not built for {}", path.display(), self.name);
            eprintln!("skipped: {name} is not built for {}; `cargo xtask apps` builds it", self.name);
        }
        path.canonicalize().ok()
    }

    /// Returns the options that allow more ranks than cores.
    fn options(&self) -> &'static [&'static str] {
        match self.family {
            Family::Mpich | Family::Intel => &[],
            Family::OpenMpi4 => &["--oversubscribe"],
            Family::OpenMpi5 => &["--map-by", ":OVERSUBSCRIBE"],
        }
    }

    /// Returns the launcher, if it is installed.
    pub fn launcher(&self) -> Option<PathBuf> {
        match self.home {
            Home::System(name) => on_path(name),
            Home::Folder(folder) => {
                Some(install_dir().join(folder).join("bin/mpiexec")).filter(|path| path.is_file())
            }
        }
    }

    /// Returns the library to name in `PANTO_MPI`, or `None` if Panto finds it.
    pub fn library_path(&self) -> Option<PathBuf> {
        let Home::Folder(folder) = self.home else { return None };
        Some(install_dir().join(folder).join(self.requested_library?))
    }
}

/// Returns the folder where `cargo xtask test` installs MPIs.
pub fn install_dir() -> PathBuf {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mpi");
    let folder = std::env::var_os("PANTO_TEST_MPI_DIR").map_or_else(usual, PathBuf::from);
    folder.canonicalize().unwrap_or(folder)
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
