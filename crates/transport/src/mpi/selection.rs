//! Selected algorithms of native collectives.
//!
//! Open MPI chooses the algorithm when a communicator is made, so each selection has a communicator
//! of its own, which is kept: libraries have room for a few thousand. MPICH chooses in each call,
//! so the selection lasts as long as it is used.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;

use panto_mpi::{Algorithms, Comm, Selected};
use panto_schedule::Collective;

use super::endpoint::Endpoint;
use crate::error::Result;

/// The selectable algorithms of a job's library, and the communicators that were made for them.
#[derive(Default)]
pub(super) struct Selections {
    algorithms: OnceCell<Algorithms>,
    comms: RefCell<BTreeMap<(usize, Collective, String), Comm>>,
}

/// The selection of an endpoint.
pub(super) struct Selection {
    /// The communicator on which the selected algorithm runs.
    pub(super) comm: Comm,
    _selected: Option<Selected>,
    /// Until the first call: an algorithm that does not fit is an error. Later calls are of the
    /// same kind, or are not measured.
    strict: Cell<Option<Selected>>,
}

impl Selection {
    /// A call has ended.
    pub(super) fn called(&self) {
        drop(self.strict.take());
    }
}

impl Selections {
    /// Returns the algorithms of the library.
    pub(super) fn algorithms(&self, mpi: &panto_mpi::Mpi) -> Result<&Algorithms> {
        if let Some(known) = self.algorithms.get() {
            return Ok(known);
        }
        let algorithms = Algorithms::of(mpi)?;
        Ok(self.algorithms.get_or_init(|| algorithms))
    }
}

impl Endpoint {
    /// Selects the algorithm of a native collective by its name; `None` ends the selection. All
    /// ranks must call this together.
    pub(super) fn select(&self, collective: Collective, name: Option<&str>) -> Result<()> {
        // The last selection ends before its variables are read again.
        drop(self.selection.take());
        let Some(name) = name else { return Ok(()) };
        let algorithms = self.job.selections.algorithms(&self.job.mpi)?;
        let (comm, selected) = if algorithms.is_per_communicator() {
            (self.communicator_for(algorithms, collective, name)?, None)
        } else {
            (self.group.collectives.clone(), Some(algorithms.select(collective, name)?))
        };
        let strict = Cell::new(Some(algorithms.strict()?));
        self.selection.replace(Some(Selection { comm, _selected: selected, strict }));
        Ok(())
    }

    /// Returns the communicator that was made while this algorithm was selected.
    fn communicator_for(&self, algorithms: &Algorithms, collective: Collective, name: &str) -> Result<Comm> {
        let comms = &self.job.selections.comms;
        let key = (self.group.messages.size(), collective, name.to_owned());
        if let Some(known) = comms.borrow().get(&key) {
            return Ok(known.clone());
        }
        let selected = algorithms.select(collective, name)?;
        let comm = self.group.collectives.duplicate()?;
        drop(selected);
        comms.borrow_mut().insert(key, comm.clone());
        Ok(comm)
    }
}
