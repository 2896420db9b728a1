//! More ranks than cores.

use std::collections::BTreeSet;

use panto_bench::results::{Manifest, Record};

/// Which kernels ran with more ranks than cores: their times contain waiting for a turn on a core. Simulated ranks never
/// wait for a real one.
pub fn crowding(records: &[Record], manifest: &Manifest) -> Option<String> {
    let crowded =
        records.iter().filter(|record| record.machine.is_none() && record.point.ranks > manifest.cores);
    let kernels: BTreeSet<&str> = crowded.map(|record| record.kernel.as_str()).collect();
    if kernels.is_empty() {
        return None;
    }
    let kernels: Vec<&str> = kernels.into_iter().collect();
    Some(format!(
        "more ranks than the {} cores in {}: those times may contain waiting for a core",
        manifest.cores,
        kernels.join(", ")
    ))
}
