//! A network: its topology, its links, and how messages travel over several of them.

use panto_units::Time;

use crate::cost::Cost;
use crate::map::Map;
use crate::topology::Topology;

/// How a message travels over several links (P9), with the formula for its time over d links when nobody is in its way.
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
    /// As cut-through when nobody is in the way, but flows that meet share links max-min fairly: d t0(h) + t(s).
    Flow {
        /// Bytes of the header h.
        header: u64,
    },
}

/// What the processors pay for a message (`LogGP`'s o and g), on top of what the network takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overheads {
    /// The sender's processor, before the message leaves.
    pub send: Cost,
    /// The receiver's processor, after the message has come.
    pub receive: Cost,
    /// On top of either, when an operation is started and waited for later.
    pub immediate: Time,
    /// Least time between two messages that one rank puts on the network.
    pub gap: Time,
    /// For each of the short messages with which sender and receiver agree on a transfer: requests and grants.
    pub control: Time,
}

/// Processors that share a node, and its way to the network (T5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nodes {
    /// Processors of a node. Processor p is on node p / size. Not 0.
    pub size: u32,
    /// How long the node's interface is taken by a message that leaves, and again by one that comes.
    pub interface: Cost,
    /// The time of a message that stays inside the node and uses no network.
    pub inside: Cost,
}

/// How long after its start a message has left, and has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transit {
    /// The last byte is over the first link, and the sender is free: circuits and worms hold it until the end.
    pub leaves: Time,
    /// The last byte has arrived.
    pub arrives: Time,
}

impl Transit {
    fn together(time: Time) -> Self {
        Self { leaves: time, arrives: time }
    }
}

/// A network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Which processors have links.
    pub topology: Topology,
    /// How messages travel over several links.
    pub switching: Switching,
    /// t(s): the time of a message over one link.
    pub link: Cost,
    /// t0(s): the time of a header or control packet over one link.
    pub setup: Cost,
    /// How long a message keeps a link from other flows, where that is not the bytes of `link`: `LogGP`'s g and G, which are less than
    /// what a message takes alone where switches store it on its way.
    pub occupancy: Option<Cost>,
    /// The bytes that flows send at once: links serve those that wait for them in turns, a frame of each, and messages between the same
    /// two follow each other. If none, flows share links to the byte.
    pub frame: Option<u64>,
    /// What processors pay.
    pub overheads: Overheads,
    /// Nodes of several processors.
    pub nodes: Option<Nodes>,
    /// The time of a message between two ranks on one processor (d = 0), which uses no link.
    pub local: Cost,
    /// Which rank runs where.
    pub map: Map,
}

impl Network {
    /// A network on which nothing but its links takes time.
    pub fn plain(topology: Topology, switching: Switching, link: Cost) -> Self {
        Self {
            topology,
            switching,
            link,
            setup: Cost::default(),
            occupancy: None,
            frame: None,
            overheads: Overheads::default(),
            nodes: None,
            local: Cost::default(),
            map: Map::All,
        }
    }

    /// The time of a message over so many links when nobody is in its way. No link at all is the processor itself.
    #[inline]
    pub fn time(&self, bytes: u64, distance: u32) -> Time {
        if distance == 0 {
            self.local.of(bytes)
        } else {
            self.switching.time(bytes, distance, &self.link, &self.setup)
        }
    }

    /// The time of a message between two processors when nobody is in its way: over the links, with the interfaces of the
    /// nodes if it leaves one, or inside a node.
    #[inline]
    pub fn between(&self, from: u32, to: u32, bytes: u64) -> Time {
        self.transit(from, to, bytes).arrives
    }

    /// The same, and when the sender is free. A node's interface stores a message before it sends it on, so that the sender is
    /// free when the interface has it.
    #[inline]
    pub fn transit(&self, from: u32, to: u32, bytes: u64) -> Transit {
        if from == to {
            return Transit::together(self.local.of(bytes));
        }
        let Some(nodes) = &self.nodes else {
            return self.over(from, to, bytes);
        };
        let (from, to) = (from / nodes.size, to / nodes.size);
        if from == to {
            return Transit::together(nodes.inside.of(bytes));
        }
        let leaves = nodes.interface.of(bytes);
        let over = self.over(from, to, bytes).arrives;
        Transit { leaves, arrives: over.saturating_add(leaves).saturating_add(leaves) }
    }

    /// Over the links between two vertices of the topology.
    #[inline]
    fn over(&self, from: u32, to: u32, bytes: u64) -> Transit {
        let distance = self.topology.distance(from, to);
        let arrives = self.time(bytes, distance);
        let leaves = match self.switching {
            _ if distance < 2 => arrives,
            // Until the last frame is through it is not known when it will be.
            _ if self.frame.is_some() => arrives,
            Switching::Circuit { .. } | Switching::Wormhole { .. } => arrives,
            Switching::Packet | Switching::CutThrough { .. } | Switching::Flow { .. } => self.time(bytes, 1),
        };
        Transit { leaves, arrives }
    }

    /// Where ranks can run: the processors of all nodes.
    pub fn processors(&self) -> usize {
        self.topology.processors() * self.nodes.as_ref().map_or(1, |nodes| nodes.size as usize)
    }
}

impl Switching {
    /// t0(h) or t0(c): the time of a header or a control packet over one link, if this switching has one.
    #[inline]
    pub fn header(self, setup: &Cost) -> Time {
        match self {
            Self::CutThrough { header } | Self::Circuit { control: header } | Self::Flow { header } => {
                setup.of(header)
            }
            Self::Packet | Self::Wormhole { .. } => Time::ZERO,
        }
    }

    /// The time over `distance` links, at least 1.
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
