//! Closed forms against breadth-first search and brute force.

mod bad;
mod cuts;
mod explicit;
mod large;
mod names;
mod routes;

pub(crate) use large::million;

use proptest::prelude::*;

use super::{Graph, Topology};

/// Small topologies of every kind.
pub(crate) fn any_topology() -> impl Strategy<Value = Topology> {
    let extents = || prop::collection::vec(1_u64..=5, 1..=3);
    prop_oneof![
        (1_u64..20).prop_map(|n| Topology::complete(n).unwrap()),
        (1_u64..30).prop_map(|n| Topology::linear(n).unwrap()),
        (1_u64..30).prop_map(|n| Topology::ring(n).unwrap()),
        (1_u64..20).prop_map(|n| Topology::star(n).unwrap()),
        (1_u64..20).prop_map(|n| Topology::bus(n).unwrap()),
        extents().prop_map(|extents| Topology::mesh(&extents).unwrap()),
        extents().prop_map(|extents| Topology::torus(&extents).unwrap()),
        (0_u64..7).prop_map(|dimensions| Topology::hypercube(dimensions).unwrap()),
        (2_u64..5, 0_u64..4, any::<bool>())
            .prop_map(|(arity, levels, leaves)| Topology::tree(arity, levels, leaves).unwrap()),
        (2_u64..5, prop::collection::vec(1_u64..9, 1..=3))
            .prop_map(|(arity, widths)| Topology::fat_tree(arity, &widths).unwrap()),
        (1_u64..8, 1_u64..5, 1_u64..4)
            .prop_map(|(groups, routers, hosts)| Topology::dragonfly(groups, routers, hosts).unwrap()),
        any_graph(),
    ]
}

/// A ring through all processors in random order, so that it is connected, with random links added.
fn any_graph() -> impl Strategy<Value = Topology> {
    let order = (2_u32..16).prop_flat_map(|n| Just((0..n).collect::<Vec<u32>>()).prop_shuffle());
    (order, prop::collection::vec((0_u32..16, 0_u32..16), 0..30)).prop_map(|(order, more)| {
        let n = order.len();
        let mut lists = vec![std::collections::BTreeSet::new(); n];
        for (at, &from) in order.iter().enumerate() {
            lists[from as usize].insert(order[(at + 1) % n]);
        }
        for (from, to) in more {
            let (from, to) = (from % n as u32, to % n as u32);
            if from != to {
                lists[from as usize].insert(to);
            }
        }
        let line = |list: &std::collections::BTreeSet<u32>| {
            list.iter().map(u32::to_string).collect::<Vec<_>>().join(" ") + "\n"
        };
        let text: String = lists.iter().map(line).collect();
        Topology::graph(text.parse::<Graph>().unwrap())
    })
}
