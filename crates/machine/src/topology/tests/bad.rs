//! Invalid topologies and graph files.

use proptest::prelude::*;

use crate::topology::{Graph, GraphError, Topology, TopologyError};

fn message(result: Result<Topology, TopologyError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn invalid_numbers_are_reported_with_the_limit() {
    let at_most = "the maximum is 1073741824";
    let cases = [
        (Topology::ring(0), "0 processors of a ring: the minimum is 1"),
        (Topology::mesh(&[]), "0 dimensions of a grid: the minimum is 1"),
        (Topology::mesh(&[3, 0]), "0 processors along a dimension of a grid: the minimum is 1"),
        (Topology::hypercube(31), "31 dimensions of a hypercube: the maximum is 30"),
        (Topology::tree(1, 3, false), "1 children of a vertex of a tree: the minimum is 2"),
        (Topology::fat_tree(4, &[]), "0 widths of a fat tree: the minimum is 1"),
        (Topology::fat_tree(4, &[1, 0]), "0 channels of a fat tree's pool: the minimum is 1"),
        (Topology::dragonfly(3, 0, 1), "0 routers of a dragonfly's group: the minimum is 1"),
    ];
    for (result, expected) in cases {
        assert_eq!(message(result), expected);
    }
    assert_eq!(
        message(Topology::complete(1_000_000_000_000)),
        format!("1000000000000 processors of a complete network: {at_most}")
    );
    assert_eq!(
        message(Topology::torus(&[1_000_000, 1_000_000])),
        format!("torus 1000000x1000000 has too many processors: {at_most} (2^30)")
    );
}

#[test]
fn too_large_topologies_are_errors() {
    let max = u64::MAX;
    let results = [
        Topology::linear(max),
        Topology::mesh(&[max; 9]),
        Topology::torus(&[1; 1000]),
        Topology::hypercube(max),
        Topology::tree(2, max, true),
        Topology::tree(2, 30, false),
        Topology::tree(max, 2, true),
        Topology::fat_tree(max, &[1]),
        Topology::fat_tree(2, &[1; 31]),
        Topology::fat_tree(2, &[max]),
        Topology::dragonfly(max, max, max),
        Topology::dragonfly(1 << 11, 1 << 10, 1 << 10),
    ];
    for result in results {
        assert!(message(result).contains("the maximum is"));
    }
}

fn wrong(text: &str) -> GraphError {
    text.parse::<Graph>().unwrap_err()
}

#[test]
fn graphs_may_be_labelled_and_commented() {
    let plain: Graph = "1 2\n2\n0\n".parse().unwrap();
    let labelled: Graph = "# ring\n\n2: 0 # back\n0 : 1, 2\r\n1:\t2".parse().unwrap();
    assert_eq!(plain, labelled);
    assert_eq!(plain.neighbours(0), [1, 2]);
    let alone: Graph = "0:".parse().unwrap();
    assert_eq!(Topology::graph(alone).processors(), 1);
}

#[test]
fn invalid_graphs_are_reported_with_the_line() {
    assert_eq!(wrong("# nothing\n\n"), GraphError::Empty);
    assert_eq!(wrong("1\n# x\n0 zwei"), GraphError::NotANumber { line: 3, found: "zwei".into() });
    assert_eq!(wrong("1\n-1"), GraphError::NotANumber { line: 2, found: "-1".into() });
    assert_eq!(wrong("x: 1"), GraphError::NotANumber { line: 1, found: "x".into() });
    assert_eq!(wrong("1\n1: 0"), GraphError::Mixed { line: 2 });
    assert_eq!(wrong("1\n0 2"), GraphError::NoSuchProcessor { line: 2, number: 2, processors: 2 });
    assert_eq!(wrong("0: 1\n7: 0"), GraphError::NoSuchProcessor { line: 2, number: 7, processors: 2 });
    assert_eq!(wrong("1\n1 0"), GraphError::ToItself { line: 2, processor: 1 });
    assert_eq!(wrong("1 1\n0"), GraphError::Twice { line: 1, processor: 1 });
    assert_eq!(wrong("0: 1\n0: 1"), GraphError::Twice { line: 2, processor: 0 });
    assert_eq!(wrong("1\n0\n3\n2"), GraphError::Unreachable { from: 0, to: 2 });
    assert_eq!(wrong("1\n0\n0"), GraphError::Unreachable { from: 0, to: 2 });
    assert_eq!(wrong("1 2\n2\n1"), GraphError::Unreachable { from: 1, to: 0 });
}

#[test]
fn graphs_have_limits() {
    let long = "1\n".repeat(Graph::MAX_PROCESSORS + 1);
    assert!(matches!(wrong(&long), GraphError::ToItself { line: 2, .. }));
    let chain: String = (1..=Graph::MAX_PROCESSORS + 1).map(|i| i.to_string() + "\n").collect();
    assert_eq!(
        wrong(&chain),
        GraphError::TooMany { what: "processors", line: 4097, most: Graph::MAX_PROCESSORS }
    );
    let wide = "1 ".repeat(Graph::MAX_LINKS + 1);
    assert_eq!(wrong(&wide), GraphError::TooMany { what: "links", line: 1, most: Graph::MAX_LINKS });
}

proptest! {
    #[test]
    fn garbage_is_refused_without_panic(text in "[0-9 :,#\n]{0,60}|\\PC{0,60}") {
        if let Ok(graph) = text.parse::<Graph>() {
            let topology = Topology::graph(graph);
            let last = topology.processors() as u32 - 1;
            prop_assert!(topology.distance(0, last) <= topology.diameter());
        }
    }
}
