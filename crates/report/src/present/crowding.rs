//! More ranks than cores.

use std::collections::BTreeSet;

use panto_bench::results::{Host, Manifest, Record};

/// Which kernels ran with more ranks than cores: their times contain waiting for a turn on a core. Simulated ranks never
/// wait for a real one.
pub fn crowding(records: &[Record], manifest: &Manifest) -> Option<String> {
    let crowded = crowded_counts(records, manifest);
    let there =
        records.iter().filter(|record| record.machine.is_none() && crowded.contains(&record.point.ranks));
    let kernels: BTreeSet<&str> = there.map(|record| record.kernel.as_str()).collect();
    if kernels.is_empty() {
        return None;
    }
    let kernels: Vec<&str> = kernels.into_iter().collect();
    let cores = match manifest.placement.as_slice() {
        [] => format!("the {} cores", manifest.cores),
        _ => "cores on a host".into(),
    };
    Some(format!(
        "more ranks than {cores} in {}: those times may contain waiting for a core",
        kernels.join(", ")
    ))
}

/// The numbers of ranks of these records for which there were not enough cores.
pub(super) fn crowded_counts<'a>(
    records: impl IntoIterator<Item = &'a Record>,
    manifest: &Manifest,
) -> BTreeSet<usize> {
    let measured = records.into_iter().filter(|record| record.machine.is_none());
    let counts: BTreeSet<usize> = measured.map(|record| record.point.ranks).collect();
    counts.into_iter().filter(|&ranks| is_crowded(ranks, manifest)).collect()
}

/// Where it is known where ranks ran, each host has its own cores.
fn is_crowded(ranks: usize, manifest: &Manifest) -> bool {
    if manifest.placement.is_empty() {
        return ranks > manifest.cores;
    }
    Host::all(manifest.placement.iter().filter(|placed| placed.rank < ranks)).iter().any(Host::is_crowded)
}
