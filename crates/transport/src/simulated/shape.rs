//! The machine's topology as a hop shape that kernels know.

use panto_machine::{Network, RankMap, Topology};
use panto_schedule::HopShape;

/// Returns the shape of the first `ranks` processors of a network. It is `Complete` where there is
/// no shape for the topology, or where ranks are not on the processors of their number.
pub(super) fn of(network: &Network, ranks: usize) -> HopShape {
    if network.map != RankMap::All || network.nodes.is_some() {
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

/// Returns the shape as [`of`] does, or a table of link counts from rank 0 to each rank where there
/// is no shape for the topology. The table is leaked: shapes are `Copy`, and there is one per run.
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
