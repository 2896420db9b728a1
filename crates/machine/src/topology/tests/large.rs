//! A million processors, and the largest topologies: nothing may need a table.

use crate::topology::{LinkId, MAX_PROCESSORS, Topology};

/// Topologies of about a million processors of each kind.
pub(crate) fn million() -> Vec<Topology> {
    let made = [
        Topology::complete(1 << 20),
        Topology::linear(1 << 20),
        Topology::ring(1 << 20),
        Topology::mesh(&[100, 100, 100]),
        Topology::torus(&[64, 128, 128]),
        Topology::hypercube(20),
        Topology::tree(4, 10, false),
        Topology::tree(10, 6, true),
        Topology::fat_tree(4, &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512]),
        Topology::dragonfly(1024, 32, 32),
        Topology::star(1 << 20),
        Topology::bus(1 << 20),
    ];
    made.map(Result::unwrap).into()
}

#[test]
fn a_million_processors_are_as_cheap_as_ten() {
    for topology in million() {
        let n = topology.processors() as u32;
        assert!(n >= 1_000_000, "{topology}");
        for step in 1..1000 {
            let (from, to) = (step * 7919 % n, (step * 104_729 + n / 2) % n);
            assert!(topology.distance(from, to) <= topology.diameter(), "{topology}");
        }
        let mut hops = 0;
        topology.route(0, n - 1, |link| {
            assert!(link < LinkId(topology.links()) && topology.width(link) > 0);
            hops += 1;
        });
        assert_eq!(hops, topology.distance(0, n - 1), "{topology}");
        assert!(topology.bisection().is_some() && topology.channels() > 0);
    }
}

#[test]
fn the_largest_topologies_do_not_overflow() {
    let most = MAX_PROCESSORS;
    let made = [
        Topology::complete(most),
        Topology::linear(most),
        Topology::ring(most),
        Topology::mesh(&[2; 30]),
        Topology::torus(&[most]),
        Topology::torus(&[most / 4, 4]),
        Topology::hypercube(30),
        Topology::tree(2, 30, true),
        Topology::tree(2, 29, false),
        Topology::tree(most, 1, true),
        Topology::fat_tree(2, &[u64::from(u32::MAX); 30]),
        Topology::dragonfly(most, 1, 1),
        Topology::dragonfly(1, most, 1),
        Topology::dragonfly(1 << 15, 1 << 15, 1),
        Topology::star(most),
    ];
    for topology in made.map(Result::unwrap) {
        let last = topology.processors() as u32 - 1;
        let mut greatest = LinkId(0);
        for (from, to) in [(last, last - 1), (last - 1, last), (last, 1), (1, last)] {
            if topology.distance(from, to) < 1000 {
                topology.route(from, to, |link| greatest = greatest.max(link));
            }
        }
        assert!(greatest < LinkId(topology.links()), "{topology}");
        assert!(topology.channels() > 0 && topology.diameter() > 0);
    }
}
