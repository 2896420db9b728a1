//! Output of the OSU and Intel benchmarks.

use panto_compare::{Basis, Comparison, Verdict};

use super::support::{compared, echo, one_launch, text};

/// Invented figures in the layout of version 5.8.
const OSU: &str = "\
mpirun --hostfile hosts -np 2 osu_latency
# OSU MPI Latency Test v5.8
# Size          Latency (us)
0                       0.20
8                       0.24
65536                   5.00

# OSU MPI Bandwidth Test v5.8
# Size      Bandwidth (MB/s)
8                      32.00
65536                8000.00

real    0m5.711s
";

/// Invented figures in the layout of the 2021 release.
const IMB: &str = "\
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#----------------------------------------------------------------
# Machine               : x86_64
# Release               : 5.15.0
# MPI Version           : 3.1

# List of Benchmarks to run:
# PingPong

#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.21         0.00
            8         1000         0.26        30.77
        65536          640         5.10     12850.20
      4194304 time-out.

#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
# ( 2 additional processes waiting in MPI_Barrier)
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         2.00         2.20         2.10

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 4
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         1.00         1.20         1.10

# All processes entering MPI_Finalize
";

fn files(old: &str, new: &str) -> Comparison {
    let directory = tempfile::tempdir().expect("a directory");
    let [old, new] =
        [("old", old), ("new", new)].map(|(name, content)| text(directory.path(), name, content));
    compared(&old, &new).expect("common points")
}

/// Returns the old median of a kernel and size, in nanoseconds.
fn old_median(comparison: &Comparison, kernel: &str, bytes: Option<u64>) -> f64 {
    let is = |pair: &&panto_compare::Pair| pair.key.kernel == kernel && pair.key.number("bytes") == bytes;
    comparison.points.iter().find(is).unwrap_or_else(|| panic!("no {kernel}")).old.median_ns
}

#[test]
fn osu_output_is_read() {
    let comparison =
        files(OSU, &OSU.replace("5.00", "6.00").replace("8000.00", "8100.00").replace("v5.8", "v7.4"));
    assert_eq!(comparison.counts.all, 5);
    assert!((old_median(&comparison, "osu/latency", Some(8)) - 240.0).abs() < 1e-9);
    // 65536 bytes at 8000 MB/s.
    assert!((old_median(&comparison, "osu/bandwidth", Some(65536)) - 8192.0).abs() < 1e-9);
    let worst = &comparison.points[0];
    assert_eq!((worst.verdict, worst.basis, worst.p), (Verdict::Slower, Basis::Threshold, None));
    assert_eq!((comparison.counts.slower, comparison.counts.same), (1, 4));
    assert!(
        comparison.notes.iter().any(|note| note.contains("threshold alone decides")),
        "{:?}",
        comparison.notes
    );
    assert_eq!(comparison.differences[0].old, ["OSU 5.8"]);
}

#[test]
fn imb_output_is_read() {
    let comparison = files(IMB, &IMB.replace("1.10", "0.90").replace("5.15.0", "6.1.0"));
    assert_eq!(comparison.counts.all, 5);
    assert!((old_median(&comparison, "imb/pingpong", Some(65536)) - 5100.0).abs() < 1e-9);
    assert!((old_median(&comparison, "imb/allreduce", Some(8)) - 2100.0).abs() < 1e-9);
    let first = &comparison.points[0];
    assert_eq!(
        (first.key.kernel.as_str(), first.key.ranks, first.verdict),
        ("imb/barrier", Some(4), Verdict::Faster)
    );
    assert!(
        comparison.notes.iter().any(|note| note.contains("1 rows have no time")),
        "{:?}",
        comparison.notes
    );
    assert_eq!(
        comparison.differences.iter().map(|difference| difference.fact).collect::<Vec<_>>(),
        ["system"]
    );
}

#[test]
fn repeated_tables_are_launches() {
    let run = |levels: &[f64]| {
        let table =
            |level: &f64| format!("# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n8   {level}\n");
        levels.iter().map(table).collect::<String>()
    };
    let four = files(&run(&[1.0, 1.1, 1.05, 1.08]), &run(&[1.5, 1.6, 1.55, 1.4]));
    let [pair] = &four.points[..] else { panic!("one point") };
    assert_eq!((pair.basis, pair.verdict, pair.old.launches), (Basis::Launches, Verdict::Slower, 4));
    // Three launches per side are too few for a test, but they can all lie beyond the threshold.
    let three = files(&run(&[1.0, 1.1, 1.05]), &run(&[1.5, 1.6, 1.55]));
    assert_eq!((three.points[0].basis, three.verdict), (Basis::Threshold, Verdict::Slower));
    let mixed = files(&run(&[1.0, 1.1, 1.05]), &run(&[1.0, 1.6, 1.55]));
    assert_eq!(mixed.verdict, Verdict::Inconclusive);
}

#[test]
fn points_of_different_suites_are_compared_by_means() {
    let osu_and_imb = files(OSU, IMB);
    assert_eq!(osu_and_imb.counts.all, 3);
    assert!(osu_and_imb.points.iter().all(|pair| pair.counterpart.is_some()));
    assert_eq!(osu_and_imb.counts.only_old, 2);
    let directory = tempfile::tempdir().expect("a directory");
    let panto = one_launch(directory.path(), "run.jsonl", vec![echo(8, vec![200.0, 200.0, 500.0])]);
    let osu = text(directory.path(), "osu.txt", OSU);
    let comparison = compared(&osu, &panto).expect("a counterpart");
    let [pair] = &comparison.points[..] else { panic!("one point") };
    assert!((pair.ratio.expect("a ratio") - 300.0 / 240.0).abs() < 1e-9);
    assert_eq!((pair.key.kernel.as_str(), pair.basis), ("osu/latency", Basis::Threshold));
    assert!(
        comparison.notes.iter().any(|note| note.contains("means are compared")),
        "{:?}",
        comparison.notes
    );
}
