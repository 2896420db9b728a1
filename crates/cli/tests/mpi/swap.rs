//! COMMTEST over real MPIs: all protocols, including those that only MPI has.

use serde_json::Value;

use crate::mpis;
use crate::on;

/// Every protocol runs and is verified, including ready sends, which MPI may reject if no receive
/// is posted. The native call needs a core per rank.
#[test]
fn every_protocol_runs() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let line = "bench swap/swap --volumes 16K --sizes 4K,16K --cache repeated -t 2s --format json";
        let value: Value = serde_json::from_str(on(mpi, 2, line).succeeds()).expect("JSON");
        let points = value["points"].as_array().expect("points");
        assert_eq!(points.len(), 21 * 2 * 2, "{}", mpi.name);
        let measured = points.iter().filter(|point| point["summary"]["median_ns"].as_f64() > Some(0.0));
        // All protocols except those that cannot be preposted, and the native call where ranks
        // outnumber cores.
        let native = std::thread::available_parallelism().map_or(1, usize::from) >= 2;
        assert_eq!(measured.count(), (20 + usize::from(native) + 16) * 2, "{}", mpi.name);
    }
}

#[test]
fn a_ring_and_two_pairs_at_once() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let few = "--volumes 16K --sizes 16K --cache warm --protocol (0,3),(0,5),(1,4),(1,6) -t 1s";
        let text = on(mpi, 4, &format!("bench swap --pairs 0-2,1-3 {few}")).succeeds().to_owned();
        for words in ["between 0-2,1-3", "between ring", "(1,6) ordered-handshake", "Recommended protocol"] {
            assert!(text.contains(words), "{}: no `{words}` in {text}", mpi.name);
        }
    }
}
