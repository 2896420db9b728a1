//! What a rank gives to a collective operation, as `apps/README.md` counts it.

use panto_trace::{Action, Pattern, Peer, Ranks, Tables};

/// The bytes that this rank gives in all.
pub fn given(action: &Action<'_>, tables: &Tables) -> u64 {
    use Pattern::{
        AllGather, AllReduce, AllToAll, Barrier, Broadcast, ExclusiveScan, Gather, NeighbourAllGather,
        NeighbourAllToAll, Reduce, ReduceScatter, Scan, Scatter,
    };
    let Action::Collective { pattern, comm, root, in_place, bytes, room, gives, gets, .. } = *action else {
        panic!("{action:?} is no collective operation");
    };
    let comm = tables.comm(comm).expect("events refer to what is there");
    let others: &Ranks = comm.others.as_ref().unwrap_or(&comm.members);
    // A list has the bytes of all; else each of so many gets the same.
    let to = |parts: u32, bytes: u64, list: &[i64]| {
        if list.is_empty() { bytes * u64::from(parts) } else { bytes }
    };
    match pattern {
        Barrier => 0,
        Gather | AllGather if in_place => gets.get(comm.rank as usize).map_or(room, |own| *own as u64),
        AllToAll if in_place => to(others.len(), room, gets),
        Scatter | AllToAll => to(others.len(), bytes, gives),
        ReduceScatter => to(comm.members.len(), bytes, gives),
        NeighbourAllToAll => to(comm.destinations.len(), bytes, gives),
        // On the other side of an intercommunicator: it gets what they give.
        Reduce if root == Peer::Here => 0,
        Broadcast | Gather | AllGather | Reduce | AllReduce | Scan | ExclusiveScan | NeighbourAllGather => {
            bytes
        }
    }
}
