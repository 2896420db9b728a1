//! Several ranks on one processor (P13), by closed forms.

use panto_machine::RankMap;
use panto_sim::Sharing;
use panto_sim::observe::Activity;
use panto_sim::program::Op;
use panto_units::Time;

use super::wildcards::{channel, plain, program, send};
use crate::log::{Entry, run};
use crate::machines::ps;

const SECOND: Time = Time::from_nanos(1_000_000_000);

fn seconds(count: u64) -> Time {
    Time::from_picos(SECOND.as_picos() * count)
}

#[test]
fn two_ranks_take_twice_as_long() {
    let ops = vec![Op::Compute(SECOND)];
    let program = program(Vec::new(), Vec::new(), vec![ops; 2]);
    for model in [Sharing::None, Sharing::Links] {
        let (ends, log) = run(&plain(1), model, &program);
        assert_eq!(ends, Ok(vec![seconds(2); 2]));
        assert_eq!(log.0[0], [Entry::Worked(Activity::Compute, Time::ZERO, seconds(2))]);
        assert_eq!(run(&plain(2), model, &program).0, Ok(vec![SECOND; 2]));
    }
}

/// After 2 s both ranks have worked 1 s; then the longer computation has the processor to itself.
#[test]
fn the_shorter_computation_ends_first() {
    let program =
        program(Vec::new(), Vec::new(), vec![vec![Op::Compute(seconds(3))], vec![Op::Compute(SECOND)]]);
    assert_eq!(run(&plain(1), Sharing::None, &program).0, Ok(vec![seconds(4), seconds(2)]));
}

/// Ranks 0 and 2 share processor 0; rank 1 has its own.
#[test]
fn only_ranks_that_share_are_slowed_down() {
    let mut machine = plain(2);
    machine.network.map = RankMap::List(vec![0, 1, 0]);
    let program = program(Vec::new(), Vec::new(), vec![vec![Op::Compute(SECOND)]; 3]);
    assert_eq!(run(&machine, Sharing::None, &program).0, Ok(vec![seconds(2), SECOND, seconds(2)]));
}

/// A rank that waits for a message uses no processor time: both ranks share the processor until
/// 100 ps, then rank 0 has it to itself until it sends at 150 ps.
#[test]
fn a_blocked_rank_uses_no_processor_time() {
    let receiver = vec![Op::Compute(ps(50)), Op::Receive { channel: 0 }, Op::Compute(ps(30))];
    let sender = vec![Op::Compute(ps(100)), send(0, 0)];
    let mut machine = plain(1);
    machine.network.local = panto_machine::Cost::constant(ps(7));
    let program = program(vec![channel(0, 1, 0)], Vec::new(), vec![sender, receiver]);
    assert_eq!(run(&machine, Sharing::None, &program).0, Ok(vec![ps(150), ps(150 + 7 + 30)]));
}
