//! Matches the points of two runs.

use std::collections::BTreeSet;

use panto_results::{Error, Result};

use crate::counterpart;
use crate::key::Key;
use crate::run::{Launches, Run};

/// A point that both runs have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matched {
    pub key: Key,
    /// The key in the new run, if another benchmark measured it there.
    pub counterpart: Option<Key>,
    pub old: Launches,
    pub new: Launches,
}

/// The points that both runs have, and those that only one has.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Matching {
    pub both: Vec<Matched>,
    pub only_old: Vec<Key>,
    pub only_new: Vec<Key>,
}

impl Matching {
    /// Matches points by their keys, then the remaining points with their counterparts in other
    /// benchmarks.
    pub fn of(old: Run, new: Run) -> Result<Self> {
        let nothing = nothing_in_common(&old, &new);
        let mut matching = Self::default();
        let (mut rest, mut new) = (Vec::new(), new.points);
        for (key, launches) in old.points {
            match new.remove(&key) {
                Some(after) => matching.add(key, None, launches, after),
                None => rest.push((key, launches)),
            }
        }
        let counterparts = counterpart::pairs(rest, new.into_iter().collect());
        for (before, after) in counterparts.both {
            matching.add(before.0, Some(after.0), before.1, after.1);
        }
        matching.only_old = counterparts.only_old;
        matching.only_new = counterparts.only_new;
        if matching.both.is_empty() { Err(nothing) } else { Ok(matching) }
    }

    fn add(&mut self, key: Key, counterpart: Option<Key>, old: Launches, new: Launches) {
        self.both.push(Matched { key, counterpart, old, new });
    }
}

fn nothing_in_common(old: &Run, new: &Run) -> Error {
    let list = |kernels: BTreeSet<&str>| kernels.into_iter().collect::<Vec<_>>().join(", ");
    let what = if old.kernels().is_disjoint(&new.kernels()) {
        format!("{} has {}, {} has {}", old.name(), list(old.kernels()), new.name(), list(new.kernels()))
    } else {
        let example = |run: &Run| run.points.keys().next().map(ToString::to_string).unwrap_or_default();
        format!(
            "the kernels are the same, but their ranks, parameters, algorithms or simulated machines differ: {} has `{}`, {} has `{}`",
            old.name(),
            example(old),
            new.name(),
            example(new)
        )
    };
    let again = match &old.command {
        Some(command) => format!("rerun the command of the first: {command}"),
        None => "rerun the same benchmark with the same settings".into(),
    };
    Error::usage(format!("the runs have no point in common: {what}; {again}"))
}
