//! The conditions of a run, and how those of two runs differ: a slower time on another machine says
//! little about the implementation.

use std::collections::BTreeSet;

use panto_results::{Host, Manifest, RankPlacement, Record, SyncMethod};
use panto_units::one_line;
use serde::Serialize;

/// The conditions of a run: facts by name, each with all its values over the launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    all: Vec<(&'static str, BTreeSet<String>)>,
}

/// A fact whose values differ between the sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactDifference {
    /// The name of the fact.
    #[serde(rename = "what")]
    pub fact: &'static str,
    /// Its values in the old run; empty if unknown.
    pub old: Vec<String>,
    /// Its values in the new run; empty if unknown.
    pub new: Vec<String>,
}

impl Facts {
    /// Adds a fact. Facts keep the order in which they are first added.
    pub(crate) fn add(&mut self, fact: &'static str, value: impl Into<String>) {
        let value = one_line(&value.into());
        match self.all.iter_mut().find(|(known, _)| *known == fact) {
            Some((_, values)) => drop(values.insert(value)),
            None => self.all.push((fact, BTreeSet::from([value]))),
        }
    }

    /// Adds the facts of a launch's manifest.
    pub(crate) fn add_manifest(&mut self, manifest: &Manifest) {
        let Manifest { host, cpu, cores, system, transport, .. } = manifest;
        self.add("benchmark", format!("panto {}", manifest.panto));
        self.add("transport", transport);
        self.add("transport settings", &manifest.transport_settings);
        // Simulated times do not depend on the host.
        if let Some(machine) = &manifest.machine {
            self.add("simulated topology", &machine.topology);
            self.add("simulated network", &machine.network);
            let overrides = machine.overrides.join(", ");
            self.add("model overrides", if overrides.is_empty() { "none".into() } else { overrides });
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
        if let Some(layout) = &manifest.layout {
            self.add("order of ranks", layout);
        }
        if !manifest.placement.is_empty() {
            self.add("placement", placement(&manifest.placement));
        }
        self.add("precision", manifest.precision.to_string());
    }

    /// Adds how the ranks of a record were started, which affects what is timed.
    pub(crate) fn add_record(&mut self, record: &Record) {
        let start = match record.start {
            SyncMethod::RoundTime => "at a prearranged time",
            SyncMethod::Barrier => "after a barrier",
        };
        self.add("start of the ranks", start);
    }

    /// Adds the facts of another file of the same side.
    pub(crate) fn merge(&mut self, other: Self) {
        for (fact, values) in other.all {
            for value in values {
                self.add(fact, value);
            }
        }
    }

    /// Returns all values of a fact.
    pub fn values(&self, fact: &str) -> Vec<String> {
        let found = self.all.iter().find(|(known, _)| *known == fact);
        found.map(|(_, values)| values.iter().cloned().collect()).unwrap_or_default()
    }

    /// Returns the facts whose values differ in `new`, in the order of the facts.
    pub(crate) fn differences(&self, new: &Self) -> Vec<FactDifference> {
        let mut names: Vec<&'static str> = self.all.iter().map(|(fact, _)| *fact).collect();
        names.extend(new.all.iter().map(|(fact, _)| *fact).filter(|fact| self.values(fact).is_empty()));
        let both = |fact| FactDifference { fact, old: self.values(fact), new: new.values(fact) };
        names.into_iter().map(both).filter(|difference| difference.old != difference.new).collect()
    }
}

/// Formats a placement: `n0: ranks 0-1 on cores 0-1; n1: ranks 2-3 on cores 0-1`.
fn placement(placed: &[RankPlacement]) -> String {
    let host = |host: &Host| {
        let bound: Vec<String> = host.bound_to.iter().map(ToString::to_string).collect();
        format!("{}: ranks {} on cores {}", host.name, host.ranks, bound.join("|"))
    };
    Host::all(placed).iter().map(host).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_both_values() {
        let (mut old, mut new) = (Facts::default(), Facts::default());
        for (facts, host) in [(&mut old, "a"), (&mut new, "b\u{1b}")] {
            facts.add("host", host);
            facts.add("cores", "4");
            facts.add("host", "a");
        }
        new.add("MPI", "MPICH 4.0");
        let differences = old.differences(&new);
        let found: Vec<_> = differences.iter().map(|d| (d.fact, d.old.join("+"), d.new.join("+"))).collect();
        let expected = [("host", "a", "a+b "), ("MPI", "", "MPICH 4.0")];
        assert_eq!(found, expected.map(|(fact, old, new)| (fact, old.to_owned(), new.to_owned())));
        assert_eq!(old.differences(&old), []);
    }
}
