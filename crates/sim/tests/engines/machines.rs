//! Random machines.

use std::collections::BTreeMap;

use panto_machine::{
    Collectives, Cost, Machine, Network, Nodes, Overheads, PerByte, Processor, Protocol, RankMap, Sharing,
    Switching, Topology,
};
use panto_units::Time;
use proptest::prelude::*;

/// The longest start-up time, in picoseconds: with a short one many events have the same time, with
/// a long one hardly any do.
#[derive(Debug, Clone, Copy)]
pub enum Grain {
    Coarse = 20,
    Fine = 50_000_003,
}

/// How ranks are placed on processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Each rank has its own processor.
    Dedicated,
    /// Several ranks share a processor.
    Shared,
}

pub fn ps(picos: u64) -> Time {
    Time::from_picos(picos)
}

pub fn per_byte(picos: u64) -> PerByte {
    PerByte::from_secs(picos as f64 * 1e-12).unwrap()
}

/// Generates costs with a positive start-up time: events that take no time could be ordered before
/// or after others of the same time, and both orders would be valid.
fn lines(grain: Grain) -> impl Strategy<Value = Cost> {
    let max = grain as u64;
    (1..=max, 0..=max / 10).prop_map(|(startup, byte)| Cost::line(ps(startup), per_byte(byte)))
}

fn optional_times(grain: Grain) -> impl Strategy<Value = Time> {
    prop_oneof![Just(0), 1..=grain as u64].prop_map(ps)
}

fn topologies(placement: Placement) -> impl Strategy<Value = Topology> {
    let dedicated = [
        Topology::ring(8),
        Topology::hypercube(3),
        Topology::complete(8),
        Topology::torus(&[3, 3]),
        Topology::linear(8),
        Topology::bus(9),
        Topology::fat_tree(2, &[1, 1, 2]),
    ];
    let shared = [
        Topology::ring(3),
        Topology::hypercube(1),
        Topology::complete(1),
        Topology::torus(&[2, 2]),
        Topology::star(2),
    ];
    let all: Vec<_> = match placement {
        Placement::Dedicated => dedicated.into_iter().collect(),
        Placement::Shared => shared.into_iter().collect(),
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
    let cost = || prop_oneof![Just(Cost::default()), lines(grain)];
    (cost(), cost(), optional_times(grain), optional_times(grain), optional_times(grain)).prop_map(
        |(send, receive, immediate, gap, control)| Overheads { send, receive, immediate, gap, control },
    )
}

fn nodes(grain: Grain) -> impl Strategy<Value = Option<Nodes>> {
    let some = (1..3_u32, lines(grain), lines(grain));
    prop_oneof![
        4 => Just(None),
        1 => some.prop_map(|(size, interface, inside)| Some(Nodes { size, interface, inside })),
    ]
}

fn networks(grain: Grain, placement: Placement) -> impl Strategy<Value = Network> {
    let parts = (
        topologies(placement),
        switchings(),
        lines(grain),
        lines(grain),
        overheads(grain),
        nodes(grain),
        lines(grain),
        limits(grain),
    );
    parts.prop_map(|(topology, switching, link, setup, overheads, nodes, local, (pipelined, rates))| {
        let is_flow = matches!(switching, Switching::Flow { .. }) && nodes.is_none();
        let (is_bus, is_tree) =
            (matches!(topology, Topology::Bus(_)), matches!(topology, Topology::FatTree(_)));
        Network {
            pipelined: pipelined && is_flow && !is_bus,
            flow_rates: if is_flow && is_tree { rates } else { Vec::new() },
            topology,
            switching,
            link,
            setup,
            occupancy: None,
            frame: None,
            random_packets: None,
            overheads,
            nodes,
            local,
            map: RankMap::All,
        }
    })
}

/// Whether flows are pipelined, and their rates by level.
fn limits(grain: Grain) -> impl Strategy<Value = (bool, Vec<PerByte>)> {
    let rate = (0..=grain as u64 / 10).prop_map(per_byte);
    (any::<bool>(), prop::collection::vec(rate, 0..4))
}

pub fn machines(grain: Grain, placement: Placement) -> impl Strategy<Value = Machine> {
    let max = grain as u64;
    let rest = (any::<bool>(), 0..=max / 10, 1..=max);
    (networks(grain, placement), rest).prop_map(move |(network, (copies_unexpected, copy, poll))| Machine {
        name: "random".into(),
        about: String::new(),
        quality: None,
        network,
        networks: BTreeMap::new(),
        protocol: Protocol::Buffered,
        buffer: None,
        processor: Processor {
            copies_unexpected,
            copy: per_byte(copy),
            poll: ps(poll),
            ..Processor::default()
        },
        storage: Cost::default(),
        collectives: Collectives::default(),
        multitasking: placement == Placement::Shared,
        sharing: Sharing::default(),
        sources: Vec::new(),
    })
}
