//! Nothing is decided before its causes, and what happens at the same moment is ordered by who does it.

use panto_machine::{Cost, Machine, Network, Switching, Topology};
use panto_sim::{Manner, Model};
use panto_units::Time;

use crate::driver::drive;
use crate::machines::{per_byte, ps};
use crate::program::{Op, Program, Saw};

/// A message takes 10 and its bytes, over any distance; nothing else takes time.
fn machine(topology: Topology) -> Machine {
    let link = Cost::line(ps(10), per_byte(1));
    let local = Cost::constant(ps(1));
    Machine::plain("plain", Network { local, ..Network::plain(topology, Switching::Packet, link) })
}

fn send(manner: Manner, to: u32, tag: u32, bytes: u64) -> Op {
    Op::Send { manner, to, tag, bytes, later: None }
}

fn receive(source: impl Into<Option<u32>>, tag: impl Into<Option<u32>>, later: Option<u32>) -> Op {
    Op::Receive { source: source.into(), tag: tag.into(), later }
}

fn sources(saw: &[Saw]) -> Vec<u32> {
    let source = |saw: &Saw| if let Saw::Message { source, .. } = saw { Some(*source) } else { None };
    saw.iter().filter_map(source).collect()
}

/// A short message has come, but the long one before it holds it up: the first receive accepts both. Whenever the second
/// receive is then complete, the rank goes on at that time, and its message takes its place among the others.
#[test]
fn a_message_that_was_held_up_does_not_change_the_past() {
    let program: Program = vec![
        vec![
            receive(None, 9, Some(1)),
            receive(1, None, Some(2)),
            receive(1, 2, Some(3)),
            Op::Wait(3),
            send(Manner::Buffered, 2, 5, 0),
        ],
        vec![send(Manner::Buffered, 0, 1, 90), send(Manner::Buffered, 0, 2, 0)],
        vec![receive(None, 5, None), receive(None, 5, None)],
        vec![Op::Compute(ps(30)), send(Manner::Buffered, 2, 5, 0)],
    ];
    for model in [Model::Fast, Model::Traffic] {
        let run = drive(&machine(Topology::complete(4).unwrap()), model, &program);
        let sent = run.exits[0].expect("it ends");
        let first = if sent < ps(30) { [0, 3] } else { [3, 0] };
        assert_eq!(sources(&run.saw[2]), first, "rank 0 sent at {sent:?}, rank 3 at 30 ({model:?})");
    }
}

/// Ranks 0 and 1 both put a message on the bus when the first message has arrived: rank 0 goes first, whether it named the
/// source or not.
#[test]
fn ties_do_not_depend_on_wild_cards() {
    let run = |source: Option<u32>| {
        let program: Program = vec![
            vec![receive(source, 1, None), send(Manner::NoSpace, 2, 1, 50)],
            vec![send(Manner::NoSpace, 0, 1, 0), send(Manner::NoSpace, 3, 1, 5)],
            vec![receive(0, 1, None)],
            vec![receive(1, 1, None)],
        ];
        drive(&machine(Topology::bus(4).unwrap()), Model::Traffic, &program).exits
    };
    let times = |picos: [u64; 4]| picos.map(|picos| Some(Time::from_picos(picos))).to_vec();
    assert_eq!(run(Some(1)), times([70, 85, 70, 85]));
    assert_eq!(run(None), run(Some(1)));
}
