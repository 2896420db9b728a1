//! Receives and probes with wildcards, by closed forms.

use panto_machine::{Cost, Machine, Network, Protocol, Switching, Topology};
use panto_sim::Sharing;
use panto_sim::observe::Cause;
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode, Wildcard};

use crate::log::{Log, run};
use crate::machines::{per_byte, ps};

/// A fully connected machine on which a message takes 10 ps and 1 ps per byte, and a poll 1 ps.
/// Nothing else takes time.
pub fn plain(processors: u64) -> Machine {
    let link = Cost::line(ps(10), per_byte(1));
    let topology = Topology::complete(processors).unwrap();
    let mut machine = Machine::plain("plain", Network::plain(topology, Switching::Packet, link));
    machine.processor.poll = ps(1);
    machine
}

/// Returns a program without loops, with four slots for each rank.
pub fn program(channels: Vec<Channel>, wildcards: Vec<Wildcard>, ranks: Vec<Vec<Op>>) -> Program {
    let code = |ops: Vec<Op>| {
        let ops = ops.into_iter().chain([Op::End]).map(PackedOp::from).collect();
        Code { ops, times: Vec::new(), slots: 4 }
    };
    let codes: Vec<Code> = ranks.into_iter().map(code).collect();
    Program { ranks: codes.len() as u32, codes, channels, wildcards, ..Program::default() }
}

pub fn channel(from: u32, to: u32, match_key: u32) -> Channel {
    Channel { from, to, match_key, kind: ChannelKind::PointToPoint }
}

pub fn send(channel: u32, bytes: u64) -> Op {
    Op::Send { mode: SendMode::Standard, channel, bytes }
}

/// Returns the channels of the messages that a rank received, in order.
fn channels_of(log: &Log, rank: usize) -> Vec<u32> {
    log.received(rank).iter().map(|message| message.channel).collect()
}

const MODELS: [Sharing; 2] = [Sharing::None, Sharing::Links];

/// The long message of rank 1 is sent first and arrives at 0 + 10 + 90 ps; the short one of rank 2
/// arrives at 5 + 10 ps.
#[test]
fn the_first_to_arrive_is_received_first() {
    let any = Wildcard { from: None, match_keys: 0..1 };
    let receive = [Op::StartWildcard { slot: 0, wildcard: 0, blocks: false }, Op::Wait { slot: 0 }];
    let program = program(
        vec![channel(1, 0, 0), channel(2, 0, 0)],
        vec![any],
        vec![receive.repeat(2), vec![send(0, 90)], vec![Op::Compute(ps(5)), send(1, 0)]],
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

/// Both receives are posted before a message arrives, and match in the order of posting; the rank
/// waits for the second one first.
#[test]
fn wildcards_match_in_the_order_of_posting() {
    let ops = vec![
        Op::StartWildcard { slot: 0, wildcard: 0, blocks: false },
        Op::StartWildcard { slot: 1, wildcard: 0, blocks: false },
        Op::Wait { slot: 1 },
        Op::Wait { slot: 0 },
    ];
    let program = program(
        vec![channel(1, 0, 0), channel(2, 0, 0)],
        vec![Wildcard { from: None, match_keys: 0..1 }],
        vec![ops, vec![send(0, 90)], vec![Op::Compute(ps(5)), send(1, 0)]],
    );
    for model in MODELS {
        let (ends, log) = run(&plain(3), model, &program);
        assert_eq!(ends, Ok(vec![ps(100), ps(0), ps(5)]));
        // Slot 1 was posted second, so it matches the long message.
        assert_eq!(channels_of(&log, 0), [0, 1]);
    }
}

/// Match keys 0 and 1 are one communicator, 2 another. A wildcard of the first does not accept a
/// message of the second, even if it arrives first.
#[test]
fn a_wildcard_matches_its_communicator_only() {
    let other = Op::Receive { channel: 2 };
    let wildcard = |slot| [Op::StartWildcard { slot, wildcard: 0, blocks: false }, Op::Wait { slot }];
    let ops: Vec<Op> = wildcard(0).into_iter().chain(wildcard(1)).chain([other]).collect();
    let program = program(
        vec![channel(1, 0, 0), channel(1, 0, 1), channel(1, 0, 2)],
        vec![Wildcard { from: None, match_keys: 0..2 }],
        vec![ops.clone(), vec![send(2, 0), send(1, 0), send(0, 0)]],
    );
    let mut named = program.clone();
    named.wildcards[0].from = Some(1);
    for program in [program, named] {
        for model in MODELS {
            let (ends, log) = run(&plain(2), model, &program);
            assert!(ends.is_ok(), "{ends:?}");
            assert_eq!(channels_of(&log, 0), [1, 0, 2]);
        }
    }
}

/// A probe waits for the first message, which the receive after it matches.
#[test]
fn a_probe_does_not_consume_its_message() {
    let ops = [
        Op::ProbeWildcard { wildcard: 0 },
        Op::StartWildcard { slot: 0, wildcard: 0, blocks: false },
        Op::Wait { slot: 0 },
    ];
    let program = program(
        vec![channel(1, 0, 0), channel(2, 0, 0)],
        vec![Wildcard { from: None, match_keys: 0..1 }],
        vec![ops.repeat(2), vec![send(0, 90)], vec![Op::Compute(ps(5)), send(1, 0)]],
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

/// A probe of a named source finds a message when its request to send has arrived, before its data
/// has, whether or not the rank has used a wildcard.
#[test]
fn a_probe_finds_a_request_to_send() {
    let mut machine = plain(3);
    machine.protocol = Protocol::Eager { limit: 0 };
    let named = [Op::Probe { channel: 0 }, Op::Receive { channel: 0 }];
    let wildcards = [Op::StartWildcard { slot: 0, wildcard: 0, blocks: false }, Op::Wait { slot: 0 }];
    let after: Vec<Op> = wildcards.into_iter().chain(named).collect();
    let channels = vec![channel(1, 0, 0), channel(2, 0, 1)];
    let sender = vec![Op::Compute(ps(20)), send(0, 50)];
    let any = vec![Wildcard { from: None, match_keys: 1..2 }];
    let plain = program(channels.clone(), Vec::new(), vec![named.to_vec(), sender.clone(), vec![]]);
    let after_wildcard = program(channels, any, vec![after, sender, vec![send(1, 0)]]);
    for model in MODELS {
        // The request to send arrives at 30 ps; the poll takes 1 ps, the clear to send 10, the data
        // 60.
        let (ends, log) = run(&machine, model, &plain);
        assert_eq!(ends, Ok(vec![ps(101), ps(101), ps(0)]));
        assert_eq!(log.waits(1), [(ps(20), ps(101), Cause { rank: 0, at: ps(31) })]);
        let (ends, log) = run(&machine, model, &after_wildcard);
        assert_eq!(ends, Ok(vec![ps(101), ps(101), ps(0)]));
        assert_eq!(log.waits(0)[1], (ps(10), ps(30), Cause { rank: 1, at: ps(20) }));
    }
}
