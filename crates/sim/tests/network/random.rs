//! Random small cases against the naive references.

use panto_machine::{Network, Switching, Topology};
use panto_sim::network::{Transfer, uncontended};
use panto_units::Time;
use proptest::prelude::*;

use crate::cases::{fitted, messages, network, networks, ps};
use crate::drive::{Habit, drive};
use crate::naive::naive;

/// Topologies on which nearly all routes share links.
fn crowded() -> impl Strategy<Value = Topology> {
    let all = [
        Topology::linear(12),
        Topology::ring(9),
        Topology::torus(&[3, 4]),
        Topology::star(6),
        Topology::fat_tree(2, &[1, 2, 2, 3]),
        Topology::dragonfly(3, 2, 2),
    ];
    prop::sample::select(all.map(Result::unwrap).to_vec())
}

/// Returns whether a message takes time on each of its links. Packets have no header.
fn takes_time(network: &Network, bytes: u64) -> bool {
    let has_header = network.switching != Switching::Packet;
    network.link.of(bytes) > Time::ZERO || (has_header && network.setup.of(bytes) > Time::ZERO)
}

/// Lengthens messages that take no time by a byte: they, too, are on all links at once.
fn lasting(network: &Network, mut messages: Vec<(Time, Transfer)>) -> Vec<(Time, Transfer)> {
    for (_, load) in &mut messages {
        load.bytes += u64::from(!takes_time(network, load.bytes));
    }
    messages
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn one_message_takes_the_time_of_fast(network in networks(), messages in messages(2)) {
        let messages = fitted(&network, messages);
        let (start, load) = messages[0];
        let expected = vec![uncontended(&network, start, load)];
        prop_assert_eq!(drive(&network, &messages, Habit::Orderly), expected);
    }

    #[test]
    fn messages_far_apart_do_not_meet(network in networks(), messages in messages(10)) {
        let mut messages = fitted(&network, messages);
        for (i, (start, _)) in messages.iter_mut().enumerate() {
            *start = ps(i as u64 * 1_000_000);
        }
        let expected: Vec<_> = messages.iter().map(|(start, load)| uncontended(&network, *start, *load)).collect();
        prop_assert_eq!(drive(&network, &messages, Habit::Orderly), expected);
    }

    #[test]
    fn traffic_equals_its_reference(network in networks(), messages in messages(40)) {
        // A header that takes no time is on all links at once, and what it meets there at that
        // moment depends on the order in which messages are looked at.
        let is_instant = matches!(network.switching, Switching::CutThrough { header }
            if network.setup.of(header) == Time::ZERO);
        prop_assume!(!is_instant);
        let messages = lasting(&network, fitted(&network, messages));
        prop_assume!(messages.iter().all(|(_, load)| takes_time(&network, load.bytes)));
        prop_assert_eq!(drive(&network, &messages, Habit::Orderly), naive(&network, &messages));
    }

    #[test]
    fn the_result_does_not_depend_on_when_the_engine_asks(network in networks(), messages in messages(40)) {
        let messages = fitted(&network, messages);
        let orderly = drive(&network, &messages, Habit::Orderly);
        prop_assert_eq!(&drive(&network, &messages, Habit::Orderly), &orderly);
        prop_assert_eq!(&drive(&network, &messages, Habit::Late), &orderly);
        prop_assert_eq!(&drive(&network, &messages, Habit::Lazy), &orderly);
    }

    #[test]
    fn contention_never_speeds_up_a_message(network in networks(), messages in messages(40)) {
        let messages = fitted(&network, messages);
        for ((start, load), carried) in messages.iter().zip(drive(&network, &messages, Habit::Late)) {
            let alone = uncontended(&network, *start, *load);
            prop_assert!(alone.left <= carried.left && alone.arrived <= carried.arrived);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn crowded_flows_equal_their_reference(topology in crowded(), header in 0..3_u64, messages in messages(80)) {
        let network = network(topology, Switching::Flow { header });
        // Long enough that most are in the network together.
        let longer = |(start, load): (Time, Transfer)| (start, Transfer { bytes: load.bytes * 17 + 1, ..load });
        let messages: Vec<_> = fitted(&network, messages).into_iter().map(longer).collect();
        prop_assert_eq!(drive(&network, &messages, Habit::Orderly), naive(&network, &messages));
    }

    #[test]
    fn sparse_link_tables_give_the_same_result(header in 0..3_u64, messages in messages(60)) {
        let network = network(Topology::complete(5_000).unwrap(), Switching::Flow { header });
        // Few processors, so that messages share links.
        let near = |(start, Transfer { from, to, bytes }): (Time, Transfer)| {
            (start, Transfer { from: from % 3, to: 3 + to % 2, bytes: bytes * 17 + 1 })
        };
        let messages: Vec<_> = fitted(&network, messages).into_iter().map(near).collect();
        prop_assert_eq!(drive(&network, &messages, Habit::Orderly), naive(&network, &messages));
    }
}
