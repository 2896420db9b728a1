//! Programs that do not run to their end.

use panto_machine::Protocol;
use panto_sim::program::{Op, Wildcard};
use panto_sim::{Awaited, BlockedRank, Deadlock, RunError, Sharing};
use panto_units::Time;

use super::wildcards::{channel, plain, program, send};
use crate::log::run;

fn call() -> Op {
    Op::Call { call: 0, before: Time::ZERO }
}

/// Ranks wait for a message, for a receive and for any message; rank 3 has ended.
#[test]
fn each_blocked_rank_names_what_it_awaits() {
    let mut machine = plain(5);
    machine.protocol = Protocol::Synchronous;
    let channels = vec![channel(1, 0, 0), channel(1, 0, 1), channel(0, 4, 0)];
    let program = program(
        channels,
        vec![Wildcard { from: None, match_keys: 0..1 }],
        vec![
            vec![call(), Op::StartReceive { slot: 1, channel: 0 }, call(), Op::Wait { slot: 1 }],
            vec![call(), send(1, 5)],
            vec![Op::StartWildcard { slot: 0, wildcard: 0, blocks: false }, Op::Wait { slot: 0 }],
            vec![call()],
            vec![Op::Probe { channel: 2 }],
        ],
    );
    let expected = vec![
        BlockedRank { rank: 0, calls: 2, awaits: Awaited::Message { channel: 0 } },
        BlockedRank { rank: 1, calls: 1, awaits: Awaited::Receive { channel: 1 } },
        BlockedRank { rank: 2, calls: 0, awaits: Awaited::Wildcard { wildcard: 0 } },
        BlockedRank { rank: 4, calls: 0, awaits: Awaited::Message { channel: 2 } },
    ];
    for model in [Sharing::None, Sharing::Links] {
        let result = run(&machine, model, &program).0;
        assert_eq!(result, Err(RunError::Deadlock(Deadlock { count: 4, blocked: expected.clone() })));
    }
}

#[test]
fn time_overflow_is_an_error() {
    let long = Op::Compute(Time::from_picos(u64::MAX - 5));
    let mut program = program(Vec::new(), Vec::new(), vec![vec![long, long], vec![]]);
    for model in [Sharing::None, Sharing::Links] {
        assert_eq!(run(&plain(2), model, &program).0, Err(RunError::TimeOverflow));
    }
    // The number of repetitions does not matter.
    program.codes[0].ops =
        vec![Op::Repeat { at: 2, times: u64::MAX }.into(), Op::End.into(), long.into(), Op::End.into()];
    assert_eq!(run(&plain(2), Sharing::None, &program).0, Err(RunError::TimeOverflow));
}
