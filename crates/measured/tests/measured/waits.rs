//! Waits in collectives, and their summary.

use panto_measured::{WaitKind, WaitStates};
use panto_timeline::StateKind::{Compute, Message};
use panto_trace::{Collective, Data};

use crate::{Run, wait};

/// Adds a collective of all ranks, which enter at these moments and leave at the last.
fn collective(name: &str, collective: Collective, root: Option<u32>, entries: &[u64], end: u64) -> Run {
    let mut run = Run::new(entries.len() as u32);
    for (rank, entry) in (0..).zip(entries) {
        let data = Data::Same(8);
        run.call(rank, *entry, end - entry, |rank| {
            rank.collective(name, collective, root, 8, &data, &data);
        });
    }
    run
}

#[test]
fn a_barrier_waits_for_the_last_rank() {
    let measured = collective("MPI_Barrier", Collective::Barrier, None, &[0, 900, 300], 1000).measured();
    assert_eq!(measured.outline(0), [(wait(1, 900), 0.0, 900.0), (Message, 900.0, 1000.0)]);
    assert_eq!(measured.outline(1), [(Compute, 0.0, 900.0), (Message, 900.0, 1000.0)]);
    let waits = WaitStates::of(&measured.timeline).expect("sound");
    let [state] = waits.states.as_slice() else { panic!("{waits:?}") };
    assert_eq!((state.kind, state.call.as_str(), state.count), (WaitKind::Barrier, "MPI_Barrier", 2));
    assert!((state.total.as_nanos() - 1500.0).abs() < 1e-6);
    assert_eq!(state.culprit.map(|(rank, _)| rank), Some(1));
    let longest: Vec<_> = state.longest.iter().map(|wait| (wait.rank, wait.length().as_nanos())).collect();
    assert_eq!(longest, [(0, 900.0), (2, 600.0)]);
    assert!(state.longest.iter().all(|wait| wait.culprit == Some(1)));
}

#[test]
fn a_broadcast_waits_for_its_root() {
    let measured = collective("MPI_Bcast", Collective::Broadcast, Some(1), &[0, 400, 800], 1000).measured();
    assert_eq!(measured.outline(0)[0], (wait(1, 400), 0.0, 400.0));
    assert_eq!(measured.outline(2), [(Compute, 0.0, 800.0), (Message, 800.0, 1000.0)]);
}

#[test]
fn the_root_of_a_reduction_waits_for_the_last_rank() {
    let measured = collective("MPI_Reduce", Collective::Reduce, Some(1), &[0, 400, 800], 1000).measured();
    assert_eq!(measured.outline(0), [(Message, 0.0, 1000.0)]);
    assert_eq!(measured.outline(1)[1], (wait(2, 800), 400.0, 800.0));
}

#[test]
fn functions_tell_the_kind_of_a_wait() {
    let kinds = [
        ("MPI_Recv", WaitKind::LateSender),
        ("MPI_Sendrecv_replace", WaitKind::LateSender),
        ("MPI_Send_c", WaitKind::LateReceiver),
        ("MPI_Waitall", WaitKind::LatePartner),
        ("MPI_Ibarrier", WaitKind::Barrier),
        ("MPI_Allreduce", WaitKind::LateMember),
        ("MPI_Reduce_scatter_block", WaitKind::LateMember),
        ("MPI_Scatterv", WaitKind::LateRoot),
        ("MPI_Gather", WaitKind::EarlyRoot),
        ("MPI_Win_fence", WaitKind::Other),
    ];
    for (function, kind) in kinds {
        assert_eq!(WaitKind::of(function), kind, "{function}");
    }
}
