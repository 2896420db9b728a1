//! Point-to-point messages.

use panto_machine::Protocol;
use panto_sim::program::Op;
use panto_sim::replay::{Options, Wildcards};
use panto_trace::{Action, CallForm, CompletionKind, Peer, ProbeKind, SendMode, Slot};
use panto_units::Time;

use crate::support::{
    DOUBLE, WORLD, Writer, acts, complete, ends, ends_on, operations, plain, receive, replayed, send,
    send_to, tried,
};

const REMATCH: Options = Options { wildcards: Wildcards::Rematch, lenient: false, call_sites: false };

#[test]
fn a_message_and_the_computation_before_it() {
    let replay = replayed(2, |w| match w.rank {
        0 => w.after(500, "MPI_Send", &send(CallForm::Blocking, 1, 100, None)),
        _ => w.after(200, "MPI_Recv", &receive(CallForm::Blocking, Peer::Relative(-1), None)),
    });
    assert_eq!(ends(&replay), [500, 1_600]);
    assert_eq!(replay.computation, [500, 200].map(Time::from_nanos));
    assert_eq!(replay.program.calls, ["MPI_Send", "MPI_Recv"]);
    let before = Time::from_nanos(500);
    let sent = Op::Send { mode: SendMode::Standard, channel: 0, bytes: 100 };
    assert_eq!(acts(&replay.program, 0), [Op::Call { call: 0, before }, sent]);
    assert!(replay.warnings.is_empty());
}

/// Loading a program is not part of its computation.
#[test]
fn time_begins_with_mpi() {
    let replay = replayed(1, |w| {
        w.after(9_000, "MPI_Init", &Action::Initialise { threads: 0 });
        w.after(500, "MPI_Finalize", &Action::Finalise {});
    });
    assert_eq!(ends(&replay), [500]);
    assert_eq!(replay.computation, [Time::from_nanos(500)]);
}

#[test]
fn modes_are_kept() {
    let modes = [SendMode::Standard, SendMode::Buffered, SendMode::Synchronous, SendMode::Ready];
    let replay = replayed(2, |w| {
        for mode in modes {
            match w.rank {
                0 => w.call("S", &send_to(mode, CallForm::Blocking, Peer::Relative(1), 8, None)),
                _ => w.receive(-1),
            }
        }
    });
    let sent: Vec<SendMode> = operations(&replay.program, 0)
        .iter()
        .map(|act| match act {
            Op::Send { mode, .. } => *mode,
            _ => panic!("{act:?}"),
        })
        .collect();
    assert_eq!(sent, [SendMode::Standard, SendMode::Buffered, SendMode::Synchronous, SendMode::Ready]);
}

#[test]
fn proc_null_exchanges_no_messages() {
    let replay = replayed(1, |w| {
        w.call("MPI_Send", &send_to(SendMode::Standard, CallForm::Blocking, Peer::Null, 8, None));
        w.call("MPI_Recv", &receive(CallForm::Blocking, Peer::Null, None));
        w.irecv(Peer::Null, 0);
        w.wait_all(&[0]);
        w.call("MPI_Sendrecv", &exchange(Peer::Null, Peer::Null, None, -3));
    });
    assert_eq!(operations(&replay.program, 0), []);
}

fn exchange(to: Peer, from: Peer, request: Option<Slot>, source: i64) -> Action<'static> {
    Action::SendReceive {
        comm: WORLD,
        to,
        from,
        datatype: DOUBLE,
        receive_type: DOUBLE,
        replace: false,
        bytes: 400,
        tag: 7,
        receive_bytes: 400,
        want_tag: 7,
        source,
        got_tag: if source >= 0 { 7 } else { -1 },
        got_bytes: -1,
        request,
    }
}

#[test]
fn an_exchange_does_not_deadlock() {
    let ring = |w: &mut Writer| {
        let far = |far: i32| Peer::Relative((w.rank as i32 + far).rem_euclid(3) - w.rank as i32);
        let (to, from) = (far(1), far(-1));
        w.call("MPI_Sendrecv", &exchange(to, from, None, -1));
        w.call("MPI_Isendrecv", &exchange(to, from, Some(Slot(0)), -1));
        w.wait_all(&[0]);
    };
    let replay = replayed(3, ring);
    assert_eq!(ends(&replay), [2_800; 3]);
    let mut machine = plain(3);
    machine.protocol = Protocol::Eager { limit: 0 };
    // Each message is a rendezvous.
    let asking = ends_on(&replay, &machine);
    assert!(asking.iter().all(|end| *end > Time::from_nanos(2_800)), "{asking:?}");
    assert_eq!(operations(&replay.program, 0).len(), 3 + 4);
}

fn wild(form: CallForm, request: Option<Slot>, source: i64) -> Action<'static> {
    Action::Receive {
        form,
        comm: WORLD,
        from: Peer::Any,
        datatype: DOUBLE,
        bytes: 8,
        tag: -1,
        request,
        source,
        got_tag: if source < 0 { -1 } else { 7 },
        got_bytes: 8,
    }
}

fn manager(w: &mut Writer) {
    if w.rank == 0 {
        w.call("MPI_Recv", &wild(CallForm::Blocking, None, 2));
        w.call("MPI_Irecv", &wild(CallForm::Immediate, Some(Slot(0)), -1));
        let outcomes = [0, 1, 7, 8];
        w.call("MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &outcomes));
    } else {
        w.after(u64::from(w.rank) * 100, "MPI_Send", &send(CallForm::Blocking, -(w.rank as i32), 8, None));
    }
}

#[test]
fn wildcards_match_the_recorded_messages() {
    let replay = replayed(3, manager);
    let from = |channel: u32| replay.program.channels[channel as usize].from;
    let Op::Receive { channel } = operations(&replay.program, 0)[0] else { panic!("a receive") };
    assert_eq!(from(channel), 2);
    let Op::StartReceive { channel, slot: 0 } = operations(&replay.program, 0)[1] else {
        panic!("a receive")
    };
    assert_eq!(from(channel), 1);
    assert_eq!(ends(&replay), [1_208, 100, 200]);
    assert!(replay.assumptions.iter().any(|assumed| assumed.contains("MPI_ANY_SOURCE")));
}

#[test]
fn wildcards_may_be_rematched() {
    let replay = tried(3, REMATCH, manager).unwrap();
    assert_eq!(replay.program.wildcards.len(), 1);
    let wildcard = &replay.program.wildcards[0];
    let match_keys: Vec<u32> = replay.program.channels.iter().map(|channel| channel.match_key).collect();
    assert!(wildcard.from.is_none() && match_keys.iter().all(|class| wildcard.match_keys.contains(class)));
    assert_eq!(ends(&replay), [1_208, 100, 200]);
}

fn probe(look: ProbeKind, found: bool, message: Option<Slot>) -> Action<'static> {
    let (comm, from, tag) = (WORLD, Peer::Any, -1);
    let (source, got_tag, got_bytes) = if found { (1, 7, 8) } else { (-1, -1, -1) };
    Action::Probe { look, comm, from, tag, found, source, got_tag, got_bytes, message }
}

#[test]
fn probes_wait_for_the_message_they_found() {
    let replay = replayed(2, |w| {
        if w.rank == 1 {
            w.after(3_000, "MPI_Send", &send(CallForm::Blocking, -1, 8, None));
            return w.send(-1, 8);
        }
        w.call("MPI_Iprobe", &probe(ProbeKind::Iprobe, false, None));
        w.call("MPI_Probe", &probe(ProbeKind::Probe, true, None));
        w.receive(1);
        w.call("MPI_Mprobe", &probe(ProbeKind::Mprobe, true, Some(Slot(0))));
        let (datatype, bytes) = (DOUBLE, 8);
        let taken = Action::ReceiveTaken {
            form: CallForm::Blocking,
            datatype,
            bytes,
            message: Some(Slot(0)),
            request: None,
        };
        w.call("MPI_Mrecv", &taken);
    });
    let channel = 0;
    assert_eq!(
        operations(&replay.program, 0),
        [
            Op::Poll { times: 1 },
            Op::Probe { channel },
            Op::Receive { channel },
            Op::Probe { channel },
            Op::StartReceive { slot: 0, channel },
            Op::Wait { slot: 0 },
        ]
    );
    // Two successful probes cost one unsuccessful poll each.
    let poll = plain(2).processor.poll.as_picos() / 1_000;
    assert_eq!(ends(&replay)[0], 4_008 + 2 * poll);
}

#[test]
fn a_rank_can_send_to_itself() {
    let replay = replayed(1, |w| {
        w.irecv(Peer::Relative(0), 0);
        w.send(0, 8);
        w.wait_all(&[0]);
    });
    assert_eq!(ends(&replay), [0]);
    assert_eq!(operations(&replay.program, 0).len(), 3);
}
