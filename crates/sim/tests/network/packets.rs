//! Packets on random routes.

use panto_machine::{Machine, Network, Sharing, Switching, Topology};
use panto_sim::network::{Injected, PacketCounts, Traffic, Transfer};
use panto_units::Time;
use proptest::prelude::*;

use crate::cases::{network, ps};
use crate::drive::{Habit, drive};

const SIZE: u64 = 10;

fn tree(arity: u64, widths: &[u64]) -> Network {
    let topology = Topology::fat_tree(arity, widths).unwrap();
    Network { random_packets: Some(SIZE), ..network(topology, Switching::Flow { header: 1 }) }
}

/// Sends all messages at time 0; returns when the last one has arrived, and the counts.
fn together(network: &Network, messages: &[(u32, u32, u64)]) -> (Time, PacketCounts) {
    let mut traffic = Traffic::new(network, Sharing::Links).expect("links are shared");
    for (ticket, &(from, to, bytes)) in messages.iter().enumerate() {
        let injected = traffic.inject(Time::ZERO, ticket as u32, Transfer { from, to, bytes });
        assert_eq!(injected, Injected::Pending);
    }
    let mut last = Time::ZERO;
    while let Some(time) = traffic.next() {
        traffic.advance(time, &mut |_, passage| last = last.max(passage.arrived));
    }
    (last, traffic.packets())
}

#[test]
fn a_message_alone_takes_the_time_of_the_formula() {
    let cm5 = Machine::load("cm5", &["network.random-packets=16B".to_owned()]).expect("a built-in machine");
    for network in [tree(2, &[1, 2, 3]), cm5.network] {
        for to in [1, 2, 7] {
            for bytes in [0, 1, 9, 10, 16, 1_000, 9_968, 1_000_000] {
                let passage = drive(&network, &[(ps(5), Transfer { from: 0, to, bytes })], Habit::Orderly)[0];
                let expected = network.transit(0, to, bytes);
                assert_eq!(passage.arrived, ps(5) + expected.arrives, "{bytes} to {to}");
                assert_eq!(passage.left, ps(5) + expected.leaves, "{bytes} to {to}");
            }
        }
    }
}

#[test]
fn messages_of_a_sender_share_its_port_packet_by_packet() {
    // Two times 100 bytes of 1 ps, a start-up of 10, and 4 headers of 3.
    let (last, counts) = together(&tree(2, &[1, 2]), &[(0, 2, 100), (0, 3, 100)]);
    assert_eq!((last, counts), (ps(222), PacketCounts { arrived: 20, out_of_order: 0 }));
}

/// Every processor of one half sends to the other. With as many channels as senders, routes that
/// avoid each other would take the time of a message alone; by lot some collide.
fn crossing(widths: &[u64]) -> (Time, PacketCounts) {
    let messages: Vec<(u32, u32, u64)> = (0..8).map(|from| (from, from + 8, 1_000)).collect();
    together(&tree(2, widths), &messages)
}

#[test]
fn packets_overtake_each_other_on_several_channels() {
    let (last, counts) = crossing(&[1, 2, 4, 8]);
    let alone = tree(2, &[1, 2, 4, 8]).transit(0, 8, 1_000).arrives;
    assert!(counts.arrived == 800 && counts.out_of_order > 40, "{counts:?}");
    assert!(last > alone, "{last:?} and {alone:?} alone");
    assert_eq!(crossing(&[1, 2, 4, 8]), (last, counts), "routes are reproducible");
}

proptest! {
    /// On single channels packets stay in order, whatever else is in the network.
    #[test]
    fn one_channel_keeps_the_order(
        messages in prop::collection::vec((0_u32..8, 0_u32..8, 0_u64..500), 1..20),
    ) {
        let messages: Vec<_> = messages.into_iter().filter(|(from, to, _)| from != to).collect();
        let (_, counts) = together(&tree(2, &[1, 1, 1]), &messages);
        let packets: u64 = messages.iter().map(|(_, _, bytes)| bytes.div_ceil(SIZE).max(1)).sum();
        prop_assert_eq!(counts, PacketCounts { arrived: packets, out_of_order: 0 });
    }
}
