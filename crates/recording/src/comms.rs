//! Communicators of the program, by handle.
//!
//! All members of a communicator must know it as the same one, without communication. They do
//! because making one is collective: parent, the ordinal among its children, tag and members
//! identify it on every rank (`panto_trace::World` puts them together).

use rustc_hash::FxHashMap;

use panto_trace::{Comm, Communicator, Name, Ranks, Recorder};

use crate::library::Library;

/// A communicator, as the tracer needs it in each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommInfo {
    /// Its number in the trace.
    pub number: Comm,
    /// This rank's number in it.
    pub rank: u32,
    /// The number of ranks; of an intercommunicator, in the local group.
    pub size: u32,
    /// The number of ranks in the remote group of an intercommunicator.
    pub others: Option<u32>,
    /// The numbers of source and destination neighbours in its topology.
    pub neighbours: (u32, u32),
}

impl CommInfo {
    /// Returns the number of blocks of a collective with one block for each rank.
    pub fn parts(&self) -> u32 {
        self.others.unwrap_or(self.size)
    }
}

/// Where a communicator comes from.
#[derive(Debug, Clone, Copy)]
pub struct Origin {
    /// The function that made it.
    pub made_by: Name,
    /// The communicator from which it was made.
    pub parent: Option<Comm>,
    /// How many were made from the parent before, by functions that all its members call.
    pub ordinal: u32,
    /// The tag, where the function has one.
    pub tag: i64,
}

/// Which ranks call a function that makes a communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creators {
    /// All members of the parent.
    Parent,
    /// The members of the new communicator only (`MPI_Comm_create_group`).
    Members,
}

/// The communicators of this rank.
#[derive(Default)]
pub struct Comms {
    by_handle: FxHashMap<usize, CommInfo>,
    /// For each communicator, the number of those that were made from it by all its members.
    children: Vec<u32>,
    /// The last one that was looked up: most programs use one.
    last: Option<(usize, CommInfo)>,
    changes: u32,
}

impl Comms {
    /// Returns the communicator of a handle. One whose creation was not recorded is defined now.
    #[inline]
    pub fn get(&mut self, handle: usize, mpi: &impl Library, recorder: &mut Recorder) -> CommInfo {
        match self.last {
            Some((last, info)) if last == handle => info,
            _ => self.look_up(handle, mpi, recorder),
        }
    }

    /// Returns how often a handle got another meaning: while this is the same, all handles are.
    #[inline]
    pub fn changes(&self) -> u32 {
        self.changes
    }

    fn look_up(&mut self, handle: usize, mpi: &impl Library, recorder: &mut Recorder) -> CommInfo {
        let info = self.by_handle.get(&handle).copied().unwrap_or_else(|| {
            let made_by = recorder.name("unknown");
            let origin = Origin { made_by, parent: None, ordinal: 0, tag: 0 };
            self.define(handle, origin, mpi, recorder)
        });
        self.last = Some((handle, info));
        info
    }

    /// Returns the ordinal of a new child of a communicator.
    ///
    /// Children that only their members make are not counted and have the ordinal 0: the other
    /// members of the parent do not know of them.
    pub fn next_ordinal(&mut self, parent: Comm, creators: Creators) -> u32 {
        if creators == Creators::Members {
            return 0;
        }
        if self.children.len() <= parent.index() {
            self.children.resize(parent.index() + 1, 0);
        }
        let children = &mut self.children[parent.index()];
        *children += 1;
        *children - 1
    }

    /// Defines the communicator of a handle.
    pub fn define(
        &mut self,
        handle: usize,
        origin: Origin,
        mpi: &impl Library,
        recorder: &mut Recorder,
    ) -> CommInfo {
        self.define_like(handle, handle, origin, mpi, recorder)
    }

    /// Defines the communicator of a handle with the members of another one: that of
    /// `MPI_Comm_idup` must not be used before its request is complete.
    pub fn define_like(
        &mut self,
        like: usize,
        handle: usize,
        origin: Origin,
        mpi: &impl Library,
        recorder: &mut Recorder,
    ) -> CommInfo {
        let comm = mpi.communicator(like, origin);
        let info = info(&comm, recorder);
        self.by_handle.insert(handle, info);
        self.changed();
        info
    }

    /// Forgets a handle: the program freed the communicator, and MPI may reuse the handle.
    pub fn forget(&mut self, handle: usize) {
        self.by_handle.remove(&handle);
        self.changed();
    }

    fn changed(&mut self) {
        self.last = None;
        self.changes = self.changes.wrapping_add(1);
    }
}

fn info(comm: &Communicator, recorder: &mut Recorder) -> CommInfo {
    CommInfo {
        number: recorder.communicator(comm),
        rank: comm.rank,
        size: comm.members.len(),
        others: comm.others.as_ref().map(Ranks::len),
        neighbours: (comm.sources.len(), comm.destinations.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::tests::FakeLibrary;

    #[test]
    fn a_handle_is_described_once_until_it_is_freed() {
        let (mpi, mut recorder, mut comms) = (FakeLibrary::default(), Recorder::new(false), Comms::default());
        let first = comms.get(7, &mpi, &mut recorder);
        assert_eq!((first.number, first.rank, first.size, first.parts()), (Comm(0), 2, 4, 4));
        assert_eq!(comms.get(8, &mpi, &mut recorder).number, Comm(1));
        assert_eq!(comms.get(7, &mpi, &mut recorder), first);
        assert_eq!(mpi.calls.get(), 2);
        let changes = comms.changes();
        comms.forget(7);
        assert_eq!(comms.get(7, &mpi, &mut recorder).number, Comm(2));
        assert_ne!(comms.changes(), changes);
    }

    #[test]
    fn a_communicator_that_is_being_duplicated_is_described_by_its_original() {
        let (mpi, mut recorder, mut comms) = (FakeLibrary::default(), Recorder::new(false), Comms::default());
        let origin = Origin { made_by: recorder.name("MPI_Comm_idup"), parent: None, ordinal: 0, tag: 0 };
        let made = comms.define_like(7, 9, origin, &mpi, &mut recorder);
        assert_eq!(comms.get(9, &mpi, &mut recorder), made);
        assert_eq!(mpi.calls.get(), 1);
    }

    #[test]
    fn ordinals_count_the_children_that_all_members_of_the_parent_make() {
        let mut comms = Comms::default();
        let mut next = |parent, creators| comms.next_ordinal(Comm(parent), creators);
        assert_eq!((next(0, Creators::Parent), next(0, Creators::Parent)), (0, 1));
        assert_eq!((next(5, Creators::Parent), next(0, Creators::Members)), (0, 0));
        assert_eq!((next(0, Creators::Parent), next(5, Creators::Parent)), (2, 1));
    }
}
