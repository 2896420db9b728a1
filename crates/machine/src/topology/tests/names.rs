//! Tests of the descriptions of topologies.

use crate::topology::{Graph, Topology};

#[test]
fn descriptions_have_kind_and_size() {
    let named = [
        (Topology::complete(1), "complete network, 1 processor"),
        (Topology::hypercube(4), "hypercube of 4 dimensions, 16 processors"),
        (Topology::torus(&[4, 4, 4]), "torus 4x4x4, 64 processors"),
        (Topology::mesh(&[3, 1]), "mesh 3x1, 3 processors"),
        (Topology::tree(2, 3, false), "tree of arity 2 and 3 levels, 15 processors"),
        (Topology::tree(2, 3, true), "tree of arity 2 and 3 levels, leaves only, 8 processors"),
        (Topology::fat_tree(4, &[1, 2]), "fat tree of arity 4 and widths 1 2, 16 processors"),
        (Topology::dragonfly(9, 4, 1), "dragonfly of 9 groups of 4 routers with 1 host, 36 processors"),
        (Topology::bus(6), "bus, 6 processors"),
        (Ok(Topology::graph("1\n0".parse::<Graph>().unwrap())), "graph, 2 processors"),
    ];
    for (topology, name) in named {
        assert_eq!(topology.unwrap().to_string(), name);
    }
}
