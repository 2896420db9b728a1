//! What cannot be simulated is named: rank, call and position.

use panto_sim::replay::{self, Options, Wildcards};
use panto_trace::{Action, Comm, Form, Pattern, Peer, Until};

use crate::support::{
    Together, Writer, collective, complete, deeds, ends, on_comm, plain, receive, send, streams, tried,
    with_trace,
};

const LENIENT: Options = Options { wildcards: Wildcards::Recorded, lenient: true };

fn error(ranks: u32, write: impl Fn(&mut Writer)) -> String {
    tried(ranks, Options::default(), write).expect_err("an error").to_string()
}

fn warnings(ranks: u32, write: impl Fn(&mut Writer)) -> Vec<(String, u64)> {
    let replay = tried(ranks, LENIENT, write).expect("a program");
    ends(&replay);
    replay.warnings.into_iter().map(|warning| (warning.what, warning.count)).collect()
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
    let mut all = streams(2, |w| w.after(9, "MPI_Barrier", &collective(Pattern::Barrier, Peer::Nobody, 0)));
    let mut killed = Writer::new(1, 2);
    killed.call("MPI_Barrier", &collective(Pattern::Barrier, Peer::Nobody, 0));
    all[1] = killed.killed();
    with_trace(&all, |trace| {
        let error = replay::program(trace, &plain(2), &Options::default()).unwrap_err();
        assert_says(&error.to_string(), &["rank 1", "ends after 1 calls", "lenient"]);
        let replay = replay::program(trace, &plain(2), &LENIENT).expect("what is there");
        assert_eq!(ends(&replay), [1_000, 1_009]);
        assert_eq!(replay.warnings.len(), 1);
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
            w.call("MPI_Barrier", &collective(Pattern::Barrier, Peer::Nobody, 0));
            let far = Peer::Relative(-(w.rank as i32));
            match (w.rank, kind) {
                (2, 0) => w.call("MPI_Reduce", &collective(Pattern::Reduce, far, 8)),
                (2, 1) => w.call("MPI_Bcast", &collective(Pattern::Broadcast, Peer::Relative(-1), 8)),
                (2, 2) => {}
                _ => w.call("MPI_Bcast", &collective(Pattern::Broadcast, far, 8)),
            }
            if kind == 3 && w.rank == 1 {
                w.call("MPI_Scan", &collective(Pattern::Scan, Peer::Nobody, 8));
            }
        })
    };
    assert_says(
        &differing(0),
        &["rank 2, call 1 (MPI_Reduce)", "collective 1", "rank 0 calls MPI_Bcast with root 0"],
    );
    assert_says(&differing(1), &["rank 2, call 1 (MPI_Bcast)", "rank 0 calls MPI_Bcast with root 0"]);
    assert_says(&differing(2), &["rank 2, call 0", "has 1 collectives", "rank 0 has another one, MPI_Bcast"]);
    assert_says(&differing(3), &["rank 1, call 2 (MPI_Scan)", "rank 0 has no more"]);
}

#[test]
fn a_collective_that_the_lowest_rank_lacks() {
    let error = error(2, |w| {
        if w.rank == 1 {
            w.call("MPI_Barrier", &collective(Pattern::Barrier, Peer::Nobody, 0));
        }
    });
    assert_says(&error, &["rank 0, call 0", "MPI_COMM_WORLD", "rank 1 has MPI_Barrier"]);
}

#[test]
fn lengths_that_differ_are_said() {
    let replay = tried(2, Options::default(), |w| {
        let bytes = 8 + 8 * u64::from(w.rank);
        w.call("MPI_Allreduce", &collective(Pattern::AllReduce, Peer::Nobody, bytes));
    });
    let replay = replay.unwrap();
    assert_eq!(ends(&replay), [1_008; 2]);
    assert_says(&replay.warnings[0].what, &["MPI_Allreduce", "other lengths"]);
}

#[test]
fn a_send_that_nobody_receives() {
    let write = |w: &mut Writer| match w.rank {
        0 => (0..5).for_each(|_| w.send(1, 8)),
        _ => (0..3).for_each(|_| w.receive(-1)),
    };
    assert_says(
        &error(2, write),
        &["rank 0, call 4 (MPI_Send)", "sends 5 messages with tag 7 to rank 1, which receives 3"],
    );
    assert_eq!(warnings(2, write), [("a message that nobody receives".to_owned(), 2)]);
}

#[test]
fn a_receive_of_what_nobody_sends() {
    let write = |w: &mut Writer| match w.rank {
        0 => w.send(1, 8),
        _ => (0..3).for_each(|_| w.receive(-1)),
    };
    let text = "receives 3 messages with tag 7 from rank 0, which sends 1";
    assert_says(&error(2, write), &["rank 1, call 2 (MPI_Recv)", text]);
    assert_says(&tried(2, LENIENT, write).unwrap_err().to_string(), &[text]);
}

#[test]
fn lists_that_do_not_fit() {
    let error = error(2, |w| {
        // Rank 0 has something for rank 1, which wants nothing.
        let gives: &[i64] = if w.rank == 0 { &[0, 8] } else { &[0, 0] };
        w.call(
            "MPI_Alltoallv",
            &Together { gives, gets: &[0, 0], ..Together::new(Pattern::AllToAll, 8) }.action(),
        );
    });
    assert_says(&error, &["rank 0, call 0 (MPI_Alltoallv)", "sends 1 messages to rank 1, which receives 0"]);
}

#[test]
fn a_truncated_request() {
    let write = |w: &mut Writer| {
        if w.rank == 0 {
            w.receive(1);
            w.irecv(Peer::Relative(1), 0);
        } else {
            w.send(-1, 8);
            w.send(-1, 8);
        }
    };
    assert_says(&error(2, write), &["rank 0, call 1 (MPI_Irecv)", "truncated", "lenient"]);
    let warned = warnings(2, write);
    assert_says(&warned[0].0, &["MPI_Irecv", "truncated"]);
    assert_eq!(warned[0].1, 1);
}

#[test]
fn partners_outside_of_the_communicator() {
    assert_says(&error(2, |w| w.send(5, 8)), &["rank 0, call 0 (MPI_Send)", "outside of the communicator"]);
    assert_says(&error(2, |w| w.receive(-7)), &["rank 0, call 0 (MPI_Recv)", "outside"]);
    let root = |w: &mut Writer| w.call("MPI_Bcast", &collective(Pattern::Broadcast, Peer::Relative(9), 8));
    assert_says(&error(2, root), &["rank 0, call 0 (MPI_Bcast)", "root is outside"]);
    let comm = |w: &mut Writer| w.call("MPI_Send", &on_comm(send(Form::Blocking, 1, 8, None), Comm(77)));
    assert_says(&error(2, comm), &["rank 0, call 0 (MPI_Send)", "communicator is not in the trace"]);
}

#[test]
fn what_has_no_start() {
    let wait = |w: &mut Writer| w.call("MPI_Wait", &complete(Until::Wait, &[3], &[0], &[]));
    assert_says(&error(1, wait), &["rank 0, call 0 (MPI_Wait)", "start is not in the trace"]);
    assert_eq!(warnings(1, wait)[0].1, 1);
    let start = |w: &mut Writer| w.call("MPI_Start", &Action::Start { requests: &[-9, 4] });
    assert_says(&error(1, start), &["rank 0, call 0 (MPI_Start)", "not described"]);
    assert_eq!(warnings(1, start)[0].1, 2);
    let outside = |w: &mut Writer| w.call("MPI_Comm_spawn", &Action::Process { count: 2 });
    assert_says(&error(1, outside), &["rank 0, call 0 (MPI_Comm_spawn)", "cannot be simulated", "lenient"]);
    assert_eq!(warnings(1, outside).len(), 1);
}

#[test]
fn wild_cards_without_an_outcome() {
    let write = |w: &mut Writer| {
        w.call("MPI_Recv", &receive(Form::Blocking, Peer::Any, None));
        w.irecv(Peer::Any, 0);
        w.wait_all(&[0]);
    };
    assert_says(&error(1, write), &["rank 0, call 0 (MPI_Recv)", "wild cards"]);
    let replay = tried(1, LENIENT, write).unwrap();
    assert_eq!(deeds(&replay.program, 0), []);
    assert_eq!(replay.warnings.iter().map(|warning| warning.count).sum::<u64>(), 2);
}

#[test]
fn a_place_that_is_taken_twice() {
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
