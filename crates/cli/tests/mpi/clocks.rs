//! Skewed clocks across real processes (S7): each rank's clock has an offset of seconds and a drift
//! of parts per million.

use serde_json::Value;

use crate::mpis;

/// The environment variable that skews clocks: 37 s per rank, and up to 83 ppm.
const SKEW: &str = "PANTO_SKEW_CLOCKS";

/// The clock case of the conformance test sends a rank's time to another, which must not read an
/// earlier time.
#[test]
fn skewed_clocks_are_made_one() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let ended = mpi.job(2).words("info mpi --check").env(SKEW, "1").run();
        let printed = ended.succeeds();
        assert!(printed.contains("cases passed") && printed.contains("synchronised by HCA3"), "{printed}");
    }
}

/// Without synchronisation, the last end would be seconds after the first start, or before it.
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
