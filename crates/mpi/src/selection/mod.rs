//! Selecting the algorithm of a native collective, while the program runs.
//!
//! Open MPI's component `tuned` and MPICH have several algorithms for a collective and choose one
//! by the number of ranks and the size of the message. Control variables override the choice
//! ([`crate::ControlVariables`]). MPICH reads its variables in each call. Open MPI reads them when
//! a communicator is made, and only if dynamic rules were enabled before initialization
//! ([`Library::enable_selection`]).

mod mpich;
mod open_mpi;

use std::rc::Rc;

use panto_calls::Collective;

pub use mpich::SelectionTrees;

use crate::abi::Abi;
use crate::control::ControlVariables;
use crate::error::{Error, Result};
use crate::library::Library;
use crate::mpi::Mpi;

/// The collectives whose algorithm can be selected.
pub const TUNABLE: [Collective; 5] = [
    Collective::Allreduce,
    Collective::Broadcast,
    Collective::Alltoall,
    Collective::Allgather,
    Collective::Reduce,
];

/// The name that leaves the choice to the library.
const DEFAULT: &str = "default";

/// An algorithm that can be selected for a collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its name: the library's, with `:` and the bytes of a segment where it is pipelined.
    pub name: String,
    /// The library's number for it.
    pub number: i32,
    /// Bytes of a segment; 0 if the message is not divided.
    pub segment: u64,
    /// The variables that select it.
    settings: Vec<(String, i32)>,
}

/// The selectable algorithms of a library.
pub struct Algorithms {
    variables: Rc<ControlVariables>,
    choices: Vec<(Collective, Vec<Choice>)>,
    per_communicator: bool,
}

/// A selection. Dropping it leaves the choice to the library again.
pub struct Selected {
    variables: Rc<ControlVariables>,
    before: Vec<(String, i32)>,
}

impl Library {
    /// Makes algorithms selectable. Has an effect before the library is initialized only.
    ///
    /// # Safety
    /// No other thread may read or change the environment meanwhile.
    pub unsafe fn enable_selection(&self) {
        if self.abi() == Abi::OpenMpi {
            let (name, value) = open_mpi::DYNAMIC;
            // SAFETY: the caller promises that no other thread uses the environment.
            unsafe { std::env::set_var(name, value) };
        }
    }
}

impl Algorithms {
    /// Lists the algorithms of an initialized library.
    pub fn of(mpi: &Mpi) -> Result<Self> {
        let variables =
            ControlVariables::list(mpi, |name| open_mpi::is_needed(name) || mpich::is_needed(name))?;
        let per_communicator = open_mpi::is_used(&variables);
        let trees = (!per_communicator).then(|| SelectionTrees::of(mpi.library())).flatten();
        let choices = |collective| match &trees {
            Some(trees) => mpich::choices(&variables, trees, collective),
            None => open_mpi::choices(&variables, collective),
        };
        let choices = TUNABLE.map(|collective| (collective, choices(collective))).to_vec();
        if choices.iter().all(|(_, choices)| choices.is_empty()) {
            return Err(Error::Algorithm(format!(
                "{} has no algorithms that can be selected while it runs: Open MPI with its component `tuned` and MPICH 4 and \
                 later have them",
                mpi.library().name()
            )));
        }
        Ok(Self { variables: Rc::new(variables), choices, per_communicator })
    }

    /// Returns the algorithms of a collective, besides the library's own choice.
    pub fn choices(&self, collective: Collective) -> &[Choice] {
        self.choices.iter().find(|(other, _)| *other == collective).map_or(&[], |(_, choices)| choices)
    }

    /// Returns whether a selection concerns communicators that are made while it lasts, rather than
    /// calls.
    pub fn is_per_communicator(&self) -> bool {
        self.per_communicator
    }

    /// Selects an algorithm by its name on this rank, or the library's own choice by `default`. All
    /// ranks of a collective must select the same.
    pub fn select(&self, collective: Collective, name: &str) -> Result<Selected> {
        let mut selected = Selected { variables: Rc::clone(&self.variables), before: Vec::new() };
        if name == DEFAULT {
            return Ok(selected);
        }
        let choices = self.choices(collective);
        let choice = choices.iter().find(|choice| choice.name == name);
        let choice = choice.ok_or_else(|| unknown(collective, name, choices))?;
        for (name, value) in &choice.settings {
            selected.set(name, *value)?;
        }
        Ok(selected)
    }

    /// Makes an algorithm that does not fit a call an error, until this is dropped. Otherwise some
    /// libraries use another one without a word.
    pub fn strict(&self) -> Result<Selected> {
        let mut strict = Selected { variables: Rc::clone(&self.variables), before: Vec::new() };
        if let Some((name, value)) = mpich::strict(&self.variables) {
            strict.set(&name, value)?;
        }
        Ok(strict)
    }
}

fn unknown(collective: Collective, name: &str, choices: &[Choice]) -> Error {
    let names: Vec<&str> = choices.iter().map(|choice| choice.name.as_str()).collect();
    let names = if names.is_empty() { "none".into() } else { format!("{DEFAULT}, {}", names.join(", ")) };
    Error::Algorithm(format!("this MPI has no algorithm `{name}` of {collective} to select; it has {names}"))
}

impl Selected {
    /// Sets a variable. It is reset at the end.
    fn set(&mut self, name: &str, value: i32) -> Result<()> {
        let Some(variable) = self.variables.find(name) else { return Ok(()) };
        let before = self.variables.read(variable)?;
        self.variables.write(variable, value)?;
        self.before.push((name.to_owned(), before));
        Ok(())
    }
}

impl Drop for Selected {
    fn drop(&mut self) {
        for (name, value) in self.before.drain(..).rev() {
            if let Some(variable) = self.variables.find(&name) {
                // A variable that could be written once can be written again.
                drop(self.variables.write(variable, value));
            }
        }
    }
}
