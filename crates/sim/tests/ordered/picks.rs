//! Receives and probes with wild cards.

use panto_machine::{Cost, Machine, Network, Protocol, Switching, Topology};
use panto_sim::Model;
use panto_sim::observe::Cause;
use panto_sim::program::{Act, Channel, Code, Lane, Op, Pick, Program, Sending};

use crate::log::{Log, run};
use crate::machines::{per_byte, ps};

/// A message takes 10 and its bytes, over any distance; nothing else takes time but a poll.
pub fn plain(processors: u64) -> Machine {
    let link = Cost::line(ps(10), per_byte(1));
    let topology = Topology::complete(processors).unwrap();
    let mut machine = Machine::plain("plain", Network::plain(topology, Switching::Packet, link));
    machine.processor.poll = ps(1);
    machine
}

/// A program without loops; `slots` for each rank.
pub fn program(channels: Vec<Channel>, picks: Vec<Pick>, ranks: Vec<Vec<Act>>) -> Program {
    let code = |acts: Vec<Act>| {
        let ops = acts.into_iter().chain([Act::End]).map(Op::from).collect();
        Code { ops, times: Vec::new(), slots: 4 }
    };
    let codes: Vec<Code> = ranks.into_iter().map(code).collect();
    Program { ranks: codes.len() as u32, codes, channels, picks, ..Program::default() }
}

pub fn channel(from: u32, to: u32, class: u32) -> Channel {
    Channel { from, to, class, lane: Lane::Message }
}

pub fn send(channel: u32, bytes: u64) -> Act {
    Act::Send { sending: Sending::Standard, channel, bytes }
}

fn channels_of(log: &Log, rank: usize) -> Vec<u32> {
    log.received(rank).iter().map(|passed| passed.channel).collect()
}

const MODELS: [Model; 2] = [Model::Fast, Model::Traffic];

/// The long message of rank 1 is sent first, the short one of rank 2 comes first: at 5 + 10 and at 0 + 10 + 90.
#[test]
fn who_comes_first_is_received_first() {
    let any = Pick { from: None, classes: 0..1 };
    let receive = [Act::StartPick { slot: 0, pick: 0 }, Act::Wait { slot: 0 }];
    let program = program(
        vec![channel(1, 0, 0), channel(2, 0, 0)],
        vec![any],
        vec![receive.repeat(2), vec![send(0, 90)], vec![Act::Compute(ps(5)), send(1, 0)]],
    );
    for model in MODELS {
        let (ends, log) = run(&plain(3), model, &program);
        assert_eq!(ends, Ok(vec![ps(100), ps(0), ps(5)]));
        assert_eq!(channels_of(&log, 0), [1, 0]);
        let causes =
            [(ps(0), ps(15), Cause { rank: 2, at: ps(5) }), (ps(15), ps(100), Cause { rank: 1, at: ps(0) })];
        assert_eq!(log.waits(0), causes);
    }
}

/// Both receives are started before anything comes. What is waited for first need not come first.
#[test]
fn picks_are_waited_for_later() {
    let acts = vec![
        Act::StartPick { slot: 0, pick: 0 },
        Act::StartPick { slot: 1, pick: 0 },
        Act::Wait { slot: 1 },
        Act::Wait { slot: 0 },
    ];
    let program = program(
        vec![channel(1, 0, 0), channel(2, 0, 0)],
        vec![Pick { from: None, classes: 0..1 }],
        vec![acts, vec![send(0, 90)], vec![Act::Compute(ps(5)), send(1, 0)]],
    );
    for model in MODELS {
        let (ends, log) = run(&plain(3), model, &program);
        assert_eq!(ends, Ok(vec![ps(100), ps(0), ps(5)]));
        // Slot 1 was posted second, so it gets the long message.
        assert_eq!(channels_of(&log, 0), [0, 1]);
    }
}

/// Classes 0 and 1 are one communicator, class 2 another. A pick of the first leaves the second alone, whoever comes first.
#[test]
fn a_pick_keeps_to_its_communicator() {
    let other = Act::Receive { channel: 2 };
    let pick = |slot| [Act::StartPick { slot, pick: 0 }, Act::Wait { slot }];
    let acts: Vec<Act> = pick(0).into_iter().chain(pick(1)).chain([other]).collect();
    let program = program(
        vec![channel(1, 0, 0), channel(1, 0, 1), channel(1, 0, 2)],
        vec![Pick { from: None, classes: 0..2 }],
        vec![acts.clone(), vec![send(2, 0), send(1, 0), send(0, 0)]],
    );
    let mut named = program.clone();
    named.picks[0].from = Some(1);
    for program in [program, named] {
        for model in MODELS {
            let (ends, log) = run(&plain(2), model, &program);
            assert!(ends.is_ok(), "{ends:?}");
            assert_eq!(channels_of(&log, 0), [1, 0, 2]);
        }
    }
}

/// A probe waits for the first message, and the receive after it gets what was found.
#[test]
fn a_probe_leaves_what_it_finds() {
    let acts = [Act::ProbePick { pick: 0 }, Act::StartPick { slot: 0, pick: 0 }, Act::Wait { slot: 0 }];
    let program = program(
        vec![channel(1, 0, 0), channel(2, 0, 0)],
        vec![Pick { from: None, classes: 0..1 }],
        vec![acts.repeat(2), vec![send(0, 90)], vec![Act::Compute(ps(5)), send(1, 0)]],
    );
    for model in MODELS {
        let (ends, log) = run(&plain(3), model, &program);
        assert_eq!(ends, Ok(vec![ps(101), ps(0), ps(5)]));
        assert_eq!(channels_of(&log, 0), [1, 0]);
        let causes =
            [(ps(0), ps(15), Cause { rank: 2, at: ps(5) }), (ps(16), ps(100), Cause { rank: 1, at: ps(0) })];
        assert_eq!(log.waits(0), causes);
    }
}

/// A probe by name, before and after the rank has picked: the message's request is enough, its bytes are not needed.
#[test]
fn a_probe_hears_of_a_request() {
    let mut machine = plain(3);
    machine.protocol = Protocol::Eager { limit: 0 };
    let named = [Act::Probe { channel: 0 }, Act::Receive { channel: 0 }];
    let picks = [Act::StartPick { slot: 0, pick: 0 }, Act::Wait { slot: 0 }];
    let after: Vec<Act> = picks.into_iter().chain(named).collect();
    let channels = vec![channel(1, 0, 0), channel(2, 0, 1)];
    let sender = vec![Act::Compute(ps(20)), send(0, 50)];
    let any = vec![Pick { from: None, classes: 1..2 }];
    let plain = program(channels.clone(), Vec::new(), vec![named.to_vec(), sender.clone(), vec![]]);
    let picked = program(channels, any, vec![after, sender, vec![send(1, 0)]]);
    for model in MODELS {
        // The request comes at 30, the poll takes 1, the grant 10, the bytes 60.
        let (ends, log) = run(&machine, model, &plain);
        assert_eq!(ends, Ok(vec![ps(101), ps(101), ps(0)]));
        assert_eq!(log.waits(1), [(ps(20), ps(101), Cause { rank: 0, at: ps(31) })]);
        let (ends, log) = run(&machine, model, &picked);
        assert_eq!(ends, Ok(vec![ps(101), ps(101), ps(0)]));
        assert_eq!(log.waits(0)[1], (ps(10), ps(30), Cause { rank: 1, at: ps(20) }));
    }
}
