//! Clocks that differ, across real processes (S7): each rank's is made wrong by seconds and by
//! parts in a million.

use serde_json::Value;

use crate::mpis;

/// The variable that makes clocks wrong: 37 s for each rank, and up to 83 ppm.
const SKEW: &str = "PANTO_SKEW_CLOCKS";

/// The case of the clock sends the time of one rank to another, which must not read an earlier one.
#[test]
fn skewed_clocks_are_made_one() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let ended = mpi.job(2).words("info mpi --check").env(SKEW, "1").run();
        let printed = ended.succeeds();
        assert!(printed.contains("cases passed") && printed.contains("synchronised by HCA3"), "{printed}");
    }
}

/// Without one clock, the last end would come seconds after the first start, or before it.
#[test]
fn times_over_skewed_clocks_say_how_sure_they_are() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let line = "bench broadcast --sizes 8 --no-barrier -t 2s --format json";
        let ended = mpi.job(2).words(line).env(SKEW, "1").run();
        let printed: Value = serde_json::from_str(ended.succeeds()).expect("JSON");
        let point = &printed["points"][0];
        assert!(point["clock_error_ns"].as_f64() > Some(0.0), "no error in {point:#}");
        let least = point["summary"]["min_ns"].as_f64().expect("a time");
        assert!(least < 1e9, "the skew of the clocks is in the time: {least} ns");
    }
}
