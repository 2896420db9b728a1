//! Causality: no match depends on a later event, and events of the same time are ordered by rank.

use panto_machine::{Cost, Machine, Network, Switching, Topology};
use panto_sim::{SendProtocol, Sharing};
use panto_units::Time;

use super::driver::drive;
use crate::machines::{per_byte, ps};
use crate::program::{Observation, Op, Program};

/// A machine on which a message takes 10 ps and 1 ps per byte, and a local message
/// 1 ps. Nothing else takes time.
fn machine(topology: Topology) -> Machine {
    let link = Cost::line(ps(10), per_byte(1));
    let local = Cost::constant(ps(1));
    Machine::plain("plain", Network { local, ..Network::plain(topology, Switching::Packet, link) })
}

fn send(protocol: SendProtocol, to: u32, tag: u32, bytes: u64) -> Op {
    Op::Send { protocol, to, tag, bytes, key: None }
}

fn receive(source: impl Into<Option<u32>>, tag: impl Into<Option<u32>>, key: Option<u32>) -> Op {
    Op::Receive { source: source.into(), tag: tag.into(), key }
}

fn sources(observations: &[Observation]) -> Vec<u32> {
    let source = |observation: &Observation| match observation {
        Observation::Message { source, .. } => Some(*source),
        Observation::Test(_) => None,
    };
    observations.iter().filter_map(source).collect()
}

/// A short message has arrived, but cannot match before the long one that was sent earlier: the
/// receive posted first accepts both. The rank proceeds when its awaited receive completes, and the
/// message that it then sends is ordered by that time.
#[test]
fn a_delayed_match_does_not_change_the_past() {
    let program: Program = vec![
        vec![
            receive(None, 9, Some(1)),
            receive(1, None, Some(2)),
            receive(1, 2, Some(3)),
            Op::Wait(3),
            send(SendProtocol::Buffered, 2, 5, 0),
        ],
        vec![send(SendProtocol::Buffered, 0, 1, 90), send(SendProtocol::Buffered, 0, 2, 0)],
        vec![receive(None, 5, None), receive(None, 5, None)],
        vec![Op::Compute(ps(30)), send(SendProtocol::Buffered, 2, 5, 0)],
    ];
    for model in [Sharing::None, Sharing::Links] {
        let run = drive(&machine(Topology::complete(4).unwrap()), model, &program);
        let sent = run.exits[0].expect("rank 0 ends");
        let first = if sent < ps(30) { [0, 3] } else { [3, 0] };
        assert_eq!(sources(&run.observations[2]), first, "rank 0 sent at {sent:?}, rank 3 at 30 ({model:?})");
    }
}

/// Ranks 0 and 1 both send over the bus when the first message has arrived: rank 0 is served first,
/// whether its receive named the source or not.
#[test]
fn ties_do_not_depend_on_wildcards() {
    let run = |source: Option<u32>| {
        let program: Program = vec![
            vec![receive(source, 1, None), send(SendProtocol::NoSpace, 2, 1, 50)],
            vec![send(SendProtocol::NoSpace, 0, 1, 0), send(SendProtocol::NoSpace, 3, 1, 5)],
            vec![receive(0, 1, None)],
            vec![receive(1, 1, None)],
        ];
        drive(&machine(Topology::bus(4).unwrap()), Sharing::Links, &program).exits
    };
    let times = |picos: [u64; 4]| picos.map(|picos| Some(Time::from_picos(picos))).to_vec();
    assert_eq!(run(Some(1)), times([70, 85, 70, 85]));
    assert_eq!(run(None), run(Some(1)));
}
