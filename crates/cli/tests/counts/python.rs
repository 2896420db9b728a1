//! Python programs: mpi4py loads the configured MPI library at start.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::job::Job;
use crate::mpis::{self, Mpi};
use crate::scene::{Scene, plain, printed};

const RANKS: usize = 3;

/// The MPIs that mpi4py supports; the standard ABI is not among them.
const ABLE: [Mpi; 4] = [mpis::MPICH, mpis::OPEN_MPI, mpis::MPICH_5, mpis::OPEN_MPI_5];

#[test]
fn mpi4py_is_traced() {
    let python = mpis::install_dir().join("mpi4py/bin/python");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps/small/ring.py");
    for mpi in ABLE {
        let Some(app) = mpi.app("hello") else { continue };
        if !python.is_file() {
            eprintln!("skipped: mpi4py is not installed; `cargo xtask test --only needs` installs it");
            return;
        }
        let scene = Scene::new();
        let library = library_of(&app);
        let run = |job: Job| with_library(job, &library, &scene).arg(&script).run();
        let ended = run(scene.count("", &mpi, RANKS, &python));
        ended.succeeds();
        assert_eq!(printed(&ended), printed(&run(plain(&mpi, RANKS, &python))), "{}", mpi.name);
        assert_eq!(scene.differences(), (Vec::new(), RANKS), "{}", mpi.name);
    }
}

/// Returns the MPI library that a program was linked with.
pub fn library_of(app: &Path) -> PathBuf {
    let output = Command::new("ldd").arg(app).output().expect("glibc has it");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.trim_start().starts_with("libmpi")).expect("it needs MPI");
    line.split_whitespace().nth(2).expect("it is found").into()
}

/// Configures mpi4py's library. Debian's MPICH has its own file name; mpi4py expects the usual one.
fn with_library(job: Job, library: &Path, scene: &Scene) -> Job {
    if !library.ends_with("libmpich.so.12") {
        return job.env("MPI4PY_LIBMPI", library);
    }
    let folder = scene.path("library");
    let link = folder.join("libmpi.so.12");
    if !folder.exists() {
        std::fs::create_dir(&folder).expect("writable");
        std::os::unix::fs::symlink(library, &link).expect("writable");
    }
    job.env("MPI4PY_LIBMPI", link).env("LD_LIBRARY_PATH", folder)
}
