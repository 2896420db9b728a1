//! Random machines.

use std::collections::BTreeMap;

use panto_machine::{
    Collectives, Cost, Machine, Map, Network, Nodes, Overheads, PerByte, Processor, Protocol, Switching,
    Topology,
};
use panto_units::Time;
use proptest::prelude::*;

/// The longest start-up: a short one lets much happen at the same moment, a long one nothing.
#[derive(Debug, Clone, Copy)]
pub enum Grain {
    Coarse = 20,
    Fine = 50_000_003,
}

/// How many processors the ranks have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// One each.
    Enough,
    /// Several ranks share one.
    Short,
}

pub fn ps(picos: u64) -> Time {
    Time::from_picos(picos)
}

pub fn per_byte(picos: u64) -> PerByte {
    PerByte::from_secs(picos as f64 * 1e-12).unwrap()
}

/// No message is for nothing: what takes no time happens before or after what happens at the same moment, as you like.
fn line(grain: Grain) -> impl Strategy<Value = Cost> {
    let most = grain as u64;
    (1..=most, 0..=most / 10).prop_map(|(startup, byte)| Cost::line(ps(startup), per_byte(byte)))
}

fn perhaps(grain: Grain) -> impl Strategy<Value = Time> {
    prop_oneof![Just(0), 1..=grain as u64].prop_map(ps)
}

fn topologies(room: Room) -> impl Strategy<Value = Topology> {
    let enough = [
        Topology::ring(8),
        Topology::hypercube(3),
        Topology::complete(8),
        Topology::torus(&[3, 3]),
        Topology::linear(8),
        Topology::bus(9),
    ];
    let short = [
        Topology::ring(3),
        Topology::hypercube(1),
        Topology::complete(1),
        Topology::torus(&[2, 2]),
        Topology::star(2),
    ];
    let all: Vec<_> = match room {
        Room::Enough => enough.into_iter().collect(),
        Room::Short => short.into_iter().collect(),
    };
    prop::sample::select(all.into_iter().map(Result::unwrap).collect::<Vec<_>>())
}

fn switchings() -> impl Strategy<Value = Switching> {
    prop_oneof![
        Just(Switching::Packet),
        (0..4_u64).prop_map(|header| Switching::CutThrough { header }),
        (0..4_u64).prop_map(|control| Switching::Circuit { control }),
        (1..40_u64).prop_map(|flit| Switching::Wormhole { flit }),
        (0..4_u64).prop_map(|header| Switching::Flow { header }),
    ]
}

fn overheads(grain: Grain) -> impl Strategy<Value = Overheads> {
    let cost = || prop_oneof![Just(Cost::default()), line(grain)];
    (cost(), cost(), perhaps(grain), perhaps(grain), perhaps(grain)).prop_map(
        |(send, receive, immediate, gap, control)| Overheads { send, receive, immediate, gap, control },
    )
}

fn nodes(grain: Grain) -> impl Strategy<Value = Option<Nodes>> {
    let some = (1..3_u32, line(grain), line(grain));
    prop_oneof![
        4 => Just(None),
        1 => some.prop_map(|(size, interface, inside)| Some(Nodes { size, interface, inside })),
    ]
}

fn networks(grain: Grain, room: Room) -> impl Strategy<Value = Network> {
    let parts = (
        topologies(room),
        switchings(),
        line(grain),
        line(grain),
        overheads(grain),
        nodes(grain),
        line(grain),
    );
    parts.prop_map(|(topology, switching, link, setup, overheads, nodes, local)| Network {
        topology,
        switching,
        link,
        setup,
        occupancy: None,
        frame: None,
        overheads,
        nodes,
        local,
        map: Map::All,
    })
}

pub fn machines(grain: Grain, room: Room) -> impl Strategy<Value = Machine> {
    let most = grain as u64;
    let rest = (any::<bool>(), 0..=most / 10, 1..=most);
    (networks(grain, room), rest).prop_map(move |(network, (copies_unexpected, copy, poll))| Machine {
        name: "random".into(),
        about: String::new(),
        network,
        networks: BTreeMap::new(),
        protocol: Protocol::Buffered,
        processor: Processor {
            copies_unexpected,
            copy: per_byte(copy),
            poll: ps(poll),
            ..Processor::default()
        },
        storage: Cost::default(),
        collectives: Collectives::default(),
        multitasking: room == Room::Short,
        traffic: false,
        sources: Vec::new(),
    })
}
