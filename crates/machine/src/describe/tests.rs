//! Drawings, and predictions against hand calculations.

use panto_units::Time;
use proptest::prelude::*;

use super::*;
use crate::cost::{Cost, PerByte, Piece, Residue};
use crate::map::RankMap;
use crate::network::{Nodes, Overheads, Switching};

fn us(micros: u64) -> Time {
    Time::from_nanos(1_000 * micros)
}

/// A link of 10 us and 1 us per byte; a header takes 2 us per link.
fn network(topology: Topology) -> Network {
    let per_byte = PerByte::from_secs(1e-6).unwrap();
    Network {
        topology,
        switching: Switching::CutThrough { header: 0 },
        link: Cost::line(us(10), per_byte),
        setup: Cost::constant(us(2)),
        occupancy: None,
        frame: None,
        random_packets: None,
        overheads: Overheads::default(),
        pipelined: false,
        flow_rates: Vec::new(),
        nodes: None,
        local: Cost::default(),
        map: RankMap::All,
    }
}

fn near(rate: Option<f64>, expected: f64) -> bool {
    rate.is_some_and(|rate| (rate / expected - 1.0).abs() < 1e-6)
}

#[test]
fn a_machine_is_described() {
    let machine = Machine::plain("m", network(Topology::hypercube(4).unwrap()));
    let description = Description::of(&machine);
    assert_eq!(description.topology, "hypercube of 4 dimensions, 16 processors");
    assert_eq!((description.processors, description.links, description.diameter), (16, 64, 4));
    assert_eq!(description.bisection, Some(8));
    assert!(near(description.link_rate, 1e6) && near(description.bisection_rate, 8e6));
    assert_eq!((description.near.distance, description.far.distance), (1, 4));
    assert_eq!(description.near.times[..2], [(0, us(12)), (8, us(20))]);
    assert_eq!(description.far.times[2], (1024, us(4 * 2 + 10 + 1024)));
    // Half of 1 MB/s is reached when the bytes take as long as the start-up: 12 us near, 18 us far.
    assert_eq!((description.near.half_size, description.far.half_size), (Some(12), Some(18)));
    assert!(near(description.far.bandwidth, 1e6));
}

#[test]
fn store_and_forward_divides_the_bandwidth() {
    let network = Network { switching: Switching::Packet, ..network(Topology::linear(5).unwrap()) };
    let description = Description::of_network(&network, Protocol::Synchronous);
    assert!(near(description.near.bandwidth, 1e6) && near(description.far.bandwidth, 0.25e6));
    assert_eq!(description.far.half_size, Some(10));
}

#[test]
fn overheads_control_messages_and_interfaces_count() {
    let overheads = Overheads {
        send: Cost::constant(us(3)),
        receive: Cost::constant(us(5)),
        control: us(7),
        ..Overheads::default()
    };
    let nodes = Nodes { size: 2, interface: Cost::constant(us(100)), inside: Cost::default() };
    let network = Network { overheads, ..network(Topology::ring(6).unwrap()) };
    let plain = us(3 + 12 + 20 + 5);
    let asked = us(2 * (7 + 12));
    for (protocol, bytes, expected) in [
        (Protocol::Buffered, 20, plain),
        (Protocol::Synchronous, 20, plain),
        (Protocol::Handshake { above: 20 }, 20, plain),
        (Protocol::Handshake { above: 19 }, 20, plain + asked),
        (Protocol::Eager { limit: 19 }, 20, plain + asked),
    ] {
        assert_eq!(one_way(&network, protocol, bytes, 1), expected, "{protocol:?}");
    }
    let network = Network { nodes: Some(nodes), ..network };
    assert_eq!(one_way(&network, Protocol::Buffered, 20, 1), plain + us(200));
    assert_eq!(one_way(&network, Protocol::Eager { limit: 0 }, 20, 1), plain + asked + us(600));
    assert_eq!(Description::of_network(&network, Protocol::Buffered).processors, 12);
}

#[test]
fn half_sizes_are_in_the_fast_residue_class() {
    let fast = Piece {
        residue: Some(Residue { modulus: 16, remainder: 0 }),
        startup: us(88),
        per_byte: PerByte::from_secs(1e-6).unwrap(),
        ..Piece::default()
    };
    let slow = Piece { startup: us(500), residue: None, ..fast };
    let network = Network { link: Cost::new(vec![fast], slow), ..network(Topology::star(4).unwrap()) };
    let description = Description::of_network(&network, Protocol::Buffered);
    // 88 us and two headers: 92 bytes, and the next multiple of 16.
    assert_eq!((description.near.distance, description.near.half_size), (2, Some(96)));
}

#[test]
fn zero_costs_have_no_rate() {
    let free =
        Network { link: Cost::default(), setup: Cost::default(), ..network(Topology::bus(2).unwrap()) };
    let description = Description::of_network(&free, Protocol::Buffered);
    assert_eq!(
        (description.link_rate, description.bisection_rate, description.near.bandwidth),
        (None, None, None)
    );
    assert_eq!(description.near.half_size, None);
}

#[test]
fn one_processor_reaches_itself() {
    let alone = network(Topology::complete(1).unwrap());
    let description = Description::of_network(&alone, Protocol::Buffered);
    assert_eq!((description.near.distance, description.diameter, description.bisection), (0, 0, None));
    assert_eq!(description.drawing, "0");
}

fn drawn(topology: Result<Topology, crate::topology::TopologyError>) -> String {
    draw::draw(&topology.unwrap())
}

#[test]
fn drawings() {
    assert_eq!(drawn(Topology::linear(4)), "0 ─ 1 ─ 2 ─ 3");
    assert_eq!(drawn(Topology::ring(3)), "┌─ 0 ─ 1 ─ 2 ─┐\n└─────────────┘");
    assert_eq!(drawn(Topology::mesh(&[2, 3])), "  0 ─ 1 ─ 2\n  │   │   │\n  3 ─ 4 ─ 5");
    assert_eq!(drawn(Topology::bus(3)), "0   1   2\n│   │   │\n═════════");
    assert_eq!(drawn(Topology::star(3)), "0   1   2\n│   │   │\n[ switch ]");
    assert_eq!(drawn(Topology::tree(2, 2, false)), "level 0: 0\nlevel 1: 1 2\nlevel 2: 3 4 │ 5 6");
    assert_eq!(
        drawn(Topology::fat_tree(4, &[1, 2])),
        "●\n║ 2 channels each way to each of 4 subtrees of 4\n│ 1 channel each way to each of 16 processors\n\
         0 1 2 3 │ 4 5 6 7 │ 8 9 10 11 │ 12 13 14 15"
    );
}

proptest! {
    #[test]
    fn pictures_stay_small(topology in crate::topology::tests::any_topology()) {
        small(&topology);
    }
}

fn small(topology: &Topology) {
    let drawing = draw::draw(topology);
    assert!((1..=13).contains(&drawing.lines().count()), "{topology}\n{drawing}");
    assert!(drawing.lines().all(|line| line.chars().count() <= 100), "{topology}\n{drawing}");
}

#[test]
fn large_drawings_have_dots() {
    for topology in crate::topology::tests::million() {
        small(&topology);
        let drawing = draw::draw(&topology);
        assert!(drawing.contains("...") || drawing.contains('·'), "{topology}\n{drawing}");
    }
}
