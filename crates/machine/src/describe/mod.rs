//! Descriptions of a model: its shape, and the times of messages without contention.

mod draw;
mod times;

#[cfg(test)]
mod tests;

use panto_units::Time;

use crate::machine::{Machine, Protocol};
use crate::network::Network;
use crate::topology::Topology;

pub use times::one_way;

/// The sizes in bytes for which times are predicted.
pub const SIZES: [u64; 5] = [0, 8, 1 << 10, 64 << 10, 1 << 20];

/// The description of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The topology as text.
    pub topology: String,
    /// A small drawing of the topology, at most about a dozen lines.
    pub drawing: String,
    /// The processors of all nodes.
    pub processors: usize,
    /// Directed links; a pool counts with its width.
    pub links: u64,
    /// The links of the longest route.
    pub diameter: u32,
    /// Directed links from one half to the other, if a formula is known.
    pub bisection: Option<u64>,
    /// The bandwidth of one link in bytes per second, if it is finite.
    pub link_rate: Option<f64>,
    /// The bandwidth from one half to the other in bytes per second.
    pub bisection_rate: Option<f64>,
    /// Messages between two neighbours.
    pub near: PathTimes,
    /// Messages over the diameter.
    pub far: PathTimes,
}

/// The times of messages over one distance without contention, including overheads and control
/// messages.
#[derive(Debug, Clone, PartialEq)]
pub struct PathTimes {
    /// The number of links.
    pub distance: u32,
    /// Sizes with their times: 0 B, 8 B, 1 KiB, 64 KiB and 1 MiB.
    pub times: Vec<(u64, Time)>,
    /// The asymptotic bandwidth in bytes per second, if it is finite.
    pub bandwidth: Option<f64>,
    /// The smallest size that reaches half of that bandwidth (Hockney's n1/2).
    pub half_size: Option<u64>,
}

impl Description {
    /// Describes the network of point-to-point messages.
    pub fn of(machine: &Machine) -> Self {
        Self::of_network(&machine.network, machine.protocol)
    }

    /// Describes a network with this protocol of standard sends.
    pub fn of_network(network: &Network, protocol: Protocol) -> Self {
        let topology = &network.topology;
        let (diameter, bisection) = (topology.diameter(), topology.bisection());
        // That of the link itself, whatever limits a single flow.
        let link_rate = times::rate(|bytes| network.switching.time(bytes, 1, &network.link, &network.setup));
        Self {
            topology: topology.to_string(),
            drawing: draw::draw(topology),
            processors: network.processors(),
            links: topology.channels(),
            diameter,
            bisection,
            link_rate,
            bisection_rate: bisection.zip(link_rate).map(|(links, rate)| links as f64 * rate),
            near: times::reach(network, protocol, nearest(topology)),
            far: times::reach(network, protocol, diameter),
        }
    }
}

/// The distance between two nearest processors, which is more than 1 behind a switch.
fn nearest(topology: &Topology) -> u32 {
    match topology {
        _ if topology.processors() < 2 => 0,
        Topology::Graph(_) => 1,
        _ => topology.distance(0, 1),
    }
}
