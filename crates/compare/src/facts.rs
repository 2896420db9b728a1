//! What else was different: a slower time on another machine says little of the driver.

use std::collections::BTreeSet;

use panto_bench::measure::Start;
use panto_bench::results::{Host, Manifest, Placed, Record};
use serde::Serialize;

/// How a run was measured: facts by name, each with all its values over the launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    all: Vec<(&'static str, BTreeSet<String>)>,
}

/// A fact that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What differs.
    pub what: &'static str,
    /// Its values in the old run; empty where it is not known.
    pub old: Vec<String>,
    /// Its values in the new run.
    pub new: Vec<String>,
}

impl Facts {
    /// One more fact. Facts stay in the order in which they are first told.
    pub(crate) fn add(&mut self, what: &'static str, value: impl Into<String>) {
        let value = printable(&value.into());
        match self.all.iter_mut().find(|(known, _)| *known == what) {
            Some((_, values)) => drop(values.insert(value)),
            None => self.all.push((what, BTreeSet::from([value]))),
        }
    }

    /// What a launch says of itself.
    pub(crate) fn add_manifest(&mut self, manifest: &Manifest) {
        let Manifest { host, cpu, cores, system, transport, .. } = manifest;
        self.add("benchmark", format!("panto {}", manifest.panto));
        self.add("transport", transport);
        self.add("transport settings", &manifest.transport_settings);
        // Nothing of this host shows in simulated times.
        if let Some(machine) = &manifest.machine {
            self.add("simulated topology", &machine.topology);
            self.add("simulated network", &machine.network);
            let changed = machine.overrides.join(", ");
            self.add("changed in the model", if changed.is_empty() { "nothing".into() } else { changed });
        } else {
            self.add("host", host);
            self.add("processor", cpu);
            self.add("cores", cores.to_string());
            self.add("system", system);
        }
        if let Some(mpi) = &manifest.mpi {
            self.add("MPI", &mpi.version);
            self.add("MPI library", &mpi.path);
        }
        if !manifest.placement.is_empty() {
            self.add("placement", placement(&manifest.placement));
        }
        self.add("precision", manifest.precision.to_string());
    }

    /// How the ranks of a record started, which changes what is timed.
    pub(crate) fn add_record(&mut self, record: &Record) {
        let start = match record.start {
            Start::RoundTime => "at a moment named in advance",
            Start::Barrier => "after a barrier",
        };
        self.add("start of the ranks", start);
    }

    /// Takes over the facts of another file of the same side.
    pub(crate) fn merge(&mut self, other: Self) {
        for (what, values) in other.all {
            for value in values {
                self.add(what, value);
            }
        }
    }

    /// All values of a fact.
    pub fn values(&self, what: &str) -> Vec<String> {
        let found = self.all.iter().find(|(known, _)| *known == what);
        found.map(|(_, values)| values.iter().cloned().collect()).unwrap_or_default()
    }

    /// What is not the same in `new`, in the order of the facts.
    pub(crate) fn differences(&self, new: &Self) -> Vec<Difference> {
        let mut names: Vec<&'static str> = self.all.iter().map(|(what, _)| *what).collect();
        names.extend(new.all.iter().map(|(what, _)| *what).filter(|what| self.values(what).is_empty()));
        let both = |what| Difference { what, old: self.values(what), new: new.values(what) };
        names.into_iter().map(both).filter(|difference| difference.old != difference.new).collect()
    }
}

/// `n0: ranks 0-1 on cores 0-1; n1: ranks 2-3 on cores 0-1`.
fn placement(placed: &[Placed]) -> String {
    let host = |host: &Host| {
        let bound: Vec<String> = host.bound_to.iter().map(ToString::to_string).collect();
        format!("{}: ranks {} on cores {}", host.name, host.ranks, bound.join("|"))
    };
    Host::all(placed).iter().map(host).collect::<Vec<_>>().join("; ")
}

/// Files may hold anything: control characters could move the reader's cursor.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_with_both_values() {
        let (mut old, mut new) = (Facts::default(), Facts::default());
        for (facts, host) in [(&mut old, "a"), (&mut new, "b\u{1b}")] {
            facts.add("host", host);
            facts.add("cores", "4");
            facts.add("host", "a");
        }
        new.add("MPI", "MPICH 4.0");
        let differences = old.differences(&new);
        let said: Vec<_> = differences.iter().map(|d| (d.what, d.old.join("+"), d.new.join("+"))).collect();
        let expected = [("host", "a", "a+b "), ("MPI", "", "MPICH 4.0")];
        assert_eq!(said, expected.map(|(what, old, new)| (what, old.to_owned(), new.to_owned())));
        assert_eq!(old.differences(&old), []);
    }
}
