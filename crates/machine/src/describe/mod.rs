//! What a model promises before anything runs on it: its shape, and what a lone message takes.

mod draw;
mod predict;

#[cfg(test)]
mod tests;

use panto_units::Time;

use crate::machine::{Machine, Protocol};
use crate::network::Network;
use crate::topology::Topology;

pub use predict::one_way;

/// The sizes for which times are predicted.
pub const SIZES: [u64; 5] = [0, 8, 1 << 10, 64 << 10, 1 << 20];

/// A network in figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The topology in words.
    pub topology: String,
    /// A small picture of it, at most about a dozen lines.
    pub drawing: String,
    /// Where ranks can run: with nodes, the processors of all of them.
    pub processors: usize,
    /// Directed links; a pool counts as many as it is wide.
    pub links: u64,
    /// Links of the longest way.
    pub diameter: u32,
    /// Directed links from one half to the other, where a formula is known.
    pub bisection: Option<u64>,
    /// Bytes a second of one link, if they take any time.
    pub link_rate: Option<f64>,
    /// Bytes a second from one half to the other.
    pub bisection_rate: Option<f64>,
    /// A lone message between two neighbours.
    pub near: Reach,
    /// A lone message over the diameter.
    pub far: Reach,
}

/// What lone messages over one distance take, overheads and control messages among it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// How many links.
    pub distance: u32,
    /// Times of 0 B, 8 B, 1 KiB, 64 KiB and 1 MiB.
    pub times: Vec<(u64, Time)>,
    /// Bytes a second of messages without end, if they take any time.
    pub bandwidth: Option<f64>,
    /// The smallest size with half of that bandwidth.
    pub half_size: Option<u64>,
}

impl Description {
    /// Describes the network of messages between two ranks.
    pub fn of(machine: &Machine) -> Self {
        Self::of_network(&machine.network, machine.protocol)
    }

    /// Describes a network on which a standard send behaves so.
    pub fn of_network(network: &Network, protocol: Protocol) -> Self {
        let topology = &network.topology;
        let (diameter, bisection) = (topology.diameter(), topology.bisection());
        let link_rate = predict::rate(|bytes| network.time(bytes, 1));
        Self {
            topology: topology.to_string(),
            drawing: draw::draw(topology),
            processors: network.processors(),
            links: topology.channels(),
            diameter,
            bisection,
            link_rate,
            bisection_rate: bisection.zip(link_rate).map(|(links, rate)| links as f64 * rate),
            near: predict::reach(network, protocol, nearest(topology)),
            far: predict::reach(network, protocol, diameter),
        }
    }
}

/// Links between two processors that are as near as any. Behind a switch that is more than one.
fn nearest(topology: &Topology) -> u32 {
    match topology {
        _ if topology.processors() < 2 => 0,
        Topology::Graph(_) => 1,
        _ => topology.distance(0, 1),
    }
}
