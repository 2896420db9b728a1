//! What follows from the records of a run.
//!
//! [`findings`] derives the figures that benchmark users quote (C17): start-up time and time per
//! byte of each protocol regime, peak bandwidth and n1/2, the growth of collectives with the number
//! of ranks, slowdown under load, the gain by overlap. There is no single score, and every figure
//! that comes from samples has a range. [`contest`] compares algorithms with each other.
//!
//! Nothing here measures: the same records always give the same findings, whether they were just
//! measured or read from a file. Records of different kernels, or of a measured and a simulated
//! run, are never mixed.
//!
//! Codes such as C17 in comments are requirements: rows of `docs/conformance.md`.

#![forbid(unsafe_code)]

mod classic;
mod cm5;
mod cm5_contests;
mod cm5_sizes;
mod collective;
pub mod contest;
mod curve;
mod daxpy;
mod finding;
mod growth;
mod load;
mod overlap;
mod scenario;
mod series;
pub mod swap;

use std::collections::BTreeMap;

use panto_results::quality::without_poor;
use panto_results::{Record, kernel};

pub use finding::{Finding, IntervalKind, Unit};
pub use overlap::{OverlapGain, overlap_gain};
pub use scenario::{AbsorbedShare, Perturbed, perturbed};

/// Returns everything that can be derived from these records, ordered by kernel and machine. Points
/// that are poor are no evidence and not used.
pub fn findings(records: &[Record]) -> Vec<Finding> {
    let mut kernels: BTreeMap<(&str, Option<&str>), Vec<&Record>> = BTreeMap::new();
    for record in without_poor(records) {
        kernels.entry((&record.kernel, record.machine.as_deref())).or_default().push(record);
    }
    let each = |((kernel, machine), records): (_, Vec<&Record>)| {
        let machine: Option<&str> = machine;
        of_kernel(kernel, &records)
            .into_iter()
            .map(move |finding| Finding { machine: machine.map(str::to_owned), ..finding })
    };
    kernels.into_iter().flat_map(each).collect()
}

fn of_kernel(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    match kernel {
        kernel::comet::ECHO | kernel::comet::EXCHANGE => curve::findings(kernel, records),
        kernel::comet::BROADCAST | kernel::comet::REDUCTION | kernel::comet::BARRIER => {
            collective::findings(kernel, records)
        }
        kernel::comet::CONTENTION => load::findings(kernel, records),
        kernel::comet::DAXPY => daxpy::findings(kernel, records),
        kernel::comet::OVERLAP => overlap::findings(kernel, records),
        kernel::comet::HANDLER => load::latencies(kernel, records, "send to handler"),
        kernel::comet::HANDLER_REPLY => load::latencies(kernel, records, "send to reply of the handler"),
        kernel::comet::IO => load::rates(kernel, records),
        _ => match kernel::suite_of(kernel) {
            kernel::cm5::SUITE => cm5::findings(kernel, records),
            kernel::swap::SUITE => swap::findings(kernel, records),
            kernel::scenario::SUITE => scenario::findings(kernel, records),
            kernel::classic::SUITE => classic::findings(kernel, records),
            _ => growth::findings(kernel, records),
        },
    }
}
