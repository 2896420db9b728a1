//! Communicators of the program.

use std::ffi::c_int;

use rustc_hash::FxHashMap;

use panto_trace::{Comm, Communicator, Name, Ranks, Recorder};

use crate::library::{Mpi, Neighbours};

/// A communicator.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub number: Comm,
    /// This rank's number in it.
    pub rank: u32,
    /// How many ranks it has; of an intercommunicator, on this side.
    pub size: u32,
    /// How many are on the other side of an intercommunicator.
    pub others: Option<u32>,
    /// From how many and to how many neighbours its topology leads.
    pub neighbours: (u32, u32),
}

impl Known {
    /// How many parts a collective operation with a part for each rank has.
    pub fn parts(&self) -> u32 {
        self.others.unwrap_or(self.size)
    }
}

/// Where a communicator comes from.
#[derive(Debug, Clone, Copy)]
pub struct Origin {
    pub made_by: Name,
    pub parent: Option<Comm>,
    pub ordinal: u32,
    pub tag: i64,
}

/// Who takes part in making a communicator.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// All members of the one that it is made from.
    All,
    /// Only those that will be in it.
    Some,
}

/// All that were seen.
#[derive(Default)]
pub struct Comms {
    by_handle: FxHashMap<usize, Known>,
    /// For each communicator, how many were made from it by all its members.
    children: Vec<u32>,
    last: Option<(usize, Known)>,
    /// How often a handle got another meaning.
    changes: u32,
}

impl Comms {
    /// The communicator of this handle. One that nobody saw being made is defined now.
    #[inline]
    pub fn get(&mut self, handle: usize, mpi: &Mpi, recorder: &mut Recorder) -> Known {
        match self.last {
            Some((last, known)) if last == handle => known,
            _ => self.look_up(handle, mpi, recorder),
        }
    }

    /// As long as this stays the same, each handle means the same.
    #[inline]
    pub fn changes(&self) -> u32 {
        self.changes
    }

    fn look_up(&mut self, handle: usize, mpi: &Mpi, recorder: &mut Recorder) -> Known {
        let known = self.by_handle.get(&handle).copied().unwrap_or_else(|| {
            let made_by = recorder.name("unknown");
            let origin = Origin { made_by, parent: None, ordinal: 0, tag: 0 };
            self.define(handle, origin, mpi, recorder)
        });
        self.last = Some((handle, known));
        known
    }

    /// Another one is made from this one by all its members: how many there were before.
    pub fn next_child(&mut self, parent: Comm) -> u32 {
        if self.children.len() <= parent.index() {
            self.children.resize(parent.index() + 1, 0);
        }
        let children = &mut self.children[parent.index()];
        *children += 1;
        *children - 1
    }

    /// Defines one.
    pub fn define(&mut self, handle: usize, origin: Origin, mpi: &Mpi, recorder: &mut Recorder) -> Known {
        let comm = describe(handle, origin, mpi);
        self.add(handle, &comm, recorder)
    }

    /// Defines one that has what another one has (`MPI_Comm_idup`: it cannot be asked yet).
    pub fn define_like(
        &mut self,
        like: usize,
        handle: usize,
        origin: Origin,
        mpi: &Mpi,
        recorder: &mut Recorder,
    ) -> Known {
        let comm = describe(like, origin, mpi);
        self.add(handle, &comm, recorder)
    }

    fn add(&mut self, handle: usize, comm: &Communicator, recorder: &mut Recorder) -> Known {
        let known = Known {
            number: recorder.communicator(comm),
            rank: comm.rank,
            size: comm.members.len(),
            others: comm.others.as_ref().map(Ranks::len),
            neighbours: (comm.sources.len(), comm.destinations.len()),
        };
        self.by_handle.insert(handle, known);
        self.last = None;
        self.changes = self.changes.wrapping_add(1);
        known
    }

    /// The program gave it up; its handle may stand for another one soon.
    pub fn forget(&mut self, handle: usize) {
        self.by_handle.remove(&handle);
        self.last = None;
        self.changes = self.changes.wrapping_add(1);
    }
}

fn describe(handle: usize, origin: Origin, mpi: &Mpi) -> Communicator {
    let others = mpi.remote_size(handle).map(|_| ranks(&mpi.members(handle, true)));
    let neighbours = if others.is_none() { mpi.neighbours(handle) } else { Neighbours::default() };
    Communicator {
        made_by: origin.made_by,
        parent: origin.parent,
        ordinal: origin.ordinal,
        tag: origin.tag,
        rank: mpi.rank(handle),
        members: ranks(&mpi.members(handle, false)),
        others,
        sources: ranks(&neighbours.sources),
        destinations: ranks(&neighbours.destinations),
    }
}

/// Ranks as a trace has them: nobody, and one outside of this world, is the largest number.
fn ranks(list: &[c_int]) -> Ranks {
    list.iter().map(|rank| u32::try_from(*rank).unwrap_or(u32::MAX)).collect()
}
