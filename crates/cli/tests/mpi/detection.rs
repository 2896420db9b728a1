//! Which library is loaded under which launcher, and the errors if none can be loaded.

use std::path::Path;

use serde_json::Value;

use crate::mpis::{self, Mpi};
use crate::{alone, on};

/// Under each installed launcher, its own library is found, with its name and version.
#[test]
fn each_launcher_brings_its_library() {
    for mpi in mpis::ALL.iter().filter(|mpi| mpi.is_installed()) {
        let ended = on(mpi, 2, "info mpi --format json");
        let value: Value = serde_json::from_str(ended.succeeds()).expect("JSON");
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        assert!(text("version").contains(mpi.version), "{}: {value:#}", mpi.name);
        assert!(text("path").contains(mpi.library), "{}: {value:#}", mpi.name);
        assert_eq!(text("abi"), mpi.abi, "{}: {value:#}", mpi.name);
        assert!(!text("chosen").is_empty(), "{}: {value:#}", mpi.name);
        assert_placed(mpi, &value, 2);
    }
}

/// Asserts that each rank is a process of its own on this host.
fn assert_placed(mpi: &Mpi, value: &Value, ranks: usize) {
    assert_eq!(value["ranks"], ranks, "{}: {value:#}", mpi.name);
    let placement = value["placement"].as_array().expect("a list");
    let mut pids: Vec<&Value> = placement.iter().map(|rank| &rank["pid"]).collect();
    pids.dedup();
    assert_eq!(pids.len(), ranks, "{}: {value:#}", mpi.name);
    assert!(placement.iter().all(|rank| rank["node"] == 0 && rank["host"] == placement[0]["host"]));
}

/// The table prints the name, the file and the reason once each.
#[test]
fn the_library_is_described_once() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let ended = on(mpi, 3, "info mpi");
        let text = ended.succeeds();
        for word in ["library", "standard", "ABI", "path", "chosen", "ranks"] {
            let lines = text.lines().filter(|line| line.starts_with(word)).count();
            assert_eq!(lines, 1, "{}: `{word}` in:\n{text}", mpi.name);
        }
    }
}

/// Without a launcher, the library that would be loaded is described.
#[test]
fn a_library_is_described_without_a_launcher() {
    if !mpis::MPICH.is_installed() && !mpis::OPEN_MPI.is_installed() {
        return;
    }
    let output = alone("info mpi --format json");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(Path::new(value["path"].as_str().expect("a path")).is_file(), "{value:#}");
    assert!(value["ranks"].is_null(), "{value:#}");
}

#[test]
fn without_a_launcher_the_error_names_one() {
    for line in ["bench echo --on mpi", "info mpi --check"] {
        let output = alone(line);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        assert!(message.contains("mpirun -n"), "{line}: {message}");
        assert!(output.stdout.is_empty(), "{line}");
    }
}

/// An invalid `PANTO_MPI` is named in the error, and no other library is tried.
#[test]
fn a_library_that_is_none_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = directory.path().join("libmpi.so");
    std::fs::write(&text, "INPUT(-lmpi)\n").expect("writable");
    for library in [Path::new("/nowhere/libmpi.so.12"), &text, Path::new("libm.so.6"), directory.path()] {
        for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
            let ended = mpi.job(2).words("bench echo -t 1s").env("PANTO_MPI", library).run();
            ended.fails_with(&[library.to_str().expect("text")]);
            assert!(ended.stdout.is_empty(), "{ended:#?}");
        }
    }
}
