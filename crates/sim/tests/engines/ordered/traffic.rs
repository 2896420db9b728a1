//! Messages that share a link.

use panto_machine::{Cost, Machine, Network, Switching, Topology};
use panto_sim::Sharing;
use panto_sim::program::Op;
use panto_units::Time;

use super::wildcards::{channel, program, send};
use crate::log::run;
use crate::machines::{per_byte, ps};

const BYTES: u64 = 10_000;

/// Returns the ends of the ranks, in picoseconds, when ranks 0 and 1 send to ranks 3 and 2 over the
/// link from 1 to 2.
fn ends(switching: Switching, model: Sharing) -> Vec<u64> {
    let link = Cost::line(ps(0), per_byte(1));
    let machine = Machine::plain("line", Network::plain(Topology::linear(4).unwrap(), switching, link));
    let program = program(
        vec![channel(0, 3, 0), channel(1, 2, 0)],
        Vec::new(),
        vec![
            vec![send(0, BYTES)],
            vec![send(1, BYTES)],
            vec![Op::Receive { channel: 1 }],
            vec![Op::Receive { channel: 0 }],
        ],
    );
    run(&machine, model, &program).0.unwrap().into_iter().map(Time::as_picos).collect()
}

#[test]
fn a_shared_link_halves_the_bandwidth() {
    let flow = Switching::Flow { header: 0 };
    assert_eq!(ends(flow, Sharing::None), [0, 0, BYTES, BYTES]);
    assert_eq!(ends(flow, Sharing::Links), [0, 0, 2 * BYTES, 2 * BYTES]);
}

/// With packet switching the shared link carries whole messages: that of rank 1 first; that of rank
/// 0 reaches the link when it is idle again.
#[test]
fn packets_queue() {
    assert_eq!(ends(Switching::Packet, Sharing::None), [0, 0, BYTES, 3 * BYTES]);
    assert_eq!(ends(Switching::Packet, Sharing::Links), [0, 0, BYTES, 3 * BYTES]);
    let cut = Switching::CutThrough { header: 0 };
    assert_eq!(ends(cut, Sharing::None), [0, 0, BYTES, BYTES]);
    assert_eq!(ends(cut, Sharing::Links), [0, 0, 2 * BYTES, BYTES]);
}
