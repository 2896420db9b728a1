//! The classic benchmarks over MPI, with one-sided communication.

use serde_json::Value;

use crate::mpis::{self, Mpi};
use crate::on;

/// One MPI of each ABI; the suite does not depend on the launcher.
const MPIS: [Mpi; 3] = [mpis::MPICH, mpis::OPEN_MPI, mpis::MPICH_5_STANDARD];

fn points(mpi: &Mpi, ranks: usize, line: &str) -> Vec<Value> {
    let ended = on(mpi, ranks, &format!("bench {line} --format json"));
    let value: Value = serde_json::from_str(ended.succeeds()).expect("JSON");
    value["points"].as_array().expect("points").clone()
}

/// Every one-sided access runs with every synchronisation, and its data is verified.
#[test]
fn one_sided_by_every_synchronisation() {
    for mpi in MPIS.iter().filter(|mpi| mpi.is_installed()) {
        let kernels = ["put-latency", "get-latency", "accumulate-latency", "put-bandwidth", "get-bandwidth"];
        let all: Vec<String> = kernels.iter().map(|kernel| format!("classic/{kernel}")).collect();
        let found = points(mpi, 2, &format!("{} --sizes 0,8,5000 --window 7 -t 3s", all.join(" ")));
        for kernel in &all {
            for how in ["fence", "lock", "flush", "pscw"] {
                let is_it = |point: &&Value| point["kernel"] == **kernel && point["params"]["variant"] == how;
                let times: Vec<&Value> = found.iter().filter(is_it).collect();
                assert_eq!(times.len(), 3, "{}: {kernel} by {how}", mpi.name);
                assert!(times.iter().all(|point| point["verified"] == true), "{}: {times:#?}", mpi.name);
            }
        }
    }
}

/// Two of three ranks have a window and the third waits; ranks outnumber cores.
#[test]
fn a_rank_without_a_window_waits() {
    for mpi in MPIS.iter().filter(|mpi| mpi.is_installed()) {
        let found = points(mpi, 3, "classic/put-latency --sizes 8 --sync fence,pscw -t 2s");
        assert_eq!(found.len(), 2, "{}: {found:#?}", mpi.name);
    }
}

#[test]
fn the_other_kernels_on_four_ranks() {
    for mpi in MPIS.iter().filter(|mpi| mpi.is_installed()) {
        let found = points(
            mpi,
            4,
            "classic/latency classic/bandwidth classic/bidirectional classic/multi-latency classic/multi-bandwidth \
             classic/sendrecv classic/exchange classic/halo-2d classic/halo-3d --sizes 8,20K --dims 5 --window 8 -t 4s",
        );
        assert_eq!(found.len(), 7 * 2 + 2, "{}: {found:#?}", mpi.name);
    }
}

/// OSU's layout has a table for each synchronisation, with OSU's name for it.
#[test]
fn the_layout_of_one_sided_tests() {
    for mpi in MPIS.iter().filter(|mpi| mpi.is_installed()) {
        let line = "bench classic/put-latency --sizes 8 --sync flush,fence -t 1s --format";
        let osu = on(mpi, 2, &format!("{line} osu"));
        for words in [
            "# OSU MPI_Put Latency Test v",
            "# Synchronization: MPI_Win_flush\n",
            "# Synchronization: MPI_Win_fence\n",
        ] {
            assert!(osu.succeeds().contains(words), "{}: no `{words}` in {osu:#?}", mpi.name);
        }
        let rows = osu.stdout.lines().filter(|line| line.starts_with("8 ")).count();
        assert_eq!(rows, 2, "{osu:#?}");
        let imb = on(mpi, 2, &format!("{line} imb"));
        for words in ["# Benchmarking Unidir_put ", "# Benchmarking Unidir_Put ", "MODE: NON-AGGREGATE"] {
            assert!(imb.succeeds().contains(words), "{}: no `{words}` in {imb:#?}", mpi.name);
        }
    }
}
