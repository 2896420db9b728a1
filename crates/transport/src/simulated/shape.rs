//! How far ranks are from each other, in the words that kernels know.

use panto_machine::{Map, Network, Topology};
use panto_schedule::HopShape;

/// The shape of the first `ranks` processors of a network; complete where kernels have no word for it, or where ranks are
/// not on the processors of their number.
pub(super) fn of(network: &Network, ranks: usize) -> HopShape {
    if network.map != Map::All || network.nodes.is_some() {
        return HopShape::Complete;
    }
    let whole = network.topology.processors() == ranks;
    match &network.topology {
        Topology::Hypercube { .. } if ranks.is_power_of_two() => HopShape::Hypercube,
        Topology::Linear(_) => HopShape::Linear,
        Topology::Ring(_) if whole => HopShape::Ring,
        Topology::Mesh(grid) if whole => plane(grid.extents(), |rows, cols| HopShape::Mesh { rows, cols }),
        Topology::Torus(grid) if whole => plane(grid.extents(), |rows, cols| HopShape::Torus { rows, cols }),
        _ => HopShape::Complete,
    }
}

/// The same, with the links from the place of rank 0 to those of the others where there is no word for it. The table is never
/// given back: shapes are handed about by value, and there is one in a run.
pub(super) fn listed(network: &Network, ranks: usize) -> HopShape {
    let shape = of(network, ranks);
    if shape != HopShape::Complete
        || matches!(network.topology, Topology::Complete(_) | Topology::Bus(_)) && network.nodes.is_none()
    {
        return shape;
    }
    let processors = network.processors();
    let size = network.nodes.as_ref().map_or(1, |nodes| nodes.size);
    let node = |rank: usize| network.map.processor(rank, processors) / size;
    let links: Vec<u32> = (0..ranks).map(|rank| network.topology.distance(node(0), node(rank))).collect();
    HopShape::FromFirst(Vec::leak(links))
}

fn plane(extents: &[u32], shape: impl Fn(usize, usize) -> HopShape) -> HopShape {
    match extents {
        [rows, cols] => shape(*rows as usize, *cols as usize),
        _ => HopShape::Complete,
    }
}
