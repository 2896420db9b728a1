//! Intercommunicators: each side receives what the other sends.

use panto_trace::{Action, CallForm, Collective, Comm, Peer};

use crate::support::{Together, Writer, ends, on_comm, receive, replayed, send};

/// Ranks 0 and 1 on one side, 2 to 4 on the other.
fn sides(w: &mut Writer) -> Comm {
    let (low, high): (&[u32], &[u32]) = (&[0, 1], &[2, 3, 4]);
    let (members, others) = if w.rank < 2 { (low, high) } else { (high, low) };
    w.sides("MPI_Intercomm_create", Some(Comm(0)), members, Some(others))
}

/// Rank 1 is the root.
fn rooted(w: &Writer) -> Peer {
    match w.rank {
        0 => Peer::Null,
        1 => Peer::Root,
        rank => Peer::Relative(1 - (rank as i32 - 2)),
    }
}

fn ends_of(pattern: Collective, bytes: u64) -> Vec<u64> {
    ends(&replayed(5, |w| {
        let comm = sides(w);
        let is_rooted = matches!(pattern, Collective::Broadcast | Collective::Gather);
        let root = if is_rooted { rooted(w) } else { Peer::Null };
        w.call("MPI_Collective", &Together { comm, root, ..Together::new(pattern, bytes) }.action());
    }))
}

#[test]
fn a_root_serves_the_other_side() {
    assert_eq!(ends_of(Collective::Broadcast, 96), [0, 0, 1_096, 1_096, 1_096]);
    assert_eq!(ends_of(Collective::Gather, 96), [0, 1_096, 0, 0, 0]);
}

#[test]
fn all_of_one_side_exchange_with_all_of_the_other() {
    assert_eq!(ends_of(Collective::Barrier, 0), [1_000; 5]);
    assert_eq!(ends_of(Collective::Allreduce, 96), [1_096; 5]);
    assert_eq!(ends_of(Collective::Alltoall, 96), [1_096; 5]);
}

#[test]
fn creation_involves_both_sides() {
    let replay = replayed(5, |w| {
        let comm = sides(w);
        let made = Action::Communicator { parent: Comm(0), comm: Some(comm), request: None };
        w.after(if w.rank == 4 { 500 } else { 0 }, "MPI_Intercomm_create", &made);
    });
    assert!(ends(&replay).iter().all(|end| *end >= 1_504), "{:?}", ends(&replay));
}

#[test]
fn messages_go_to_the_other_side() {
    let replay = replayed(5, |w| {
        let comm = sides(w);
        // From 1 to 4: number 1 of one side to number 2 of the other.
        if w.rank == 1 {
            w.call("MPI_Send", &on_comm(send(CallForm::Blocking, 1, 40, None), comm));
        } else if w.rank == 4 {
            w.call("MPI_Recv", &on_comm(receive(CallForm::Blocking, Peer::Relative(-1), None), comm));
        }
    });
    assert_eq!(ends(&replay), [0, 0, 0, 0, 1_040]);
}
