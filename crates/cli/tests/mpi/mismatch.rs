//! A launcher and a library of different MPIs: each rank is initialised as a world of its own.

use std::path::PathBuf;

use serde_json::Value;

use crate::mpis::{self, Mpi};
use crate::on;

/// Returns the library of an MPI.
fn library(mpi: &Mpi) -> PathBuf {
    let value: Value = serde_json::from_str(on(mpi, 2, "info mpi --format json").succeeds()).expect("JSON");
    value["path"].as_str().expect("a path").into()
}

/// Asserts that nothing is measured, both versions are named, and the error is printed once.
fn is_explained(launcher: &Mpi, owner: &Mpi) {
    let library = library(owner);
    let ended = launcher.job(2).words("bench echo -t 1s").env("PANTO_MPI", &library).run();
    ended.fails_with(&[
        library.to_str().expect("text"),
        owner.version,
        launcher.launcher_name(),
        "PANTO_MPI",
    ]);
    assert_eq!(ended.stderr.matches("do not belong together").count(), 1, "{ended:#?}");
    assert!(ended.stdout.is_empty(), "{ended:#?}");
}

#[test]
fn the_library_of_another_mpi_is_explained() {
    let (mpich, open_mpi) = (mpis::MPICH, mpis::OPEN_MPI);
    if mpich.is_installed() && open_mpi.is_installed() {
        is_explained(&open_mpi, &mpich);
        is_explained(&mpich, &open_mpi);
    }
}
