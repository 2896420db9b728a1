//! Warns of more ranks than cores (oversubscription).

use std::collections::BTreeSet;

use panto_results::{Host, Manifest, Record};

/// Returns the kernels that ran with more ranks than cores: their times include waiting for a core.
/// Simulated ranks need no core.
pub fn oversubscription(records: &[Record], manifest: &Manifest) -> Option<String> {
    let oversubscribed = oversubscribed_counts(records, manifest);
    let there = records
        .iter()
        .filter(|record| record.machine.is_none() && oversubscribed.contains(&record.point.ranks));
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
        "more ranks than {cores} in {}: those times may include waiting for a core",
        kernels.join(", ")
    ))
}

/// Returns the numbers of ranks in these records for which there were not enough cores.
pub(super) fn oversubscribed_counts<'a>(
    records: impl IntoIterator<Item = &'a Record>,
    manifest: &Manifest,
) -> BTreeSet<usize> {
    let measured = records.into_iter().filter(|record| record.machine.is_none());
    let counts: BTreeSet<usize> = measured.map(|record| record.point.ranks).collect();
    counts.into_iter().filter(|&ranks| is_oversubscribed(ranks, manifest)).collect()
}

/// Returns whether a number of ranks exceeds the cores; per host if the placement is known.
fn is_oversubscribed(ranks: usize, manifest: &Manifest) -> bool {
    if manifest.placement.is_empty() {
        return ranks > manifest.cores;
    }
    Host::all(manifest.placement.iter().filter(|placed| placed.rank < ranks)).iter().any(Host::is_crowded)
}
