//! The bytes that a rank contributes to a collective, as `apps/README.md` counts them.

use panto_trace::{Action, Collective, CollectiveKind, Peer, Ranks, Tables};

/// Returns the bytes that this rank contributes to all others together.
pub fn given(action: &Action<'_>, tables: &Tables) -> u64 {
    use Collective::{
        Allgather, Allreduce, Alltoall, Barrier, Broadcast, Exscan, Gather, Reduce, ReduceScatter, Scan,
        Scatter,
    };
    use CollectiveKind::{Group, NeighborAllgather, NeighborAlltoall};
    let Action::Collective {
        pattern,
        comm,
        root,
        in_place,
        bytes,
        receive_bytes,
        send_sizes,
        receive_sizes,
        ..
    } = *action
    else {
        panic!("{action:?} is no collective operation");
    };
    let comm = tables.comm(comm).expect("events refer to what is there");
    let others: &Ranks = comm.others.as_ref().unwrap_or(&comm.members);
    // A list has the bytes of each rank; without one, all ranks get the same number.
    let to = |parts: u32, bytes: u64, list: &[i64]| {
        if list.is_empty() { bytes * u64::from(parts) } else { bytes }
    };
    match pattern {
        Group(Barrier) => 0,
        Group(Gather | Allgather) if in_place => {
            receive_sizes.get(comm.rank as usize).map_or(receive_bytes, |own| *own as u64)
        }
        Group(Alltoall) if in_place => to(others.len(), receive_bytes, receive_sizes),
        Group(Scatter | Alltoall) => to(others.len(), bytes, send_sizes),
        Group(ReduceScatter) => to(comm.members.len(), bytes, send_sizes),
        NeighborAlltoall => to(comm.destinations.len(), bytes, send_sizes),
        // On the root's side of an intercommunicator, which receives the contributions of the other
        // side.
        Group(Reduce) if root == Peer::Root => 0,
        Group(Broadcast | Gather | Allgather | Reduce | Allreduce | Scan | Exscan) | NeighborAllgather => {
            bytes
        }
    }
}
