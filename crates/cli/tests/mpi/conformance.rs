//! The MPI transport passes the conformance test over every MPI, on few and on many ranks.

use crate::mpis::{self, Mpi};
use crate::on;

/// Runs the conformance test, and asserts that it reports more than a few passed cases.
fn conforms(mpi: &Mpi, ranks: usize) {
    if !mpi.is_installed() {
        return;
    }
    let ended = on(mpi, ranks, "info mpi --check --format json");
    let text = ended.succeeds();
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(value["ranks"], ranks, "{}: {text}", mpi.name);
    assert_eq!(value["abi"], mpi.abi, "{}: {text}", mpi.name);
    assert_eq!(value["check"]["failed"], 0, "{}: {text}", mpi.name);
    assert!(value["check"]["passed"].as_u64() > Some(10), "{}: {text}", mpi.name);
}

/// Defines a test for each number of ranks.
macro_rules! conformance {
    ($($name:ident: $mpi:ident;)*) => {$(
        mod $name {
            #[test]
            fn on_2_ranks() {
                super::conforms(&super::mpis::$mpi, 2);
            }

            #[test]
            fn on_3_ranks() {
                super::conforms(&super::mpis::$mpi, 3);
            }

            #[test]
            fn on_4_ranks() {
                super::conforms(&super::mpis::$mpi, 4);
            }

            #[test]
            fn on_8_ranks() {
                super::conforms(&super::mpis::$mpi, 8);
            }
        }
    )*};
}

// Intel MPI's standard ABI is left out: it aborts the job when a persistent receive is too short,
// whatever the error handler.
conformance! {
    mpich: MPICH;
    open_mpi: OPEN_MPI;
    mpich_5: MPICH_5;
    mpich_5_standard: MPICH_5_STANDARD;
    open_mpi_5: OPEN_MPI_5;
    intel: INTEL;
}
