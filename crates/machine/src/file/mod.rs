//! Model files (P11): TOML, PUPPET's grammar, bases, overrides, and the built-in machines.
//!
//! Loading has four stages, whatever the format. A file is parsed into a [tree](tree) of values
//! with their locations; the [schema](schema) checks its keys; bases and overrides are merged as
//! trees; and one [builder](build) turns the result into a [`Machine`]. So each check is written
//! once, and every error has a location. [`write`](write) is the inverse: it writes a machine as a
//! model file.

mod assumed;
mod build;
pub mod builtin;
mod cost_kind;
mod description;
mod error;
mod figures;
mod intervals;
mod load;
mod overrides;
mod puppet;
mod read;
mod resize;
mod schema;
mod section;
mod toml_file;
mod tree;
pub mod write;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;

use crate::machine::{Machine, Source};
use crate::map::RankMap;

pub use cost_kind::CostKind;
pub use error::{Error, Location};
pub use figures::Figure;
pub use intervals::Interval;
pub use load::looks_like_a_path;

use assumed::Assumed;
use load::Loaded;
use tree::Table;

/// A machine together with the contents of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    machine: Machine,
    tree: Table,
    sources: Vec<Table>,
    assumed: Vec<Assumed>,
    year: Option<u16>,
    groups: Vec<String>,
    intervals: Vec<Interval>,
    origin: Location,
    builtin: bool,
}

impl Model {
    /// Loads a built-in by its name, or a file, and applies overrides such as `link.latency=2us`.
    pub fn load(name_or_path: &str, overrides: &[String]) -> Result<Self, Error> {
        let loaded = load::load(name_or_path)?;
        Self::new(loaded, overrides, builtin::find(name_or_path).is_some())
    }

    /// Parses a model from a text. `origin` is its name in errors, and files that the model names
    /// are relative to it.
    pub fn parse(text: &str, origin: &str, overrides: &[String]) -> Result<Self, Error> {
        Self::new(load::parse(text, origin)?, overrides, false)
    }

    fn new(loaded: Loaded, overrides: &[String], builtin: bool) -> Result<Self, Error> {
        let Loaded { mut tree, sources, assumed, intervals, origin, name } = loaded;
        overrides::apply(&mut tree, overrides)?;
        let machine = build::machine(&tree, &origin, &name)?;
        let intervals = intervals::valid(intervals, &tree);
        let (year, groups) = description::read(&tree)?;
        Ok(Self { machine, tree, sources, assumed, year, groups, intervals, origin, builtin }.with_sources())
    }

    fn with_sources(mut self) -> Self {
        let source = |figure: Figure| Source { key: figure.key, text: figure.source };
        self.machine.sources = self.figures().into_iter().map(source).collect();
        self
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the machine alone.
    pub fn into_machine(self) -> Machine {
        self.machine
    }

    /// Returns whether it is a built-in machine, perhaps with overrides.
    pub fn is_builtin(&self) -> bool {
        self.builtin
    }

    /// All figures of the model, with their sources.
    pub fn figures(&self) -> Vec<Figure> {
        figures::figures(&self.tree, &self.sources, &self.assumed)
    }

    /// The year in which the machine was introduced, if the file has it.
    pub fn year(&self) -> Option<u16> {
        self.year
    }

    /// The groups that the machine belongs to, such as `modern`.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// The keys of assumed times and rates, each with the override under which it costs nothing.
    pub fn free_of_assumed(&self) -> Vec<(String, String)> {
        assumed::free(&self.tree, &self.assumed)
    }

    /// The overrides under which messages have no cost of a kind.
    pub fn free_of(&self, kind: CostKind) -> Vec<String> {
        cost_kind::free(&self.tree, kind)
    }

    /// The confidence intervals of figures that have one. A figure that was set on the command line
    /// is exact.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// Returns the machine with at least `processors` processors, in a size in which it could be
    /// built: a hypercube of the next power of two, a fat tree with more levels, and so on. A model
    /// that is large enough is returned unchanged.
    pub fn with_processors(&self, processors: usize) -> Result<Self, Error> {
        if processors <= self.machine.processors() {
            return Ok(self.clone());
        }
        let mut large = self.clone();
        resize::resize(&mut large.tree, processors, &self.machine.name)?;
        large.machine = build::machine(&large.tree, &self.origin, &self.machine.name)?;
        Ok(large.with_sources())
    }

    /// Returns a machine for `ranks` ranks, and a note if it was enlarged for them. Built-in
    /// machines are enlarged unless the command line set their size; other models have a fixed
    /// size.
    pub fn for_ranks(self, ranks: usize) -> Result<(Machine, Option<String>), Error> {
        let has = self.machine.processors();
        let grows =
            ranks > has && self.builtin && !self.machine.multitasking && !resize::is_size_set(&self.tree);
        if !grows {
            self.machine.check_ranks(ranks)?;
            return Ok((self.machine, None));
        }
        let machine = self.with_processors(ranks)?.machine;
        machine.check_ranks(ranks)?;
        let note = format!(
            "{} with {} processors instead of {has}, for {ranks} ranks",
            machine.name,
            machine.processors()
        );
        Ok((machine, Some(note)))
    }

    /// Returns whether a text looks like a model file, as opposed to a results file.
    pub fn recognises(text: &str, path: &Path) -> bool {
        let begins = |line: &str| {
            let word = line.split(['=', ' ', '\t', '.']).next().unwrap_or_default();
            line.starts_with('[') || schema::ROOT.iter().any(|key| key.name == word)
        };
        let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        path.extension().is_some_and(|extension| extension == "toml")
            || puppet::is_puppet(text, Some(path))
            || first.is_some_and(begins)
    }
}

impl Machine {
    /// Loads a built-in by its name, or a file, and applies overrides such as `link.latency=2us`.
    pub fn load(name_or_path: &str, overrides: &[String]) -> Result<Self, Error> {
        Model::load(name_or_path, overrides).map(Model::into_machine)
    }

    /// Parses a model from a text. `origin` is its name in errors, and files that the model names
    /// are relative to it.
    pub fn parse(text: &str, origin: &str) -> Result<Self, Error> {
        Model::parse(text, origin, &[]).map(Model::into_machine)
    }

    /// Checks that there is a processor for each of `ranks` ranks.
    pub fn check_ranks(&self, ranks: usize) -> Result<(), Error> {
        if self.multitasking {
            return Ok(());
        }
        let processors = self.processors();
        if ranks > processors {
            return Err(Error::new(format!(
                "{ranks} ranks do not fit on the {processors} processors of {} ({}): let ranks share processors with --set \
                 multitasking=true, or use a larger topology",
                self.name, self.network.topology
            )));
        }
        let RankMap::List(list) = &self.network.map else { return Ok(()) };
        let mut taken = HashSet::new();
        match list.iter().take(ranks).position(|processor| !taken.insert(processor)) {
            Some(rank) => Err(Error::new(format!(
                "the map of {} places rank {rank} on processor {}, which another rank uses: let ranks share \
                 processors with --set multitasking=true, or change the map",
                self.name, list[rank]
            ))),
            None => Ok(()),
        }
    }
}
