//! Programs that have no end.

use panto_machine::Protocol;
use panto_sim::observe::Unseen;
use panto_sim::program::{Act, Channel, Code, Lane, Program, Sending};
use panto_sim::{Halt, Halted, MOST_HALTS, Want, ahead};

use crate::machines::ps;
use crate::patterns::{Form, Pattern, program};
use crate::{costly, plain, run, setting};

/// Two ranks with a channel in each direction: 0 from rank 0 to rank 1, 1 back.
fn two(codes: [Vec<Act>; 2]) -> Program {
    let code = |acts: Vec<Act>| Code {
        ops: acts.into_iter().chain([Act::End]).map(Into::into).collect(),
        slots: 2,
        ..Code::default()
    };
    let channel = |from, to| Channel { from, to, class: 0, lane: Lane::Message };
    Program {
        codes: codes.map(code).into(),
        ranks: 2,
        channels: vec![channel(0, 1), channel(1, 0)],
        ..Program::default()
    }
}

const SEND: Act = Act::Send { sending: Sending::Standard, channel: 0, bytes: 8 };

#[test]
fn who_waits_for_a_message_that_nobody_sends() {
    let call = Act::Call { call: 0, before: ps(5) };
    let all = [
        vec![call, call, Act::Receive { channel: 1 }],
        vec![call, call, Act::Probe { channel: 1 }],
        vec![call, call, Act::StartReceive { slot: 1, channel: 1 }, Act::Wait { slot: 1 }],
    ];
    for waits in all {
        for protocol in [Protocol::Buffered, Protocol::Synchronous] {
            let machine = panto_machine::Machine { protocol, ..plain(2) };
            let halts = vec![Halt { rank: 0, calls: 2, want: Want::Message { channel: 1 } }];
            let program = two([waits.clone(), vec![call]]);
            assert_eq!(run(&machine, &program), Err(Halted::Stuck { ranks: 1, halts }));
        }
    }
}

#[test]
fn who_waits_for_somebody_who_receives() {
    let start = Act::StartSend { sending: Sending::Synchronous, slot: 0, channel: 0, bytes: 8 };
    let sync = Act::Send { sending: Sending::Synchronous, channel: 0, bytes: 8 };
    for sends in [vec![sync], vec![start, Act::Wait { slot: 0 }]] {
        let halts = vec![Halt { rank: 0, calls: 0, want: Want::Receiver { channel: 0 } }];
        let program = two([sends, vec![]]);
        assert_eq!(run(&plain(2), &program), Err(Halted::Stuck { ranks: 1, halts }));
    }
}

#[test]
fn the_first_few_are_told_of() {
    // Everybody sends before he receives, and waits until somebody has received.
    let program = program(Pattern::Ring, 64, 1, 8, Form::Flat).0;
    let machine = panto_machine::Machine { protocol: Protocol::Synchronous, ..costly(64) };
    let alone = run(&machine, &program);
    let Err(Halted::Stuck { ranks: 64, halts }) = &alone else { panic!("{alone:?}") };
    let ranks: Vec<u32> = halts.iter().map(|halt| halt.rank).collect();
    assert_eq!(ranks, (0..MOST_HALTS as u32).collect::<Vec<_>>());
    assert_eq!(halts[0].want, Want::Receiver { channel: 1 });
    assert_eq!(ahead::run_on(&program, &setting(&machine), &mut [Unseen; 3]), alone);
}

#[test]
fn time_has_an_end() {
    let forever = Act::Compute(ps(u64::MAX - 10));
    let program = two([vec![forever, SEND], vec![Act::Receive { channel: 0 }]]);
    assert_eq!(run(&plain(2), &program), Err(Halted::EndOfTime));
}

#[test]
fn an_empty_place_is_not_waited_for() {
    let program = two([vec![Act::Wait { slot: 1 }, Act::Free { slot: 0 }, SEND], vec![]]);
    assert_eq!(run(&plain(2), &program), Ok(vec![ps(0); 2]));
}
