//! Communicators, and the datatypes and operations that are freed.

use std::ffi::c_int;

use panto_trace::{Action, Comm};

use crate::call_context::CallContext;
use crate::interpose::{calls, prepared_calls};
use crate::rank;
use panto_recording::Request;
use panto_recording::{Creators, Origin};

/// The tag of functions that have none.
const UNTAGGED: usize = 0;

impl CallContext<'_> {
    /// Records a communicator that was made from another one. Its handle is at an address, and null
    /// if this rank is not a member.
    unsafe fn made(&mut self, parent: usize, creators: Creators, tag: usize, address: usize) {
        let (origin, parent) = self.origin(parent, creators, tag);
        // SAFETY: MPI wrote a handle there.
        let handle = unsafe { self.rank.mpi.handle_at(address, 0) };
        let comm = (handle != self.rank.mpi.constants.comm_null).then(|| {
            let rank = &mut *self.rank;
            rank.comms.define(handle, origin, rank.mpi, &mut rank.recorder).number
        });
        self.record(&Action::Communicator { parent, comm, request: None });
    }

    /// Defines the communicator at an address, which was made from another one.
    pub unsafe fn define_made(&mut self, parent: usize, address: usize) {
        let (origin, _) = self.origin(parent, Creators::Parent, UNTAGGED);
        let rank = &mut *self.rank;
        // SAFETY: MPI wrote a handle there.
        let handle = unsafe { rank.mpi.handle_at(address, 0) };
        if handle != rank.mpi.constants.comm_null {
            rank.comms.define(handle, origin, rank.mpi, &mut rank.recorder);
        }
    }

    /// Records a communicator that is being duplicated: it must not be used yet, but has the
    /// members of the original.
    unsafe fn being_copied(&mut self, original: usize, address: usize, request: usize) {
        let (origin, parent) = self.origin(original, Creators::Parent, UNTAGGED);
        let is_active = Request { is_active: true, ..Request::default() };
        let request = self.new_request(request, is_active);
        let rank = &mut *self.rank;
        // SAFETY: MPI wrote a handle there.
        let handle = unsafe { rank.mpi.handle_at(address, 0) };
        let original = rank.mpi.handle(original);
        let comm = rank.comms.define_like(original, handle, origin, rank.mpi, &mut rank.recorder).number;
        self.record(&Action::Communicator { parent, comm: Some(comm), request });
    }

    fn origin(&mut self, parent: usize, creators: Creators, tag: usize) -> (Origin, Comm) {
        let parent = self.comm(parent).number;
        let made_by = self.name();
        let ordinal = self.rank.comms.next_ordinal(parent, creators);
        (Origin { made_by, parent: Some(parent), ordinal, tag: i64::from(tag as c_int) }, parent)
    }

    fn released(&mut self, comm: Option<Comm>) {
        self.record(&Action::Release { comm });
    }
}

/// Returns the communicator at an address, which is about to be freed, and forgets it.
unsafe fn released(address: usize) -> Option<Comm> {
    rank::with(|rank| {
        // SAFETY: the program's communicator.
        let handle = unsafe { rank.mpi.handle_at(address, 0) };
        if handle == rank.mpi.constants.comm_null {
            return None;
        }
        let known = rank.comms.get(handle, rank.mpi, &mut rank.recorder);
        rank.comms.forget(handle);
        Some(known.number)
    })
    .flatten()
}

unsafe fn forget_type(address: usize) {
    // SAFETY: the program's datatype.
    rank::with(|rank| rank.types.forget(unsafe { rank.mpi.handle_at(address, 0) }));
}

unsafe fn forget_op(address: usize) {
    // SAFETY: the program's operation.
    rank::with(|rank| rank.types.forget_op(unsafe { rank.mpi.handle_at(address, 0) }));
}

calls! {
    MPI_Comm_dup(comm, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Comm_dup_with_info(comm, info, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Comm_idup(comm, newcomm, request) => |at| at.being_copied(comm, newcomm, request);
    MPI_Comm_idup_with_info(comm, info, newcomm, request) => |at| at.being_copied(comm, newcomm, request);
    MPI_Comm_split(comm, color, key, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Comm_split_type(comm, kind, key, info, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Comm_create(comm, group, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Comm_create_group(comm, group, tag, newcomm) => |at| at.made(comm, Creators::Members, tag, newcomm);
    MPI_Cart_create(comm, dimensions, sizes, periods, reorder, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Cart_sub(comm, remain, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Graph_create(comm, nodes, index, edges, reorder, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Dist_graph_create(comm, count, sources, degrees, destinations, weights, info, reorder, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, newcomm) =>
        |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
    MPI_Intercomm_create(comm, leader, peer, remote_leader, tag, newcomm) => |at| at.made(comm, Creators::Members, tag, newcomm);
    MPI_Intercomm_merge(comm, high, newcomm) => |at| at.made(comm, Creators::Parent, UNTAGGED, newcomm);
}

prepared_calls! {
    MPI_Comm_free(comm) before released(comm), call |_known| (comm), after |at, known| at.released(*known);
    MPI_Comm_disconnect(comm) before released(comm), call |_known| (comm), after |at, known| at.released(*known);
    MPI_Type_free(datatype) before forget_type(datatype), call |_none| (datatype), after |_at, none| *none;
    MPI_Op_free(op) before forget_op(op), call |_none| (op), after |_at, none| *none;
}
