//! The machine that results come from: results of different machines cannot be fitted together.

use panto_results::{Manifest, Record};

use crate::error::Error;

/// Describes the machine of a manifest.
pub fn describe(manifest: &Manifest) -> String {
    match (&manifest.machine, &manifest.mpi) {
        (Some(machine), _) if machine.overrides.is_empty() => format!("the simulated {}", machine.name),
        (Some(machine), _) => format!("the simulated {} with {}", machine.name, machine.overrides.join(", ")),
        (None, Some(mpi)) => format!("{} on {}", mpi.version, hosts(manifest)),
        (None, None) => format!("{} on {}", manifest.transport, manifest.host),
    }
}

fn hosts(manifest: &Manifest) -> String {
    let mut hosts: Vec<&str> = manifest.placement.iter().map(|placed| placed.host.as_str()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    match hosts.as_slice() {
        [] => manifest.host.clone(),
        [one] => (*one).to_owned(),
        [first, .., last] => format!("{} hosts, {first} to {last}", hosts.len()),
    }
}

/// Returns an error unless all manifests and all records are of one machine.
pub fn check(records: &[Record], manifests: &[Manifest]) -> Result<(), Error> {
    let mixed = |first: &str, other: &str| Error::MixedMachines { first: first.into(), other: other.into() };
    let all: Vec<String> = manifests.iter().map(describe).collect();
    if let Some(other) = all.iter().find(|other| **other != all[0]) {
        return Err(mixed(&all[0], other));
    }
    let machine = |name: &Option<String>| {
        name.as_ref().map_or_else(|| "a measured machine".to_owned(), |name| format!("the simulated {name}"))
    };
    match records.iter().find(|record| record.machine != records[0].machine) {
        Some(other) => Err(mixed(&machine(&records[0].machine), &machine(&other.machine))),
        None => Ok(()),
    }
}
