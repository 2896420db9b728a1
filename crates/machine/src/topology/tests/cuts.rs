//! Bisection widths against all partitions into halves.

use super::explicit::Explicit;
use crate::topology::Topology;

/// Small topologies of every kind.
fn small() -> Vec<Topology> {
    let mut all = Vec::new();
    for n in 1..=9 {
        let made = [Topology::complete(n), Topology::linear(n), Topology::ring(n), Topology::star(n)];
        all.extend(made.map(Result::unwrap));
    }
    let grids: [&[u64]; 10] =
        [&[2, 2], &[2, 4], &[4, 3], &[3, 4], &[3, 3], &[2, 5], &[6, 2], &[1, 6], &[2, 2, 3], &[5, 1]];
    for extents in grids {
        all.extend([Topology::mesh(extents).unwrap(), Topology::torus(extents).unwrap()]);
    }
    all.extend((0..=3).map(|dimensions| Topology::hypercube(dimensions).unwrap()));
    for (arity, levels) in [(2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (6, 1), (2, 3)] {
        all.extend(
            [Topology::tree(arity, levels, true), Topology::tree(arity, levels, false)].map(Result::unwrap),
        );
    }
    for widths in [[1, 1, 1], [1, 2, 4], [1, 1, 9], [3, 1, 2], [1, 9, 9], [4, 2, 1]] {
        all.push(Topology::fat_tree(2, &widths).unwrap());
        all.push(Topology::fat_tree(4, &widths[..1]).unwrap());
    }
    let flies = [
        (1, 2, 3),
        (2, 1, 1),
        (2, 2, 1),
        (2, 1, 4),
        (2, 2, 2),
        (2, 3, 1),
        (4, 1, 1),
        (4, 2, 1),
        (4, 1, 2),
        (6, 1, 1),
        (6, 2, 1),
        (4, 3, 1),
        (2, 3, 2),
        (4, 1, 3),
        (8, 1, 1),
        (10, 1, 1),
    ];
    all.extend(flies.map(|(groups, routers, hosts)| Topology::dragonfly(groups, routers, hosts).unwrap()));
    all
}

#[test]
fn no_partition_into_halves_cuts_fewer_links() {
    for topology in small().iter().filter(|topology| topology.processors() <= 12) {
        let least = least_cut(&Explicit::new(topology).unwrap(), topology.processors());
        match topology.bisection() {
            Some(bisection) => assert_eq!(Some(bisection), least, "{topology}"),
            None => assert!(unknown(topology), "{topology}: {least:?}"),
        }
    }
}

/// Returns whether the bisection is documented to be `None`.
fn unknown(topology: &Topology) -> bool {
    topology.processors() == 1
        || match topology {
            Topology::Mesh(grid) | Topology::Torus(grid) => grid.extents().iter().max().unwrap() % 2 == 1,
            Topology::Tree(tree) => tree.arity() % 2 == 1,
            Topology::Dragonfly(dragonfly) => dragonfly.groups() % 2 == 1,
            _ => false,
        }
}

/// The least maximum flow from any half of the processors to the other.
fn least_cut(graph: &Explicit, processors: usize) -> Option<u64> {
    let halves = (0..1_u32 << processors).filter(|half| half.count_ones() as usize == processors / 2);
    halves.filter(|half| *half != 0).map(|half| flow(graph, processors, half)).min()
}

/// The maximum flow from the processors of a set to the others, which equals the minimum cut.
fn flow(graph: &Explicit, processors: usize, half: u32) -> u64 {
    let n = graph.vertices;
    let mut capacity = vec![vec![0_u64; n]; n];
    for link in graph.links.values() {
        capacity[link.from][link.to] = link.width;
    }
    let inside = |v: usize| {
        (graph.first..graph.first + processors).contains(&v).then(|| half >> (v - graph.first) & 1)
    };
    let mut flow = 0;
    loop {
        let mut before = vec![usize::MAX; n];
        let mut queue: Vec<usize> = (0..n).filter(|v| inside(*v) == Some(1)).collect();
        for &v in &queue {
            before[v] = v;
        }
        let mut next = 0;
        let end = loop {
            let Some(&at) = queue.get(next) else { return flow };
            if inside(at) == Some(0) {
                break at;
            }
            next += 1;
            for to in 0..n {
                if capacity[at][to] > 0 && before[to] == usize::MAX {
                    before[to] = at;
                    queue.push(to);
                }
            }
        };
        let mut at = end;
        while before[at] != at {
            capacity[before[at]][at] -= 1;
            capacity[at][before[at]] += 1;
            at = before[at];
        }
        flow += 1;
    }
}
