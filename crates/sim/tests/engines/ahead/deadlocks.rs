//! Programs that do not run to their end.

use panto_machine::Protocol;
use panto_sim::observe::NoObserver;
use panto_sim::program::{Channel, ChannelKind, Code, Op, Program, SendMode};
use panto_sim::{Awaited, BlockedRank, Deadlock, MAX_REPORTED_RANKS, RunError, ahead};

use super::{config, costly, plain, run};
use crate::machines::ps;
use panto_testkit::patterns::{Form, Pattern, program};

/// Two ranks with a channel in each direction: 0 from rank 0 to rank 1, 1 back.
fn two(codes: [Vec<Op>; 2]) -> Program {
    let code = |ops: Vec<Op>| Code {
        ops: ops.into_iter().chain([Op::End]).map(Into::into).collect(),
        slots: 2,
        ..Code::default()
    };
    let channel = |from, to| Channel { from, to, match_key: 0, kind: ChannelKind::PointToPoint };
    Program {
        codes: codes.map(code).into(),
        ranks: 2,
        channels: vec![channel(0, 1), channel(1, 0)],
        ..Program::default()
    }
}

const SEND: Op = Op::Send { mode: SendMode::Standard, channel: 0, bytes: 8 };

#[test]
fn a_rank_blocked_on_a_message_is_reported() {
    let call = Op::Call { call: 0, before: ps(5) };
    let all = [
        vec![call, call, Op::Receive { channel: 1 }],
        vec![call, call, Op::Probe { channel: 1 }],
        vec![call, call, Op::StartReceive { slot: 1, channel: 1 }, Op::Wait { slot: 1 }],
    ];
    for waits in all {
        for protocol in [Protocol::Buffered, Protocol::Synchronous] {
            let machine = panto_machine::Machine { protocol, ..plain(2) };
            let blocked = vec![BlockedRank { rank: 0, calls: 2, awaits: Awaited::Message { channel: 1 } }];
            let program = two([waits.clone(), vec![call]]);
            assert_eq!(run(&machine, &program), Err(RunError::Deadlock(Deadlock { count: 1, blocked })));
        }
    }
}

#[test]
fn a_rank_blocked_on_a_receive_is_reported() {
    let start = Op::StartSend { mode: SendMode::Synchronous, slot: 0, channel: 0, bytes: 8 };
    let sync = Op::Send { mode: SendMode::Synchronous, channel: 0, bytes: 8 };
    for sends in [vec![sync], vec![start, Op::Wait { slot: 0 }]] {
        let blocked = vec![BlockedRank { rank: 0, calls: 0, awaits: Awaited::Receive { channel: 0 } }];
        let program = two([sends, vec![]]);
        assert_eq!(run(&plain(2), &program), Err(RunError::Deadlock(Deadlock { count: 1, blocked })));
    }
}

#[test]
fn the_first_blocked_ranks_are_reported() {
    // Every rank sends before it receives, and waits for its receiver.
    let program = program(Pattern::Ring, 64, 1, 8, Form::Flat).0;
    let machine = panto_machine::Machine { protocol: Protocol::Synchronous, ..costly(64) };
    let alone = run(&machine, &program);
    let Err(RunError::Deadlock(Deadlock { count: 64, blocked })) = &alone else { panic!("{alone:?}") };
    let ranks: Vec<u32> = blocked.iter().map(|blocked| blocked.rank).collect();
    assert_eq!(ranks, (0..MAX_REPORTED_RANKS as u32).collect::<Vec<_>>());
    assert_eq!(blocked[0].awaits, Awaited::Receive { channel: 1 });
    assert_eq!(ahead::run_on(&program, &config(&machine), &mut [NoObserver; 3]), alone);
}

#[test]
fn time_overflow_is_an_error() {
    let almost_forever = Op::Compute(ps(u64::MAX - 10));
    let program = two([vec![almost_forever, SEND], vec![Op::Receive { channel: 0 }]]);
    assert_eq!(run(&plain(2), &program), Err(RunError::TimeOverflow));
}

#[test]
fn waiting_for_an_empty_slot_returns() {
    let program = two([vec![Op::Wait { slot: 1 }, Op::Free { slot: 0 }, SEND], vec![]]);
    assert_eq!(run(&plain(2), &program), Ok(vec![ps(0); 2]));
}
