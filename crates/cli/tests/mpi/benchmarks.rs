//! Benchmarks over MPI: the results file and the printed table.

use std::path::Path;

use serde_json::Value;

use crate::mpis::{self, Mpi};
use crate::{on, read_back};

/// Runs a line with its results in a file, and returns the lines of the file.
fn measured(mpi: &Mpi, ranks: usize, line: &str, path: &Path) -> Vec<Value> {
    mpi.job(ranks).words(line).arg("-o").arg(path).run().succeeds();
    let text = std::fs::read_to_string(path).expect("written");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Every installed MPI measures an echo, and the file describes what it was measured on.
#[test]
fn an_echo_is_kept_with_what_it_was_measured_on() {
    for mpi in mpis::ALL.iter().filter(|mpi| mpi.is_installed()) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("run.jsonl");
        let lines = measured(mpi, 2, "bench echo --sizes 8,64K -t 1s", &path);
        let manifest = &lines[0];
        assert_eq!(manifest["transport"], "mpi", "{manifest:#}");
        assert_eq!(manifest["mpi"]["abi"], mpi.abi, "{manifest:#}");
        assert!(
            manifest["mpi"]["path"].as_str().is_some_and(|path| path.contains(mpi.library)),
            "{manifest:#}"
        );
        assert_eq!(manifest["placement"].as_array().map(Vec::len), Some(2), "{manifest:#}");
        assert!(lines.iter().any(|line| line["kernel"] == "comet/echo"), "{lines:#?}");
        let table = read_back(&path);
        assert!(table.contains("comet/echo") && table.contains("64KiB"), "{table}");
    }
}

/// The whole suite runs within a short time limit.
#[test]
fn the_suite_runs_on_four_ranks() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("run.jsonl");
        let lines =
            measured(mpi, 4, "bench comet -t 5s --sizes 8,4K --dims 16 --lengths 8 --loads 50", &path);
        let has = |kernel: &str| lines.iter().any(|line| line["kernel"] == kernel);
        for kernel in ["comet/echo", "comet/exchange", "comet/broadcast", "comet/reduction", "comet/barrier"]
        {
            assert!(has(kernel), "{}: no {kernel} in {lines:#?}", mpi.name);
        }
        assert!(read_back(&path).contains("comet/reduction"));
    }
}

/// The same collective by the library and by Panto's schedule: both are verified and have separate
/// rows.
#[test]
fn our_algorithm_beside_the_librarys() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let algorithm = |options: &str| {
            let line = format!("bench reduction --lengths 64 -t 1s --format json {options}");
            let value: Value = serde_json::from_str(on(mpi, 3, &line).succeeds()).expect("JSON");
            assert!(value["points"][0]["summary"]["median_ns"].as_f64() > Some(0.0), "{value:#}");
            value["points"][0]["algorithm"].as_str().map(str::to_owned)
        };
        assert_eq!(algorithm("--algorithm ring").as_deref(), Some("ring"), "{}", mpi.name);
        assert_eq!(algorithm("").as_deref(), Some("library"), "{}", mpi.name);
    }
}

/// A thread takes messages while its rank computes: every message is handled, and checked. Beside
/// other kernels, which it would slow down, it is refused.
#[test]
fn messages_are_handled_while_a_rank_computes() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI, mpis::MPICH_5_STANDARD].iter().filter(|mpi| mpi.is_installed()) {
        let directory = tempfile::tempdir().expect("a directory");
        let lines = measured(
            mpi,
            2,
            "bench comet/handler comet/handler-reply --sizes 8,64K -t 1s",
            &directory.path().join("run.jsonl"),
        );
        let is_handler = |line: &&Value| {
            line["kernel"].as_str().is_some_and(|name| name.starts_with("comet/handler"))
                && line["provisional"] != true
        };
        let points: Vec<&Value> = lines.iter().filter(is_handler).collect();
        assert_eq!(points.len(), 4, "{}: {lines:#?}", mpi.name);
        for point in points {
            // The last message is sent 15 ms before the rank's computation ends: without a thread
            // none would be handled sooner.
            let samples = point["samples_ns"].as_array().expect("a list");
            let is_during = |nanos: &Value| nanos.as_f64().is_some_and(|nanos| nanos < 15e6);
            assert!(samples.iter().any(is_during), "{}: {point:#}", mpi.name);
        }
        let refused = on(mpi, 2, "bench comet/handler comet/barrier -t 1s");
        refused.fails_with(&["needs threads that call MPI (MPI_THREAD_MULTIPLE)", "run it alone"]);
    }
}

/// The ranks of a job are numbered anew, and an order that lacks a rank is refused once.
#[test]
fn ranks_have_the_order_that_the_user_gives() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let directory = tempfile::tempdir().expect("a directory");
        let lines =
            measured(mpi, 3, "bench barrier -t 500ms --layout 2,0,1", &directory.path().join("run.jsonl"));
        assert_eq!(lines[0]["placement"].as_array().map(Vec::len), Some(3), "{:#}", lines[0]);
        assert_eq!(lines[0]["layout"], "2,0,1", "{:#}", lines[0]);
        let shown = on(mpi, 3, "bench barrier -t 500ms --layout 2,0,1");
        assert!(shown.stdout.contains("note: ranks numbered by --layout 2,0,1"), "{}", shown.stdout);
        let refused = on(mpi, 3, "bench barrier --layout 2,0");
        refused.fails_with(&["--layout 2,0: the job has 3 ranks, and each of 0 to 2 is needed once"]);
        assert_eq!(refused.stderr.matches("is needed once").count(), 1, "{}", refused.stderr);
    }
}
