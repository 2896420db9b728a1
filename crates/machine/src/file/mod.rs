//! Model files (P11): the native format, PUPPET's grammar, bases, overrides, and the machines that Panto knows.
//!
//! Whatever the format, a file becomes a tree of values that know their places; bases and overrides are laid over each other as
//! trees; one builder turns the result into a [`Machine`]. So each check is written once, and every error says where.

mod build;
pub mod builtin;
mod error;
mod figures;
mod intervals;
mod load;
mod native;
mod nearest;
mod puppet;
mod read;
mod resize;
mod schema;
mod section;
mod set;
mod tree;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;

use crate::machine::{Machine, Source};
use crate::map::Map;

pub use error::{Error, Place};
pub use figures::Figure;
pub use intervals::Interval;

use load::Loaded;
use tree::Table;

/// A machine together with what its file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    machine: Machine,
    tree: Table,
    sources: Vec<Table>,
    intervals: Vec<Interval>,
    origin: Place,
    builtin: bool,
}

impl Model {
    /// Loads a built-in by its name, or a file, and applies overrides such as `link.latency=2us`.
    pub fn load(name_or_path: &str, overrides: &[String]) -> Result<Self, Error> {
        let loaded = load::load(name_or_path)?;
        Self::new(loaded, overrides, builtin::find(name_or_path).is_some())
    }

    /// Reads a model from a text. `origin` stands in errors, and files that the model names lie beside it.
    pub fn parse(text: &str, origin: &str, overrides: &[String]) -> Result<Self, Error> {
        Self::new(load::parse(text, origin)?, overrides, false)
    }

    fn new(loaded: Loaded, overrides: &[String], builtin: bool) -> Result<Self, Error> {
        let Loaded { mut tree, sources, intervals, origin, name } = loaded;
        set::apply(&mut tree, overrides)?;
        let machine = build::machine(&tree, &origin, &name)?;
        let intervals = intervals::valid(intervals, &tree);
        Ok(Self { machine, tree, sources, intervals, origin, builtin }.with_sources())
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

    /// The machine alone.
    pub fn into_machine(self) -> Machine {
        self.machine
    }

    /// Is it one of the machines that Panto knows, perhaps with overrides?
    pub fn is_builtin(&self) -> bool {
        self.builtin
    }

    /// All that the model says, with sources.
    pub fn figures(&self) -> Vec<Figure> {
        figures::figures(&self.tree, &self.sources)
    }

    /// How well its figures are known, those of which the model says so. A figure that was set on the command line is exact.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// The same machine with at least so many processors, as far as it could be built: a hypercube of the next power of two, a
    /// fat tree with more levels, and so on. A model that is large enough stays as it is.
    pub fn with_processors(&self, processors: usize) -> Result<Self, Error> {
        if processors <= self.machine.processors() {
            return Ok(self.clone());
        }
        let mut large = self.clone();
        resize::resize(&mut large.tree, processors, &self.machine.name)?;
        large.machine = build::machine(&large.tree, &self.origin, &self.machine.name)?;
        Ok(large.with_sources())
    }

    /// A machine for so many ranks, and a sentence if it had to grow for them. Built-ins grow unless the command line set their
    /// size; other models are meant as they are.
    pub fn for_ranks(self, ranks: usize) -> Result<(Machine, Option<String>), Error> {
        let has = self.machine.processors();
        let grows =
            ranks > has && self.builtin && !self.machine.multitasking && !resize::is_meant(&self.tree);
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

    /// Does this text look like a model, and not like a result?
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

    /// Reads a model from a text. `origin` stands in errors, and files that the model names lie beside it.
    pub fn parse(text: &str, origin: &str) -> Result<Self, Error> {
        Model::parse(text, origin, &[]).map(Model::into_machine)
    }

    /// Is there a processor for each of so many ranks?
    pub fn check_ranks(&self, ranks: usize) -> Result<(), Error> {
        if self.multitasking {
            return Ok(());
        }
        let processors = self.processors();
        if ranks > processors {
            return Err(Error::new(format!(
                "{ranks} ranks do not fit on the {processors} processors of {} ({}): let ranks share processors with --set \
                 multitasking=true, or take a larger topology",
                self.name, self.network.topology
            )));
        }
        let Map::List(list) = &self.network.map else { return Ok(()) };
        let mut taken = HashSet::new();
        match list.iter().take(ranks).position(|processor| !taken.insert(processor)) {
            Some(rank) => Err(Error::new(format!(
                "the map of {} places rank {rank} on processor {}, where another rank runs already: let ranks share \
                 processors with --set multitasking=true, or change the map",
                self.name, list[rank]
            ))),
            None => Ok(()),
        }
    }
}
