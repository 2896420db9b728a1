//! Several ranks on one processor (P13), by closed forms.

use panto_machine::Map;
use panto_sim::Model;
use panto_sim::observe::Activity;
use panto_sim::program::Act;
use panto_units::Time;

use crate::log::{Entry, run};
use crate::machines::ps;
use crate::picks::{channel, plain, program, send};

const SECOND: Time = Time::from_nanos(1_000_000_000);

fn seconds(count: u64) -> Time {
    Time::from_picos(SECOND.as_picos() * count)
}

#[test]
fn two_ranks_take_twice_as_long() {
    let acts = vec![Act::Compute(SECOND)];
    let program = program(Vec::new(), Vec::new(), vec![acts; 2]);
    for model in [Model::Fast, Model::Traffic] {
        let (ends, log) = run(&plain(1), model, &program);
        assert_eq!(ends, Ok(vec![seconds(2); 2]));
        assert_eq!(log.0[0], [Entry::Worked(Activity::Compute, Time::ZERO, seconds(2))]);
        assert_eq!(run(&plain(2), model, &program).0, Ok(vec![SECOND; 2]));
    }
}

/// Round robin: both have worked 1 s after 2 s, then the longer one is alone.
#[test]
fn the_shorter_one_ends_first() {
    let program =
        program(Vec::new(), Vec::new(), vec![vec![Act::Compute(seconds(3))], vec![Act::Compute(SECOND)]]);
    assert_eq!(run(&plain(1), Model::Fast, &program).0, Ok(vec![seconds(4), seconds(2)]));
}

/// Ranks 0 and 2 are on processor 0, rank 1 is alone.
#[test]
fn only_who_shares_is_slowed_down() {
    let mut machine = plain(2);
    machine.network.map = Map::List(vec![0, 1, 0]);
    let program = program(Vec::new(), Vec::new(), vec![vec![Act::Compute(SECOND)]; 3]);
    assert_eq!(run(&machine, Model::Fast, &program).0, Ok(vec![seconds(2), SECOND, seconds(2)]));
}

/// Whoever waits for a message leaves the processor to the other: 100 for both, then rank 0 alone until it sends at 150.
#[test]
fn a_waiting_rank_takes_nothing() {
    let receiver = vec![Act::Compute(ps(50)), Act::Receive { channel: 0 }, Act::Compute(ps(30))];
    let sender = vec![Act::Compute(ps(100)), send(0, 0)];
    let mut machine = plain(1);
    machine.network.local = panto_machine::Cost::constant(ps(7));
    let program = program(vec![channel(0, 1, 0)], Vec::new(), vec![sender, receiver]);
    assert_eq!(run(&machine, Model::Fast, &program).0, Ok(vec![ps(150), ps(150 + 7 + 30)]));
}
