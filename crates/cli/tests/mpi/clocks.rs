//! Clocks that differ, across real processes (S7): each rank's is made wrong by seconds and by parts in a million.

use serde_json::Value;

use crate::mpis;

/// The variable that makes clocks wrong: 37 s for each rank, and up to 83 ppm.
const SKEW: &str = "PANTO_SKEW_CLOCKS";

/// The case of the clock sends the time of one rank to another, which must not read an earlier one.
#[test]
fn skewed_clocks_are_made_one() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_here()) {
        let ended = mpi.job(2).words("info mpi --check").env(SKEW, "1").run();
        let printed = ended.succeeds();
        assert!(printed.contains("cases passed") && printed.contains("synchronised by HCA3"), "{printed}");
    }
}

/// Without one clock, the last end would come seconds after the first start, or before it.
#[test]
fn times_over_skewed_clocks_say_how_sure_they_are() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_here()) {
        let line = "bench broadcast --sizes 8 --no-barrier -t 2s --format json";
        let ended = mpi.job(2).words(line).env(SKEW, "1").run();
        let printed: Value = serde_json::from_str(ended.succeeds()).expect("JSON");
        let record = &printed["records"][0];
        let error = record["clock_error_ns"].as_f64().unwrap_or_else(|| panic!("no error in {record:#}"));
        assert!(error > 0.0, "{record:#}");
        let samples = record["samples_ns"].as_array().expect("samples");
        let nanos = samples.iter().filter_map(Value::as_f64).fold(f64::MAX, f64::min);
        assert!(nanos < 1e9, "the skew of the clocks is in the time: {nanos} ns");
    }
}
