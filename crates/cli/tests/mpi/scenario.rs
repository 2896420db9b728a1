//! The suite `scenario` over real MPIs: properties that do not depend on measured times.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::mpis::{self, Mpi};
use crate::on;

/// One MPI of each ABI.
const MPIS: [Mpi; 3] = [mpis::MPICH, mpis::OPEN_MPI, mpis::MPICH_5_STANDARD];

fn everywhere(check: impl Fn(&Mpi)) {
    MPIS.iter().filter(|mpi| mpi.is_installed()).for_each(check);
}

/// Returns the points of a run on three ranks; the data of each point that has some must be
/// verified.
fn points(mpi: &Mpi, line: &str) -> Vec<Value> {
    let ended = on(mpi, 3, &format!("bench {line} --samples 5 -t 20s --format json"));
    let value: Value = serde_json::from_str(ended.succeeds()).expect("JSON");
    let points = value["points"].as_array().expect("points").clone();
    for point in &points {
        let is_barrier = point["params"]["collective"] == "barrier";
        assert_eq!(point["verified"], !is_barrier, "{}: {point:#}", mpi.name);
        // A busy machine may reach the time limit with fewer samples.
        let samples = point["summary"]["n"].as_u64();
        assert!((Some(3)..=Some(5)).contains(&samples), "{}: {point:#}", mpi.name);
        assert_eq!(each_rank(point).len(), point["ranks"].as_u64().expect("ranks") as usize);
    }
    points
}

/// Returns the nanoseconds of each rank from its start to its end.
fn each_rank(point: &Value) -> Vec<f64> {
    point["ranks_ns"].as_array().expect("times").iter().filter_map(Value::as_f64).collect()
}

fn of<'a>(points: &'a [Value], name: &str, value: impl Into<Value>) -> Vec<&'a Value> {
    let value = value.into();
    points.iter().filter(|point| point["params"][name] == value).collect()
}

/// Every collective of the MPI library runs blocking in communicators of two and three ranks, and
/// non-blocking.
#[test]
fn every_collective_alone() {
    everywhere(|mpi| {
        for (form, from) in [("blocking", 2), ("non-blocking", 3)] {
            let found = points(mpi, &format!("scenario/only --sizes 8,3000 --call {form} --from {from}"));
            // A barrier has no size. There are 16 collectives of all ranks and 5 of neighbours.
            assert_eq!(found.len(), (20 * 2 + 1) * (4 - from), "{}", mpi.name);
            let collectives: BTreeSet<&str> =
                found.iter().filter_map(|point| point["params"]["collective"].as_str()).collect();
            assert_eq!(collectives.len(), 21, "{}: {collectives:?}", mpi.name);
            assert_eq!(of(&found, "call", form).len(), found.len(), "{}", mpi.name);
        }
    });
}

/// No rank leaves a barrier or an allreduce before the late rank has arrived, unlike without delay.
#[test]
fn the_late_one_keeps_all_waiting() {
    everywhere(|mpi| {
        let late = "scenario/delay --collective barrier,allreduce --sizes 8 --late first,last --delays 3ms";
        let found = points(mpi, late);
        assert_eq!(of(&found, "delay", 0).len(), 4, "{}: {found:#?}", mpi.name);
        let late = of(&found, "delay", 3_000_000);
        assert_eq!(late.len(), 4, "{}: {found:#?}", mpi.name);
        for point in late {
            assert!(point["summary"]["min_ns"].as_f64() >= Some(3e6), "{}: {point:#}", mpi.name);
            assert!(each_rank(point).iter().any(|&nanos| nanos >= 3e6), "{}: {point:#}", mpi.name);
        }
    });
}

/// The library's collective and a schedule run without progress, with polling, and with a helper
/// thread. The helper computes and the rank's own thread calls MPI, so that `MPI_THREAD_SINGLE`
/// suffices, which every MPI provides.
#[test]
fn computation_beside_a_collective() {
    everywhere(|mpi| {
        let beside = "scenario/overlap --collective allreduce,bcast --sizes 3000 --impl library,binomial --computations 500us";
        let found = points(mpi, &format!("{beside} --progress none,poll,helper"));
        assert_eq!(found.len(), 2 * 2 * 3 * 2, "{}: {found:#?}", mpi.name);
        for progress in ["none", "poll", "helper"] {
            assert_eq!(of(&found, "progress", progress).len(), 2 * 2 * 2, "{}: {found:#?}", mpi.name);
        }
        // The work is a fixed number of iterations, so it cannot be much shorter than requested.
        for point in of(&found, "computation", 500_000) {
            assert!(point["summary"]["min_ns"].as_f64() > Some(350e3), "{}: {point:#}", mpi.name);
        }
    });
}

const MINE: &str = r#"
name = "mine"

[operation.sum]
collective = "allreduce"
bytes = 8

[operation.all]
root = "last"

[[participants]]
who = "first"
do = ["start", "load(1KiB, next)", "delay(2ms)", "issue(sum)", "issue(all)", "sync(sum)", "sync(all)", "stop"]

[[participants]]
who = "others"
do = ["start", "load(1KiB, next)", "issue(sum)", "comp(100us)", "issue(all)", "sync(sum)", "sync(all)", "stop"]
"#;

/// A scenario file and built-in scenarios: several collectives in a row and in flight at once,
/// loads, and different arrival times; in sub-communicators as well.
#[test]
fn scenarios_of_ones_own_and_built_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, MINE).expect("writable");
    everywhere(|mpi| {
        let names = "sequence,concurrent,loaded,streaming,staggered,straggler";
        let line = format!("scenario/own --scenario {},{names} --collective scatterv", file.display());
        let found = points(mpi, &format!("{line} --from 2 --sizes 3000 --delays 50us"));
        // Each with two and three participants; those with a delay also without it.
        assert_eq!(found.len(), 2 * (5 + 2 * 2), "{}: {found:#?}", mpi.name);
        for point in of(&found, "scenario", "mine") {
            assert!(point["summary"]["min_ns"].as_f64() >= Some(2e6), "{}: {point:#}", mpi.name);
        }
        assert_eq!(found.iter().filter(|point| point["ranks"] == 2).count(), found.len() / 2);
    });
}

/// CRESTA's command line: each size and number of participants once, with and without the delay.
#[test]
fn the_command_line_of_cresta() {
    everywhere(|mpi| {
        let ended = on(mpi, 4, "mbs allReduce 2 5 8 16 2000 4");
        let text = ended.succeeds();
        let rows: Vec<Vec<f64>> = text
            .lines()
            .map(|line| line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
            .filter(|row: &Vec<f64>| row.len() == 6)
            .collect();
        assert_eq!(rows.len(), 2 * 4, "{}: {text}", mpi.name);
        for words in ["AllReduce:\n", "AllReduce, delay 2ms, participant last late:\n"] {
            assert_eq!(text.matches(words).count(), 1, "{}: {text}", mpi.name);
        }
        // The second table has the delay, so its least time is at least as long.
        assert!(rows[4..].iter().all(|row| row[3] >= 2000.0), "{}: {text}", mpi.name);
    });
}
