//! What a rank gives to a collective operation, as `apps/README.md` counts it.

use panto_trace::{Action, Collective, CollectiveKind, Peer, Ranks, Tables};

/// The bytes that this rank gives in all.
pub fn given(action: &Action<'_>, tables: &Tables) -> u64 {
    use Collective::{
        Allgather, Allreduce, Alltoall, Barrier, Broadcast, Exscan, Gather, Reduce, ReduceScatter, Scan,
        Scatter,
    };
    use CollectiveKind::{Group, NeighborAllgather, NeighborAlltoall};
    let Action::Collective { pattern, comm, root, in_place, bytes, room, gives, gets, .. } = *action else {
        panic!("{action:?} is no collective operation");
    };
    let comm = tables.comm(comm).expect("events refer to what is there");
    let others: &Ranks = comm.others.as_ref().unwrap_or(&comm.members);
    // A list has the bytes of each rank; otherwise all ranks get the same.
    let to = |parts: u32, bytes: u64, list: &[i64]| {
        if list.is_empty() { bytes * u64::from(parts) } else { bytes }
    };
    match pattern {
        Group(Barrier) => 0,
        Group(Gather | Allgather) if in_place => gets.get(comm.rank as usize).map_or(room, |own| *own as u64),
        Group(Alltoall) if in_place => to(others.len(), room, gets),
        Group(Scatter | Alltoall) => to(others.len(), bytes, gives),
        Group(ReduceScatter) => to(comm.members.len(), bytes, gives),
        NeighborAlltoall => to(comm.destinations.len(), bytes, gives),
        // On the other side of an intercommunicator: it gets what they give.
        Group(Reduce) if root == Peer::Root => 0,
        Group(Broadcast | Gather | Allgather | Reduce | Allreduce | Scan | Exscan) | NeighborAllgather => {
            bytes
        }
    }
}
