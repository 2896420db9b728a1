//! Calls that cannot be simulated are reported with rank, call and position.

use panto_sim::replay::{self, Options, Wildcards};
use panto_trace::{Action, CallForm, Collective, Comm, CompletionKind, Peer};

use crate::support::{
    Together, Writer, collective, complete, ends, on_comm, operations, plain, receive, send, streams, tried,
    with_trace,
};

const LENIENT: Options = Options { wildcards: Wildcards::Recorded, lenient: true, call_sites: false };

fn error(ranks: u32, write: impl Fn(&mut Writer)) -> String {
    tried(ranks, Options::default(), write).expect_err("an error").to_string()
}

fn warnings(ranks: u32, write: impl Fn(&mut Writer)) -> Vec<(String, u64)> {
    let replay = tried(ranks, LENIENT, write).expect("a program");
    ends(&replay);
    replay.warnings.into_iter().map(|warning| (warning.message, warning.count)).collect()
}

#[track_caller]
fn assert_says(error: &str, parts: &[&str]) {
    for part in parts {
        assert!(error.contains(part), "{error:?} does not say {part:?}");
    }
}

#[test]
fn a_missing_rank() {
    let mut all = streams(3, |_| ());
    all[1].clear();
    let error = with_trace(&all, |trace| replay::program(trace, &plain(3), &LENIENT)).unwrap_err();
    assert_says(&error.to_string(), &["1 of 3 ranks are missing", "rank 1"]);
}

#[test]
fn a_killed_rank() {
    let mut all = streams(2, |w| w.after(9, "MPI_Barrier", &collective(Collective::Barrier, Peer::Null, 0)));
    let mut killed = Writer::new(1, 2);
    killed.call("MPI_Barrier", &collective(Collective::Barrier, Peer::Null, 0));
    all[1] = killed.killed();
    with_trace(&all, |trace| {
        let replay = replay::program(trace, &plain(2), &Options::default()).expect("what is there");
        assert_eq!(ends(&replay), [1_000, 1_009]);
        let said = replay.left_out();
        assert_says(&said[0], &["rank 1 ends before MPI_Finalize", "all 2 recorded calls are simulated"]);
        assert_eq!(said.len(), 1);
    });
}

#[test]
fn a_damaged_rank() {
    let mut all = streams(2, |w| w.send(1 - 2 * w.rank as i32, 8));
    let middle = all[0].len() / 2;
    all[0][middle] ^= 0x55;
    let error = with_trace(&all, |trace| replay::program(trace, &plain(2), &Options::default())).unwrap_err();
    assert_says(&error.to_string(), &["0.rank"]);
}

#[test]
fn collectives_that_differ() {
    let differing = |kind: u32| {
        error(3, move |w| {
            w.call("MPI_Barrier", &collective(Collective::Barrier, Peer::Null, 0));
            let far = Peer::Relative(-(w.rank as i32));
            match (w.rank, kind) {
                (2, 0) => w.call("MPI_Reduce", &collective(Collective::Reduce, far, 8)),
                (2, 1) => w.call("MPI_Bcast", &collective(Collective::Broadcast, Peer::Relative(-1), 8)),
                (2, 2) => {}
                _ => w.call("MPI_Bcast", &collective(Collective::Broadcast, far, 8)),
            }
            if kind == 3 && w.rank == 1 {
                w.call("MPI_Scan", &collective(Collective::Scan, Peer::Null, 8));
            }
        })
    };
    assert_says(
        &differing(0),
        &["rank 2, call 1 (MPI_Reduce)", "mismatch at collective 1", "rank 0 calls MPI_Bcast with root 0"],
    );
    assert_says(&differing(1), &["rank 2, call 1 (MPI_Bcast)", "rank 0 calls MPI_Bcast with root 0"]);
    assert_says(
        &differing(2),
        &["rank 2, call 0", "ends after 1 collectives", "rank 0 also calls MPI_Bcast"],
    );
    assert_says(&differing(3), &["rank 1, call 2 (MPI_Scan)", "rank 0 calls no more"]);
}

#[test]
fn a_collective_that_the_lowest_rank_does_not_call() {
    let error = error(2, |w| {
        if w.rank == 1 {
            w.call("MPI_Barrier", &collective(Collective::Barrier, Peer::Null, 0));
        }
    });
    assert_says(&error, &["rank 0, call 0", "MPI_COMM_WORLD", "rank 1 calls MPI_Barrier"]);
}

#[test]
fn different_lengths_are_a_warning() {
    let replay = tried(2, Options::default(), |w| {
        let bytes = 8 + 8 * u64::from(w.rank);
        w.call("MPI_Allreduce", &collective(Collective::Allreduce, Peer::Null, bytes));
    });
    let replay = replay.unwrap();
    assert_eq!(ends(&replay), [1_008; 2]);
    assert_says(&replay.warnings[0].message, &["MPI_Allreduce", "different lengths"]);
}

#[test]
fn a_message_that_is_never_received() {
    let write = |w: &mut Writer| match w.rank {
        0 => (0..5).for_each(|_| w.send(1, 8)),
        _ => (0..3).for_each(|_| w.receive(-1)),
    };
    assert_says(
        &error(2, write),
        &["rank 0, call 4 (MPI_Send)", "sends 5 messages with tag 7 to rank 1, which receives 3"],
    );
    assert_eq!(warnings(2, write), [("a message is sent and never received".to_owned(), 2)]);
}

#[test]
fn a_receive_without_a_send() {
    let write = |w: &mut Writer| match w.rank {
        0 => w.send(1, 8),
        _ => (0..3).for_each(|_| w.receive(-1)),
    };
    let text = "receives 3 messages with tag 7 from rank 0, which sends 1";
    assert_says(&error(2, write), &["rank 1, call 2 (MPI_Recv)", text]);
    assert_says(&tried(2, LENIENT, write).unwrap_err().to_string(), &[text]);
}

#[test]
fn lists_that_disagree() {
    let error = error(2, |w| {
        // Rank 0 sends to rank 1, which receives nothing.
        let send_sizes: &[i64] = if w.rank == 0 { &[0, 8] } else { &[0, 0] };
        w.call(
            "MPI_Alltoallv",
            &Together { send_sizes, receive_sizes: &[0, 0], ..Together::new(Collective::Alltoall, 8) }
                .action(),
        );
    });
    assert_says(&error, &["rank 0, call 0 (MPI_Alltoallv)", "sends 1 messages to rank 1, which receives 0"]);
}

#[test]
fn an_incomplete_request() {
    let write = |w: &mut Writer| {
        if w.rank == 0 {
            w.receive(1);
            w.irecv(Peer::Relative(1), 0);
        } else {
            w.send(-1, 8);
            w.send(-1, 8);
        }
    };
    assert_says(&error(2, write), &["rank 0, call 1 (MPI_Irecv)", "neither completed nor freed", "lenient"]);
    let warned = warnings(2, write);
    assert_says(&warned[0].0, &["MPI_Irecv", "neither completed nor freed"]);
    assert_eq!(warned[0].1, 1);
}

#[test]
fn partners_outside_the_communicator() {
    assert_says(&error(2, |w| w.send(5, 8)), &["rank 0, call 0 (MPI_Send)", "outside the communicator"]);
    assert_says(&error(2, |w| w.receive(-7)), &["rank 0, call 0 (MPI_Recv)", "outside"]);
    let root = |w: &mut Writer| w.call("MPI_Bcast", &collective(Collective::Broadcast, Peer::Relative(9), 8));
    assert_says(&error(2, root), &["rank 0, call 0 (MPI_Bcast)", "root is outside"]);
    let comm = |w: &mut Writer| w.call("MPI_Send", &on_comm(send(CallForm::Blocking, 1, 8, None), Comm(77)));
    assert_says(&error(2, comm), &["rank 0, call 0 (MPI_Send)", "communicator is not defined in the trace"]);
}

#[test]
fn requests_without_a_start() {
    let wait = |w: &mut Writer| w.call("MPI_Wait", &complete(CompletionKind::Wait, &[3], &[0], &[]));
    assert_says(&error(1, wait), &["rank 0, call 0 (MPI_Wait)", "start is not in the trace"]);
    assert_eq!(warnings(1, wait)[0].1, 1);
    let start = |w: &mut Writer| w.call("MPI_Start", &Action::Start { requests: &[-9, 4] });
    assert_says(&error(1, start), &["rank 0, call 0 (MPI_Start)", "not defined"]);
    assert_eq!(warnings(1, start)[0].1, 2);
    let outside = |w: &mut Writer| w.call("MPI_Comm_spawn", &Action::Process { count: 2 });
    assert_says(&error(1, outside), &["rank 0, call 0 (MPI_Comm_spawn)", "cannot be simulated", "lenient"]);
    assert_eq!(warnings(1, outside).len(), 1);
}

#[test]
fn wildcards_without_an_outcome() {
    let write = |w: &mut Writer| {
        w.call("MPI_Recv", &receive(CallForm::Blocking, Peer::Any, None));
        w.irecv(Peer::Any, 0);
        w.wait_all(&[0]);
    };
    assert_says(&error(1, write), &["rank 0, call 0 (MPI_Recv)", "MPI_ANY_SOURCE"]);
    let replay = tried(1, LENIENT, write).unwrap();
    assert_eq!(operations(&replay.program, 0), []);
    assert_eq!(replay.warnings.iter().map(|warning| warning.count).sum::<u64>(), 2);
}

#[test]
fn a_request_that_is_reused() {
    let write = |w: &mut Writer| {
        if w.rank == 0 {
            w.isend(1, 8, 0);
            w.isend(1, 8, 0);
            w.wait_all(&[0]);
        } else {
            w.receive(-1);
            w.receive(-1);
        }
    };
    assert_says(&error(2, write), &["rank 0, call 0 (MPI_Isend)", "before it is completed"]);
    assert_eq!(warnings(2, write).len(), 1);
}
