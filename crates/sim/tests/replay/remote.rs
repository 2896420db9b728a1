//! One-sided communication and files.

use panto_machine::{Cost, PerByte};
use panto_sim::program::{Op, RemoteAccess};
use panto_trace::{Action, CompletionKind, Peer, Slot};
use panto_units::Time;

use crate::support::{complete, ends, ends_on, operations, plain, replayed};

#[test]
fn puts_and_gets_take_the_time_of_their_bytes() {
    let replay = replayed(2, |w| {
        let window = Some(w.window());
        let act = |target, bytes, request| Action::OneSided { window, target, bytes, request };
        let far = Peer::Relative(if w.rank == 0 { 1 } else { -1 });
        w.call("MPI_Win_create", &act(Peer::Null, 0, None));
        w.call("MPI_Win_fence", &act(Peer::Any, 0, None));
        if w.rank == 0 {
            w.call("MPI_Put", &act(far, 100, None));
            w.call("MPI_Rget", &act(far, 200, Some(Slot(0))));
            w.call("MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[]));
            w.call("MPI_Win_flush", &act(far, 0, None));
            w.call("MPI_Win_flush_all", &act(Peer::Any, 0, None));
            w.call("MPI_Accumulate", &act(Peer::Relative(0), 64, None));
        }
        w.call("MPI_Win_free", &act(Peer::Null, 0, None));
    });
    let middle: Vec<Op> = operations(&replay.program, 0)
        .into_iter()
        .filter(|act| matches!(act, Op::Remote { .. } | Op::Copy { .. }))
        .collect();
    let Op::Remote { channel, .. } = middle[0] else { panic!("{middle:?}") };
    assert_eq!(
        middle,
        [
            Op::Remote { access: RemoteAccess::Put, channel, bytes: 100 },
            Op::Remote { access: RemoteAccess::Get, channel, bytes: 200 },
            Op::Remote { access: RemoteAccess::Get, channel, bytes: 0 },
            Op::Copy { bytes: 64 },
        ]
    );
    // Two barriers, the put, the round trips of the get and of the flush; rank 1 waits for rank 0
    // in the last barrier.
    let done = 2_000 + 1_100 + 2_200 + 2_000;
    assert_eq!(ends(&replay), [done, done + 1_000]);
    assert!(replay.assumptions.iter().any(|assumed| assumed.contains("one-sided")));
}

#[test]
fn files_take_the_time_of_the_storage() {
    let replay = replayed(1, |w| {
        w.call("MPI_File_open", &Action::File { file: None, bytes: 0, request: None });
        w.call("MPI_File_write", &Action::File { file: None, bytes: 1_000, request: None });
        w.call("MPI_File_iread", &Action::File { file: None, bytes: 500, request: Some(Slot(0)) });
        w.call("MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[]));
    });
    assert_eq!(operations(&replay.program, 0), [Op::File { bytes: 1_000 }, Op::File { bytes: 500 }]);
    let mut machine = plain(1);
    machine.storage = Cost::line(Time::from_nanos(10), PerByte::from_secs(1e-9).unwrap());
    assert_eq!(ends_on(&replay, &machine), [Time::from_nanos(1_520)]);
}
