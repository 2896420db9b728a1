//! Whose results these are: those of different machines make no model.

use panto_bench::results::{Manifest, Record};

use crate::error::Error;

/// The machine that results come from, in words.
pub fn of(manifest: &Manifest) -> String {
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

/// All launches must be of one machine, and all records of them.
pub fn check(records: &[Record], manifests: &[Manifest]) -> Result<(), Error> {
    let mixed = |a: &str, b: &str| {
        Error::new(format!(
            "the results are of different machines, {a} and {b}, and a model is of one; fit each alone: panto fit RESULTS \
             with the files of one machine"
        ))
    };
    let all: Vec<String> = manifests.iter().map(of).collect();
    if let Some(other) = all.iter().find(|other| **other != all[0]) {
        return Err(mixed(&all[0], other));
    }
    let words = |machine: &Option<String>| {
        machine
            .as_ref()
            .map_or_else(|| "one that was measured".to_owned(), |name| format!("the simulated {name}"))
    };
    match records.iter().find(|record| record.machine != records[0].machine) {
        Some(other) => Err(mixed(&words(&records[0].machine), &words(&other.machine))),
        None => Ok(()),
    }
}
