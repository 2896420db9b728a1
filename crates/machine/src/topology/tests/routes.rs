//! Routes are shortest paths of consecutive links.

use proptest::prelude::*;

use super::any_topology;
use super::explicit::Explicit;
use crate::topology::{LinkId, Topology};

fn route(topology: &Topology, from: u32, to: u32) -> Vec<u64> {
    let mut links = Vec::new();
    topology.route(from, to, |LinkId(link)| links.push(link));
    links
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn links_are_numbered_below_their_bound(topology in any_topology()) {
        if let Some(graph) = Explicit::new(&topology) {
            prop_assert!(graph.links.keys().all(|link| *link < topology.links()));
            prop_assert!(graph.links.iter().all(|(id, link)| u64::from(topology.width(LinkId(*id))) == link.width));
            prop_assert_eq!(topology.channels(), graph.links.values().map(|link| link.width).sum::<u64>());
        }
    }

    #[test]
    fn routes_are_shortest_ways_that_join_up(topology in any_topology()) {
        let Some(graph) = Explicit::new(&topology) else { return Ok(()) };
        let n = topology.processors();
        let mut farthest = 0;
        for from in 0..n {
            let distances = graph.distances(from);
            for (to, &distance) in distances.iter().enumerate().take(n) {
                let links = route(&topology, from as u32, to as u32);
                prop_assert_eq!(links.len() as u32, distance, "from {} to {}", from, to);
                prop_assert_eq!(topology.distance(from as u32, to as u32), distance);
                let mut at = graph.first + from;
                for link in links {
                    let link = graph.link(LinkId(link));
                    prop_assert_eq!(link.from, at);
                    at = link.to;
                }
                prop_assert_eq!(at, graph.first + to);
                farthest = farthest.max(distance);
            }
        }
        prop_assert_eq!(topology.diameter(), farthest);
    }
}

#[test]
fn e_cube_takes_the_lowest_dimension_first() {
    let cube = Topology::hypercube(3).unwrap();
    // From 000 over 001 and 011 to 111: links 3 v + i.
    assert_eq!(route(&cube, 0, 7), [0, 3 + 1, 9 + 2]);
    assert_eq!(route(&cube, 7, 0), [21, 18 + 1, 12 + 2]);
}

#[test]
fn a_torus_of_twos_is_a_hypercube() {
    let (torus, cube) = (Topology::torus(&[2, 2, 2, 2]).unwrap(), Topology::hypercube(4).unwrap());
    for (from, to) in (0..16).flat_map(|from| (0..16).map(move |to| (from, to))) {
        let halved: Vec<u64> = route(&torus, from, to).iter().map(|link| link / 2).collect();
        assert_eq!(halved, route(&cube, from, to));
    }
    assert_eq!(torus.channels(), cube.channels());
    assert_eq!(torus.bisection(), cube.bisection());
}

#[test]
fn grids_take_the_last_dimension_first() {
    let mesh = Topology::mesh(&[3, 4]).unwrap();
    // From (0, 0) over (0, 1) and (0, 2) to (1, 2): links 2 (2 v + i).
    assert_eq!(route(&mesh, 0, 6), [0, 4, 8 + 2]);
}

#[test]
fn ties_go_upwards() {
    let ring = Topology::ring(4).unwrap();
    assert_eq!(route(&ring, 1, 3), [2, 4]);
    assert_eq!(route(&ring, 3, 1), [6, 0]);
    assert_eq!(route(&Topology::torus(&[4]).unwrap(), 3, 1), [6, 0]);
}

#[test]
fn a_bus_has_one_link() {
    let bus = Topology::bus(5).unwrap();
    assert_eq!(route(&bus, 1, 3), [0]);
    assert_eq!(route(&bus, 3, 1), [0]);
    assert_eq!(route(&bus, 3, 3), [] as [u64; 0]);
    assert_eq!((bus.distance(0, 4), bus.distance(4, 4), bus.links(), bus.diameter()), (1, 0, 1, 1));
}

#[test]
fn the_cm5_has_levels_of_four() {
    let cm5 = Topology::fat_tree(4, &[1, 2, 4, 16, 64]).unwrap();
    assert_eq!(cm5.processors(), 1024);
    assert_eq!([1, 3, 4, 15, 16, 64, 256, 1023].map(|to| cm5.distance(0, to)), [2, 2, 4, 4, 6, 8, 10, 10]);
    let widths: Vec<u32> = route(&cm5, 0, 1023).into_iter().map(|link| cm5.width(LinkId(link))).collect();
    assert_eq!(widths, [1, 2, 4, 16, 64, 64, 16, 4, 2, 1]);
    assert_eq!(cm5.bisection(), Some(128));
}
