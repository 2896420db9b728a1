//! Counts in the summary of a trace.

use std::path::Path;

use panto_trace::{Action, CallForm, Collective, Collectives, Pair, Peer, Slot, Summary, Trace, Type};

use crate::support::{WORLD, Writer, folder, send, test};

fn summary(at: &Path, streams: &[(u32, Vec<u8>)]) -> Summary {
    let ranks = folder(&at.join("ranks"), streams);
    Summary::of(&Trace::open(&ranks).expect("a trace")).expect("it can be read")
}

fn one_rank(program: impl Fn(&mut Writer)) -> Summary {
    let at = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::new(1, 4);
    program(&mut writer);
    summary(at.path(), &[(1, writer.finish())])
}

fn collective(
    pattern: Collective,
    form: CallForm,
    far_root: i32,
    bytes: u64,
    send_sizes: &[i64],
) -> Action<'_> {
    Action::Collective {
        pattern: pattern.into(),
        form,
        comm: WORLD,
        root: Peer::Relative(far_root),
        datatype: None,
        receive_type: None,
        commutes: true,
        in_place: false,
        bytes,
        receive_bytes: bytes,
        request: Some(Slot(3)).filter(|_| form != CallForm::Blocking),
        send_sizes,
        receive_sizes: &[],
    }
}

#[test]
fn calls_messages_and_computation_are_counted() {
    let at = tempfile::tempdir().expect("a folder");
    let streams: Vec<_> = (0..3)
        .map(|rank| {
            let mut writer = Writer::new(rank, 3);
            for _ in 0..=rank {
                writer.send(if rank == 2 { -2 } else { 1 }, 100, 1000);
            }
            writer.finalise();
            (rank, writer.finish())
        })
        .collect();
    let summary = summary(at.path(), &streams);
    assert!(summary.is_complete());
    assert_eq!((summary.size, summary.total(|rank| rank.calls)), (3, 9));
    assert_eq!((summary.total(|rank| rank.messages), summary.total(|rank| rank.bytes_sent)), (6, 600));
    assert_eq!(summary.computations(), [1005, 2005, 3005]);
    assert_eq!(summary.wall(), Some(5_000));
    let pair = |from: u32, to: u32, messages: u64| Pair { from, to, messages, bytes: 100 * messages };
    assert_eq!(summary.pairs, [pair(0, 1, 1), pair(1, 2, 2), pair(2, 0, 3)]);
    let functions: Vec<(&str, u64)> =
        summary.functions.iter().map(|one| (one.name.as_str(), one.calls)).collect();
    assert_eq!(functions, [("MPI_Send", 6), ("MPI_Finalize", 3)]);
    assert_eq!(summary.partners(), "neighbours at +1");
    assert_eq!((summary.blocks.count(), summary.blocks.decades()[3].count), (9, 6));
}

#[test]
fn persistent_operations_count_when_they_are_started() {
    let summary = one_rank(|writer| {
        writer.call("MPI_Send_init", &send(CallForm::Persistent, 2, 50, Some(Slot(0))), 1);
        writer.call("MPI_Send_init", &send(CallForm::Persistent, -1, 7, Some(Slot(1))), 1);
        writer.call("MPI_Bcast_init", &collective(Collective::Broadcast, CallForm::Persistent, 0, 9, &[]), 1);
        for _ in 0..3 {
            writer.call("MPI_Startall", &Action::Start { requests: &[0, 1, 3] }, 1);
        }
        writer.call("MPI_Request_free", &Action::Free { request: Some(Slot(1)) }, 1);
        writer.call("MPI_Startall", &Action::Start { requests: &[0, 1] }, 1);
    });
    let pair = |to: u32, messages: u64, bytes: u64| Pair { from: 1, to, messages, bytes };
    assert_eq!(summary.pairs, [pair(0, 3, 21), pair(3, 4, 200)]);
    assert_eq!(
        summary.collectives,
        [Collectives { pattern: Collective::Broadcast.into(), size: 4, calls: 3, bytes: 27 }]
    );
    let bytes = |name: &str| summary.functions.iter().find(|one| one.name == name).map(|one| one.bytes);
    assert_eq!((bytes("MPI_Startall"), bytes("MPI_Send_init")), (Some(248), Some(0)));
}

#[test]
fn collectives_count_what_a_rank_gives_in_all() {
    let summary = one_rank(|writer| {
        writer.call("MPI_Bcast", &collective(Collective::Broadcast, CallForm::Blocking, 0, 10, &[]), 1);
        writer.call("MPI_Bcast", &collective(Collective::Broadcast, CallForm::Blocking, -1, 10, &[]), 1);
        writer.call("MPI_Alltoall", &collective(Collective::Alltoall, CallForm::Immediate, 0, 10, &[]), 1);
        writer.call(
            "MPI_Alltoallv",
            &collective(Collective::Alltoall, CallForm::Blocking, 0, 10, &[1, 2, 3, 4]),
            1,
        );
        writer.call("MPI_Allreduce", &collective(Collective::Allreduce, CallForm::Blocking, 0, 10, &[]), 1);
    });
    let bytes: Vec<(Collective, u64, u64)> =
        summary.collectives.iter().map(|one| (one.pattern.collective(), one.calls, one.bytes)).collect();
    assert_eq!(
        bytes,
        [(Collective::Broadcast, 2, 10), (Collective::Alltoall, 2, 50), (Collective::Allreduce, 1, 10)]
    );
}

#[test]
fn messages_find_their_rank_through_communicators() {
    let summary = one_rank(|writer| {
        let to = |comm, far| Action::Send {
            mode: panto_trace::SendMode::Buffered,
            form: CallForm::Blocking,
            comm,
            to: far,
            datatype: Type(0),
            bytes: 1,
            tag: 0,
            request: None,
        };
        let reversed = writer.comm("MPI_Comm_split", Some(WORLD), 0, 0, &[3, 2, 1, 0]);
        let between = writer.intercomm("MPI_Intercomm_create", Some(WORLD), 1, 0, &[1], Some(&[2, 0]));
        let away = writer.intercomm("MPI_Comm_spawn", Some(WORLD), 2, 0, &[1], Some(&[u32::MAX]));
        writer.call("MPI_Bsend", &to(reversed, Peer::Relative(1)), 1);
        writer.call("MPI_Bsend", &to(between, Peer::Relative(0)), 1);
        writer.call("MPI_Bsend", &to(away, Peer::Relative(0)), 1);
        writer.call("MPI_Bsend", &to(WORLD, Peer::Null), 1);
    });
    let to: Vec<u32> = summary.pairs.iter().map(|pair| pair.to).collect();
    assert_eq!(to, [0, 2]);
    assert_eq!(summary.ranks[0].messages, 3, "one of them left the program, and one went nowhere");
}

#[test]
fn polls_and_threads_are_told() {
    let summary = one_rank(|writer| {
        writer.call("MPI_Test", &Action::Spin { polls: 500, spun: 70_000 }, 3);
        writer.call("MPI_Test", &test(&[0], &[0]), 4);
        writer.call("thread", &Action::Thread { thread: 2 }, 0);
        writer.send(1, 1, 1);
    });
    let rank = &summary.ranks[0];
    assert_eq!((rank.polls, rank.poll_loops, rank.spun, rank.threads), (500, 1, 70_000, 3));
    assert_eq!((rank.calls, rank.events, rank.computation), (502, 4, 8));
    assert_eq!(summary.blocks.count(), 2, "a loop of polls is no block");
}

#[test]
fn a_killed_program_is_incomplete_and_not_damaged() {
    let at = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::new(0, 2);
    writer.send(1, 8, 1);
    writer.seal();
    let mut bytes = writer.killed();
    bytes.extend(b"PANb, and then the end");
    let summary = summary(at.path(), &[(0, bytes)]);
    assert_eq!(summary.damage, Vec::<String>::new());
    assert!(!summary.is_complete());
    assert_eq!(summary.incomplete().iter().collect::<Vec<_>>(), [0]);
    assert_eq!(summary.missing.iter().collect::<Vec<_>>(), [1]);
}
