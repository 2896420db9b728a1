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

fn plane(extents: &[u32], shape: impl Fn(usize, usize) -> HopShape) -> HopShape {
    match extents {
        [rows, cols] => shape(*rows as usize, *cols as usize),
        _ => HopShape::Complete,
    }
}
