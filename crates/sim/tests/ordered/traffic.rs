//! Messages that share a link.

use panto_machine::{Cost, Machine, Network, Switching, Topology};
use panto_sim::Model;
use panto_sim::program::Act;
use panto_units::Time;

use crate::log::run;
use crate::machines::{per_byte, ps};
use crate::picks::{channel, program, send};

const BYTES: u64 = 10_000;

/// Ranks 0 and 1 send to 3 and 2 over the link between 1 and 2.
fn ends(switching: Switching, model: Model) -> Vec<u64> {
    let link = Cost::line(ps(0), per_byte(1));
    let machine = Machine::plain("line", Network::plain(Topology::linear(4).unwrap(), switching, link));
    let program = program(
        vec![channel(0, 3, 0), channel(1, 2, 0)],
        Vec::new(),
        vec![
            vec![send(0, BYTES)],
            vec![send(1, BYTES)],
            vec![Act::Receive { channel: 1 }],
            vec![Act::Receive { channel: 0 }],
        ],
    );
    run(&machine, model, &program).0.unwrap().into_iter().map(Time::as_picos).collect()
}

#[test]
fn a_shared_link_halves_the_bandwidth() {
    let flow = Switching::Flow { header: 0 };
    assert_eq!(ends(flow, Model::Fast), [0, 0, BYTES, BYTES]);
    assert_eq!(ends(flow, Model::Traffic), [0, 0, 2 * BYTES, 2 * BYTES]);
}

/// Whole messages one after the other: rank 1's first, the other comes to the link when it is free again.
#[test]
fn packets_queue() {
    assert_eq!(ends(Switching::Packet, Model::Fast), [0, 0, BYTES, 3 * BYTES]);
    assert_eq!(ends(Switching::Packet, Model::Traffic), [0, 0, BYTES, 3 * BYTES]);
    let cut = Switching::CutThrough { header: 0 };
    assert_eq!(ends(cut, Model::Fast), [0, 0, BYTES, BYTES]);
    assert_eq!(ends(cut, Model::Traffic), [0, 0, 2 * BYTES, BYTES]);
}
