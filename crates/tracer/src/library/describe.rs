//! What the library says of its handles, in the terms of a trace.

use std::ffi::c_int;

use panto_recording::{Library, Origin};
use panto_trace::{Communicator, Datatype, Ranks};

use super::{Mpi, Neighbours};

impl Library for Mpi {
    fn communicator(&self, handle: usize, origin: Origin) -> Communicator {
        let others = self.remote_size(handle).map(|_| ranks(&self.members(handle, true)));
        let neighbours = if others.is_none() { self.neighbours(handle) } else { Neighbours::default() };
        Communicator {
            made_by: origin.made_by,
            parent: origin.parent,
            ordinal: origin.ordinal,
            tag: origin.tag,
            rank: self.rank(handle),
            members: ranks(&self.members(handle, false)),
            others,
            sources: ranks(&neighbours.sources),
            destinations: ranks(&neighbours.destinations),
        }
    }

    fn datatype(&self, handle: usize) -> Datatype {
        let (size, extent, is_derived) = self.size_and_extent(handle);
        Datatype { size, extent, is_derived }
    }

    fn is_commutative(&self, op: usize) -> bool {
        self.op_is_commutative(op)
    }
}

/// Returns ranks as a trace has them: `MPI_PROC_NULL`, and a process outside of `MPI_COMM_WORLD`,
/// is the largest number.
fn ranks(list: &[c_int]) -> Ranks {
    list.iter().map(|rank| u32::try_from(*rank).unwrap_or(u32::MAX)).collect()
}
