//! Two messages between four ranks that share a link of the machine (C9).

use std::collections::BTreeMap;

use panto_machine::{LinkId, Network};

/// Ranks among which contending messages are searched: their routes grow with the square.
const MOST_RANKS: usize = 64;

/// Two messages, each from one rank to another, whose routes share a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContendingMessages {
    /// Sender and receiver of the shorter route.
    pub short: (usize, usize),
    /// Sender and receiver of the longer route.
    pub long: (usize, usize),
}

/// A message: the length of its route, then its sender and receiver.
type Message = (usize, (usize, usize));

/// Returns messages between four different ranks of the first `ranks` that share a link which
/// carries one message at a time: those with the shortest routes, ties by the lowest ranks. `None`
/// if there are no such four ranks.
pub(super) fn messages(network: &Network, ranks: usize) -> Option<ContendingMessages> {
    let found = by_link(network, ranks.min(MOST_RANKS)).into_values().filter_map(|mut messages| {
        messages.sort_unstable();
        disjoint(&messages)
    });
    found.min().map(|[short, long]| ContendingMessages { short: short.1, long: long.1 })
}

/// Returns the messages that cross each link of width 1.
fn by_link(network: &Network, ranks: usize) -> BTreeMap<LinkId, Vec<Message>> {
    let processors = network.processors();
    let size = network.nodes.as_ref().map_or(1, |nodes| nodes.size);
    let node = |rank: usize| network.map.processor(rank, processors) / size;
    let mut by_link: BTreeMap<LinkId, Vec<Message>> = BTreeMap::new();
    for (from, to) in (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to))) {
        let mut route = Vec::new();
        network.topology.route(node(from), node(to), |link| route.push(link));
        for link in route.iter().filter(|link| network.topology.width(**link) == 1) {
            by_link.entry(*link).or_default().push((route.len(), (from, to)));
        }
    }
    by_link
}

/// Returns the first two messages that have no rank in common.
fn disjoint(messages: &[Message]) -> Option<[Message; 2]> {
    let apart = |(a, b): (usize, usize), (c, d): (usize, usize)| a != c && a != d && b != c && b != d;
    messages.iter().enumerate().find_map(|(place, short)| {
        let long = messages[place + 1..].iter().find(|long| apart(short.1, long.1))?;
        Some([*short, *long])
    })
}

#[cfg(test)]
mod tests {
    use panto_machine::{Cost, Switching, Topology};

    use super::*;

    fn on(topology: Topology, ranks: usize) -> Option<[(usize, usize); 2]> {
        let network = Network::plain(topology, Switching::Packet, Cost::default());
        messages(&network, ranks).map(|found| [found.short, found.long])
    }

    #[test]
    fn the_shortest_routes_that_share_a_link() {
        let linear = Topology::linear(4).expect("a topology");
        assert_eq!(on(linear, 4), Some([(1, 2), (0, 3)]));
        // The lowest dimension comes first: 1 to 6 passes 0 and 2.
        let cube = Topology::hypercube(3).expect("a topology");
        assert_eq!(on(cube, 8), Some([(0, 2), (1, 6)]));
    }

    #[test]
    fn no_link_is_shared() {
        assert_eq!(on(Topology::complete(16).expect("a topology"), 16), None);
        assert_eq!(on(Topology::star(16).expect("a topology"), 16), None);
        assert_eq!(on(Topology::hypercube(2).expect("a topology"), 4), None);
        // A link as wide as the processors below it carries all their messages at once.
        assert_eq!(on(Topology::fat_tree(2, &[2, 4]).expect("a topology"), 8), None);
    }

    #[test]
    fn the_root_of_a_tree_and_a_bus_are_shared() {
        assert!(on(Topology::tree(2, 3, true).expect("a topology"), 4).is_some());
        assert_eq!(on(Topology::bus(4).expect("a topology"), 4), Some([(0, 1), (2, 3)]));
        assert_eq!(on(Topology::bus(4).expect("a topology"), 3), None);
    }
}
