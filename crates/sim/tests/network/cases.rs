//! Small networks and messages, chosen so that many events coincide.

use panto_machine::{Cost, Network, Nodes, Overheads, PerByte, Piece, RankMap, Residue, Switching, Topology};
use panto_sim::network::Transfer;
use panto_units::Time;
use proptest::prelude::*;

pub fn ps(picos: u64) -> Time {
    Time::from_picos(picos)
}

/// A rate in thousandths of a picosecond per byte.
pub fn per_byte(thousandths: u32) -> PerByte {
    PerByte::from_secs(f64::from(thousandths) * 1e-15).unwrap()
}

/// A link on which a header takes 3 ps, a byte 1 ps, and a message 10 ps more.
pub fn network(topology: Topology, switching: Switching) -> Network {
    Network {
        topology,
        switching,
        link: Cost::line(ps(10), per_byte(1_000)),
        setup: Cost::constant(ps(3)),
        occupancy: None,
        frame: None,
        random_packets: None,
        overheads: Overheads::default(),
        pipelined: false,
        flow_rates: Vec::new(),
        nodes: None,
        local: Cost::constant(ps(7)),
        map: RankMap::All,
    }
}

pub fn topologies() -> Vec<Topology> {
    [
        Topology::complete(5),
        Topology::linear(5),
        Topology::ring(6),
        Topology::mesh(&[3, 2]),
        Topology::torus(&[4, 3]),
        Topology::hypercube(3),
        Topology::tree(2, 2, false),
        Topology::tree(3, 2, true),
        Topology::fat_tree(2, &[1, 2, 3]),
        Topology::fat_tree(3, &[2, 1]),
        Topology::dragonfly(3, 2, 2),
        Topology::star(5),
        Topology::bus(4),
        // A unidirectional ring with a shortcut.
        Ok(Topology::graph("1\n2 4\n3\n4\n0\n".parse().unwrap())),
        // Too many links for a table: only those in use are stored.
        Topology::complete(1 << 13),
    ]
    .map(Result::unwrap)
    .into()
}

pub fn switchings() -> impl Strategy<Value = Switching> {
    prop_oneof![
        Just(Switching::Packet),
        (0..4_u64).prop_map(|header| Switching::CutThrough { header }),
        (0..4_u64).prop_map(|control| Switching::Circuit { control }),
        (1..9_u64).prop_map(|flit| Switching::Wormhole { flit }),
        (0..4_u64).prop_map(|header| Switching::Flow { header }),
    ]
}

fn pieces() -> impl Strategy<Value = Piece> {
    let packet = prop_oneof![Just(None), (1..20_u64).prop_map(Some)];
    let residue = prop_oneof![
        Just(None),
        Just(Some(Residue { modulus: 4, remainder: 0 })),
        Just(Some(Residue { modulus: 3, remainder: 1 }))
    ];
    let up_to = prop_oneof![Just(None), (0..40_u64).prop_map(Some)];
    let speed = prop_oneof![Just(0), Just(1_000), Just(2_000), Just(700), Just(1_333)];
    (up_to, residue, 0..12_u64, packet, speed).prop_map(|(up_to, residue, startup, packet, speed)| Piece {
        up_to,
        residue,
        startup: ps(startup),
        packet,
        per_byte: per_byte(speed),
    })
}

fn costs() -> impl Strategy<Value = Cost> {
    (prop::collection::vec(pieces(), 0..3), pieces()).prop_map(|(pieces, last)| Cost::new(pieces, last))
}

fn nodes() -> impl Strategy<Value = Option<Nodes>> {
    let some = (1..4_u32, costs(), costs());
    prop_oneof![
        3 => Just(None),
        1 => some.prop_map(|(size, interface, inside)| Some(Nodes { size, interface, inside })),
    ]
}

pub fn networks() -> impl Strategy<Value = Network> {
    let parts = (
        prop::sample::select(topologies()),
        switchings(),
        (costs(), costs(), prop::option::weighted(0.3, costs()), prop::option::of(0..40_u64)),
        nodes(),
        costs(),
        limits(),
    );
    parts.prop_map(|(topology, switching, (link, setup, occupancy, frame), nodes, local, limits)| {
        let is_flow = matches!(switching, Switching::Flow { .. });
        let (occupancy, frame) = (occupancy.filter(|_| is_flow), frame.filter(|_| is_flow));
        let may_limit = is_flow && frame.is_none() && nodes.is_none();
        let (overheads, pipelined, flow_rates) = limits;
        Network {
            pipelined: pipelined && may_limit && !matches!(topology, Topology::Bus(_)),
            flow_rates: if may_limit && matches!(topology, Topology::FatTree(_)) {
                flow_rates
            } else {
                Vec::new()
            },
            link,
            setup,
            occupancy,
            frame,
            overheads,
            nodes,
            local,
            ..network(topology, switching)
        }
    })
}

/// Overheads, whether flows are pipelined, and their rates by level of a fat tree.
fn limits() -> impl Strategy<Value = (Overheads, bool, Vec<PerByte>)> {
    let rates = prop::collection::vec(prop_oneof![Just(500), Just(1_500), Just(4_000)], 0..3);
    (costs(), costs(), any::<bool>(), rates).prop_map(|(send, receive, pipelined, rates)| {
        let overheads = Overheads { send, receive, ..Overheads::default() };
        (overheads, pipelined, rates.into_iter().map(per_byte).collect())
    })
}

/// Messages with their injection times. Many coincide, and processors are few.
pub fn messages(most: usize) -> impl Strategy<Value = Vec<(Time, Transfer)>> {
    let gap = prop_oneof![3 => Just(0), 2 => 0..10_u64, 1 => 0..100_u64];
    let bytes = prop_oneof![0..5_u64, 0..60_u64, Just(24), Just(1_000)];
    prop::collection::vec((gap, 0..12_u32, 0..12_u32, bytes), 1..most).prop_map(|raw| {
        let mut now = 0;
        let mut message = |(gap, from, to, bytes)| {
            now += gap;
            (ps(now), Transfer { from, to, bytes })
        };
        raw.into_iter().map(&mut message).collect()
    })
}

/// Restricts messages to processors of the network.
pub fn fitted(network: &Network, mut messages: Vec<(Time, Transfer)>) -> Vec<(Time, Transfer)> {
    let processors = network.processors() as u32;
    for (_, load) in &mut messages {
        load.from %= processors;
        load.to %= processors;
    }
    messages
}
