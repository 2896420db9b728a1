//! Requests that are started, completed, cancelled, freed and restarted.

use panto_machine::Protocol;
use panto_sim::program::{Op, SendMode};
use panto_trace::{Action, CallForm, CompletionKind, Peer, Slot};
use panto_units::Time;

use crate::support::{Writer, complete, ends, ends_on, operations, plain, receive, replayed, send};

#[test]
fn a_call_waits_for_what_it_completed() {
    let replay = replayed(2, |w| {
        if w.rank == 1 {
            w.send(-1, 8);
            return w.after(5_000, "MPI_Send", &send(CallForm::Blocking, -1, 16, None));
        }
        w.irecv(Peer::Relative(1), 0);
        w.irecv(Peer::Relative(1), 1);
        w.call("MPI_Testsome", &complete(CompletionKind::TestSome, &[0, 1], &[], &[]));
        w.call("MPI_Waitany", &complete(CompletionKind::WaitAny, &[0, 1], &[0], &[]));
        w.after(100, "MPI_Test", &complete(CompletionKind::Test, &[1], &[0], &[]));
    });
    let (channel, slots) = (0, [0, 1]);
    assert_eq!(
        operations(&replay.program, 0),
        [
            Op::StartReceive { slot: slots[0], channel },
            Op::StartReceive { slot: slots[1], channel },
            Op::Poll { times: 1 },
            Op::Wait { slot: slots[0] },
            Op::Wait { slot: slots[1] },
        ]
    );
    assert_eq!(ends(&replay), [6_016, 5_000]);
}

#[test]
fn slots_are_reused() {
    let replay = replayed(2, |w| {
        for round in 0..50 {
            let far = if w.rank == 0 { 1 } else { -1 };
            // The slots of the trace need not be the lowest ones.
            w.irecv(Peer::Relative(far), 1_000 + round);
            w.isend(far, 8, 7);
            w.wait_all(&[1_000 + i64::from(round), 7]);
        }
    });
    assert_eq!(replay.program.codes[0].slots, 2);
    assert_eq!(ends(&replay), [50 * 1_008; 2]);
    assert!(replay.program.codes[0].ops.len() < 20, "{:?}", replay.program.codes[0].ops);
}

#[test]
fn cancelled_operations_are_removed() {
    let replay = replayed(2, |w| {
        if w.rank == 1 {
            return w.send(-1, 8);
        }
        w.irecv(Peer::Relative(1), 0);
        w.receive(1);
        w.call("MPI_Cancel", &Action::Cancel { request: Some(Slot(0)) });
        w.call("MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[0, -2, -1, 0]));
        w.irecv(Peer::Any, 0);
        w.call("MPI_Cancel", &Action::Cancel { request: Some(Slot(0)) });
        w.call("MPI_Request_free", &Action::Free { request: Some(Slot(0)) });
    });
    assert_eq!(operations(&replay.program, 0), [Op::Receive { channel: 0 }]);
    assert_eq!(ends(&replay), [1_008, 0]);
}

#[test]
fn freed_requests_still_complete() {
    let replay = replayed(2, |w| {
        for _ in 0..3 {
            if w.rank == 1 {
                w.receive(-1);
            } else {
                w.isend(1, 8, 0);
                w.call("MPI_Request_free", &Action::Free { request: Some(Slot(0)) });
            }
        }
    });
    assert_eq!(replay.program.codes[0].slots, 1);
    assert_eq!(ends(&replay), [0, 1_008]);
    // Its slot is reused although the message has not left: the request was freed.
    let mut machine = plain(2);
    machine.protocol = Protocol::Eager { limit: 0 };
    let times = ends_on(&replay, &machine);
    assert!(times[0] == Time::ZERO && times[1] > Time::from_nanos(1_008), "{times:?}");
}

fn persistent(w: &mut Writer, form: CallForm) {
    let slot = Some(Slot(0));
    if w.rank == 0 {
        w.call("MPI_Send_init", &send(form, 1, 100, slot));
    } else {
        w.call("MPI_Recv_init", &receive(form, Peer::Relative(-1), slot));
    }
}

#[test]
fn persistent_operations_are_restarted() {
    let replay = replayed(2, |w| {
        persistent(w, CallForm::Persistent);
        for _ in 0..4 {
            w.call("MPI_Start", &Action::Start { requests: &[0] });
            w.call("MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[]));
            if w.rank == 1 {
                w.send(-1, 0);
            } else {
                w.receive(1);
            }
        }
        w.call("MPI_Request_free", &Action::Free { request: Some(Slot(0)) });
    });
    assert_eq!(ends(&replay), [4 * 2_100, 4 * 2_100 - 1_000]);
}

#[test]
fn a_partitioned_send_starts_with_its_last_partition() {
    let ready = |part| Action::Partition { request: Some(Slot(0)), first: part, last: part, arrived: false };
    let replay = replayed(2, |w| {
        persistent(w, CallForm::Partitioned);
        for _ in 0..2 {
            w.call("MPI_Start", &Action::Start { requests: &[0] });
            if w.rank == 0 {
                w.after(300, "MPI_Pready", &ready(0));
                w.after(400, "MPI_Pready", &ready(1));
            } else {
                w.call("MPI_Parrived", &ready(1));
            }
            w.after(50, "MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[]));
        }
    });
    let mode = SendMode::Standard;
    let start = Op::StartSend { mode, slot: 0, channel: 0, bytes: 100 };
    assert_eq!(operations(&replay.program, 0), [start, Op::Wait { slot: 0 }, start, Op::Wait { slot: 0 }]);
    assert_eq!(ends(&replay), [1_500, 750 + 700 + 1_100]);
}

#[test]
fn loops_that_wait_take_no_time() {
    let replay = replayed(2, |w| {
        if w.rank == 1 {
            return w.after(9_000, "MPI_Send", &send(CallForm::Blocking, -1, 8, None));
        }
        w.irecv(Peer::Relative(1), 0);
        w.call("MPI_Test", &Action::Spin { polls: 10_000, spun: 5_000 });
        w.call("thread", &Action::Thread { thread: 1 });
        w.call("MPI_Test", &complete(CompletionKind::Test, &[0], &[0], &[]));
    });
    assert_eq!(ends(&replay), [10_008, 9_000]);
    assert_eq!(operations(&replay.program, 0).len(), 2);
    assert_eq!(replay.program.calls.len(), 4);
}

#[test]
fn an_abort_ends_the_rank() {
    let replay = replayed(2, |w| {
        w.irecv(Peer::Relative(if w.rank == 0 { 1 } else { -1 }), 0);
        w.isend(if w.rank == 0 { 1 } else { -1 }, 8, 1);
        w.after(100, "MPI_Abort", &Action::Abort { code: 3 });
        w.receive(0);
    });
    assert_eq!(ends(&replay), [100; 2]);
    assert!(replay.assumptions.iter().any(|assumed| assumed.contains("MPI_Abort")));
}

/// Two threads of each rank: one sends to the other rank and then receives, one waits. The
/// operation that was recorded last began first.
#[test]
fn threads_do_not_deadlock() {
    let write = |w: &mut Writer| {
        let far = if w.rank == 0 { 1 } else { -1 };
        let thread = |w: &mut Writer, thread| w.call("thread", &Action::Thread { thread });
        w.call("MPI_Init_thread", &Action::Initialise { threads: 3 });
        thread(w, 1);
        for _ in 0..20 {
            // The receive returned before the send did, on both ranks.
            w.receive(far);
            thread(w, 0);
            w.send(far, 8);
            thread(w, 1);
        }
    };
    let replay = replayed(2, write);
    // One message per round: the next send begins when the last one of its thread has returned.
    assert_eq!(ends(&replay), [20 * 1_008; 2]);
    let mut machine = plain(2);
    machine.protocol = Protocol::Synchronous;
    assert_eq!(ends_on(&replay, &machine), [Time::from_nanos(20 * 1_008); 2]);
    assert!(replay.assumptions.iter().any(|assumed| assumed.contains("threads")));
}

/// At `MPI_THREAD_SERIALIZED` calls do not overlap: they take as long as those of one thread.
#[test]
fn calls_of_serialized_threads_follow_each_other() {
    let calls = |has_threads: bool| {
        let replay = replayed(2, |w| {
            let far = if w.rank == 0 { 1 } else { -1 };
            w.call("MPI_Init_thread", &Action::Initialise { threads: 2 });
            for round in 0..20 {
                if has_threads {
                    w.call("thread", &Action::Thread { thread: round % 3 });
                }
                w.after(100, "MPI_Isend", &send(CallForm::Immediate, far, 8, Some(Slot(0))));
                w.receive(far);
                w.after(50, "MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[]));
            }
        });
        assert_eq!(has_threads, replay.assumptions.iter().any(|assumed| assumed.contains("do not overlap")));
        ends(&replay)
    };
    assert_eq!(calls(true), calls(false));
}
