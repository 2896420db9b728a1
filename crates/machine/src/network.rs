//! A network: topology, links, switching, and the time of a message without contention.

use panto_units::Time;

use crate::cost::{Cost, PerByte, Scale};
use crate::map::RankMap;
use crate::topology::Topology;

/// The switching: how a message travels over several links (P9). Each variant states the time of a
/// message of s bytes over d links without contention, where t is the cost of a link and t0 that of
/// a header or control packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Switching {
    /// Store and forward: d t(s).
    Packet,
    /// Virtual cut-through: d t0(h) + t(s).
    CutThrough {
        /// Bytes of the header h.
        header: u64,
    },
    /// Circuit: d t0(c) + t(s).
    Circuit {
        /// Bytes of the control packet c.
        control: u64,
    },
    /// Wormhole: (d - 1 + ceil(s / f)) t(f).
    Wormhole {
        /// Bytes of a flit f. Not 0.
        flit: u64,
    },
    /// Flows, d t0(h) + t(s) as with cut-through; under contention they share links max-min fairly.
    /// [`Network::pipelined`] and [`Network::flow_rates`] may limit the rate of a flow, and then
    /// t(s) is longer.
    Flow {
        /// Bytes of the header h.
        header: u64,
    },
}

/// The overheads of a message on the processors (`LogGP`'s o and g), in addition to the network
/// time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overheads {
    /// The sender's overhead, before the message enters the network.
    pub send: Cost,
    /// The receiver's overhead, after the message has arrived.
    pub receive: Cost,
    /// Added to either for a non-blocking operation.
    pub immediate: Time,
    /// The gap g: the minimum time between two messages that a rank injects.
    pub gap: Time,
    /// The overhead of each request to send and clear to send.
    pub control: Time,
}

/// Nodes of several processors that share a network interface (T5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nodes {
    /// Processors of a node, not 0. Processor p is on node p / size.
    pub size: u32,
    /// The time for which a message occupies its sender's interface, and again its receiver's.
    pub interface: Cost,
    /// The time of a message between processors of one node.
    pub inside: Cost,
}

/// The times from the start of a message until it has left and until it has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transit {
    /// The last byte has left the sender, which is free. With circuit and wormhole switching this
    /// is at the end.
    pub leaves: Time,
    /// The last byte has arrived.
    pub arrives: Time,
}

/// The times of the parts of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowParts {
    /// The start-up, before its data moves.
    pub startup: Time,
    /// The time of its data without contention.
    pub alone: Time,
    /// The time of its data if it had nothing but links to pass: what it takes of their capacity.
    pub on_links: Time,
}

impl Transit {
    fn at(time: Time) -> Self {
        Self { leaves: time, arrives: time }
    }
}

/// A network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// The processors and links.
    pub topology: Topology,
    /// How messages travel over several links.
    pub switching: Switching,
    /// The time t(s) of a message of s bytes over one link.
    pub link: Cost,
    /// The time t0(s) of a header or control packet of s bytes over one link.
    pub setup: Cost,
    /// The time for which a message occupies a link for other flows, if that is not the byte time
    /// of `link`: `LogGP`'s g and G, which are less than the time of a message where switches store
    /// and forward it.
    pub occupancy: Option<Cost>,
    /// The frame size of flows in bytes: links serve waiting messages round robin, one frame each,
    /// and messages between the same two processors follow each other. `None` for max-min fair
    /// shares.
    pub frame: Option<u64>,
    /// The packet size of flows on random routes in bytes: each packet takes one of the channels of
    /// a link by lot. `None` if messages share the channels of a link as a whole.
    pub random_packets: Option<u64>,
    /// The overheads on the processors.
    pub overheads: Overheads,
    /// Whether the bytes of a flow pass its sender, the links and its receiver at the same time, so
    /// that the slowest of them determines the time of the data. Otherwise each of them takes its
    /// time per byte after the other.
    pub pipelined: bool,
    /// The least time per byte of a flow by the level of the fat tree at which its route turns,
    /// from 1; the last one applies to all levels above. Unlike the width of a link, it limits a
    /// flow that is alone. Empty if there is no such limit.
    pub flow_rates: Vec<PerByte>,
    /// Nodes of several processors, if any.
    pub nodes: Option<Nodes>,
    /// The time of a message between two ranks on one processor (d = 0).
    pub local: Cost,
    /// The processors on which ranks run.
    pub map: RankMap,
}

impl Network {
    /// A network on which only the links take time.
    pub fn plain(topology: Topology, switching: Switching, link: Cost) -> Self {
        Self {
            topology,
            switching,
            link,
            setup: Cost::default(),
            occupancy: None,
            frame: None,
            random_packets: None,
            overheads: Overheads::default(),
            pipelined: false,
            flow_rates: Vec::new(),
            nodes: None,
            local: Cost::default(),
            map: RankMap::All,
        }
    }

    /// Returns the network with all its times multiplied.
    #[must_use]
    pub fn scaled(&self, by: Scale) -> Self {
        let overheads = &self.overheads;
        Self {
            link: self.link.scaled(by),
            setup: self.setup.scaled(by),
            occupancy: self.occupancy.as_ref().map(|cost| cost.scaled(by)),
            overheads: Overheads {
                send: overheads.send.scaled(by),
                receive: overheads.receive.scaled(by),
                immediate: by.startup(overheads.immediate),
                gap: by.startup(overheads.gap),
                control: by.startup(overheads.control),
            },
            flow_rates: self.flow_rates.iter().map(|rate| by.per_byte(*rate)).collect(),
            nodes: self.nodes.as_ref().map(|nodes| Nodes {
                size: nodes.size,
                interface: nodes.interface.scaled(by),
                inside: nodes.inside.scaled(by),
            }),
            local: self.local.scaled(by),
            ..self.clone()
        }
    }

    /// The time of a message over `distance` links without contention. A distance of 0 is the
    /// processor itself.
    #[inline]
    pub fn time(&self, bytes: u64, distance: u32) -> Time {
        if distance == 0 {
            return self.local.of(bytes);
        }
        if self.limits_flows() {
            return self.header(distance).saturating_add(self.flow_whole(bytes, distance));
        }
        self.switching.time(bytes, distance, &self.link, &self.setup)
    }

    /// The time of a header over `distance` links.
    fn header(&self, distance: u32) -> Time {
        let header = self.switching.header(&self.setup).as_picos();
        Time::from_picos(header.saturating_mul(distance.into()))
    }

    /// The time t(s) of a flow over `distance` links, at least 1, with its limits.
    fn flow_whole(&self, bytes: u64, distance: u32) -> Time {
        let data = self.link.data(bytes).max(self.least_flow_time(bytes, distance));
        self.link.startup(bytes).saturating_add(data)
    }

    /// The parts of a flow over `distance` links, at least 1.
    pub fn flow_parts(&self, bytes: u64, distance: u32) -> FlowParts {
        let whole = self.flow_whole(bytes, distance);
        let on_links = self.flow_time(bytes).min(whole);
        let alone = on_links.max(self.least_flow_time(bytes, distance)).min(whole);
        FlowParts { startup: whole.since(alone), alone, on_links }
    }

    /// Returns whether flows have limits of their own, besides the links.
    #[inline]
    pub fn limits_flows(&self) -> bool {
        self.pipelined || !self.flow_rates.is_empty()
    }

    /// The least time of a flow's data over `distance` links, at least 1, whatever its share of the
    /// links: that of its endpoints if it is pipelined, and that of the level at which it turns.
    pub fn least_flow_time(&self, bytes: u64, distance: u32) -> Time {
        let level = (distance.div_ceil(2) as usize).min(self.flow_rates.len());
        let rate = level.checked_sub(1).map_or(PerByte::ZERO, |level| self.flow_rates[level]);
        let Overheads { send, receive, .. } = &self.overheads;
        let ends = if self.pipelined { send.data(bytes).max(receive.data(bytes)) } else { Time::ZERO };
        rate.of(bytes).max(ends)
    }

    /// The sender's overhead: all of it before the message enters the network, or the start-up
    /// alone if it is pipelined.
    #[inline]
    pub fn send_overhead(&self, bytes: u64) -> Time {
        self.overhead(&self.overheads.send, bytes)
    }

    /// The receiver's overhead after the message has arrived: all of it, or the start-up alone if
    /// it is pipelined.
    #[inline]
    pub fn receive_overhead(&self, bytes: u64) -> Time {
        self.overhead(&self.overheads.receive, bytes)
    }

    #[inline]
    fn overhead(&self, cost: &Cost, bytes: u64) -> Time {
        if self.pipelined { cost.startup(bytes) } else { cost.of(bytes) }
    }

    /// The time of a message between two processors without contention: over the links, with the
    /// interfaces of the nodes if it leaves one, or inside a node.
    #[inline]
    pub fn between(&self, from: u32, to: u32, bytes: u64) -> Time {
        self.transit(from, to, bytes).arrives
    }

    /// The times of a message between two processors without contention, including when the sender
    /// is free. A node's interface stores a message before it forwards it, so the sender is free
    /// when the interface has it.
    #[inline]
    pub fn transit(&self, from: u32, to: u32, bytes: u64) -> Transit {
        if from == to {
            return Transit::at(self.local.of(bytes));
        }
        let Some(nodes) = &self.nodes else {
            return self.over(from, to, bytes);
        };
        let (from, to) = (from / nodes.size, to / nodes.size);
        if from == to {
            return Transit::at(nodes.inside.of(bytes));
        }
        let leaves = nodes.interface.of(bytes);
        let over = self.over(from, to, bytes).arrives;
        Transit { leaves, arrives: over.saturating_add(leaves).saturating_add(leaves) }
    }

    /// The times over the links between two vertices of the topology.
    #[inline]
    pub fn over(&self, from: u32, to: u32, bytes: u64) -> Transit {
        let distance = self.topology.distance(from, to);
        let arrives = self.time(bytes, distance);
        let leaves = match self.switching {
            _ if distance < 2 => arrives,
            // With frames or packets, the send completes when the last one is through.
            _ if self.frame.is_some() || self.random_packets.is_some() => arrives,
            Switching::Circuit { .. } | Switching::Wormhole { .. } => arrives,
            // The limit of a flow depends on its distance.
            Switching::Flow { .. } if self.limits_flows() => {
                self.header(1).saturating_add(self.flow_whole(bytes, distance))
            }
            Switching::Packet | Switching::CutThrough { .. } | Switching::Flow { .. } => self.time(bytes, 1),
        };
        Transit { leaves, arrives }
    }

    /// The time for which a message occupies its sender's injection port and its receiver's
    /// ejection port: that of its first link under contention, and at least the gap. Zero if it
    /// uses neither, because it stays on its processor or in its node.
    #[inline]
    pub fn port_time(&self, from: u32, to: u32, bytes: u64) -> Time {
        let size = self.nodes.as_ref().map_or(1, |nodes| nodes.size);
        if from / size == to / size {
            return Time::ZERO;
        }
        let time = match (&self.nodes, self.switching) {
            (Some(nodes), _) => nodes.interface.of(bytes),
            (None, Switching::Flow { .. }) if self.limits_flows() => {
                let distance = self.topology.distance(from, to);
                self.flow_time(bytes).max(self.least_flow_time(bytes, distance))
            }
            (None, Switching::Flow { .. }) => self.flow_time(bytes),
            (None, Switching::Packet | Switching::CutThrough { .. }) => self.link.of(bytes),
            (None, Switching::Circuit { .. } | Switching::Wormhole { .. }) => self.time(bytes, 1),
        };
        time.max(self.overheads.gap)
    }

    /// The time for which a flow occupies a link: the occupancy if the model has one, else the time
    /// of its bytes.
    #[inline]
    pub fn flow_time(&self, bytes: u64) -> Time {
        match &self.occupancy {
            Some(occupancy) => occupancy.of(bytes),
            None => self.link.data(bytes),
        }
    }

    /// The number of processors of all nodes.
    pub fn processors(&self) -> usize {
        self.topology.processors() * self.nodes.as_ref().map_or(1, |nodes| nodes.size as usize)
    }
}

impl Switching {
    /// The time t0(h) or t0(c) of a header or control packet over one link; zero if there is none.
    #[inline]
    pub fn header(self, setup: &Cost) -> Time {
        match self {
            Self::CutThrough { header } | Self::Circuit { control: header } | Self::Flow { header } => {
                setup.of(header)
            }
            Self::Packet | Self::Wormhole { .. } => Time::ZERO,
        }
    }

    /// The time of a message over `distance` links, at least 1, without contention.
    #[inline]
    pub fn time(self, bytes: u64, distance: u32, link: &Cost, setup: &Cost) -> Time {
        let times = |time: Time, n: u64| Time::from_picos(time.as_picos().saturating_mul(n));
        match self {
            Self::Packet => times(link.of(bytes), distance.into()),
            Self::CutThrough { header } | Self::Circuit { control: header } | Self::Flow { header } => {
                times(setup.of(header), distance.into()).saturating_add(link.of(bytes))
            }
            Self::Wormhole { flit } => {
                let flits = bytes.div_ceil(flit).max(1);
                times(link.of(flit), (u64::from(distance) - 1).saturating_add(flits))
            }
        }
    }
}
