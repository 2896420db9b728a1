//! Packets on random routes: each takes one of the channels of every link by lot, and may overtake
//! others of its message.
//!
//! The levels of a fat tree have links of several channels ([`Topology::width`]). A switch that
//! routes at random sends a packet over any of them, free or not, as those of the CM-5 did. A
//! channel serves packets in the order of arrival; a packet passes switches without being stored,
//! and waits in front of an occupied channel. The message has left and arrived when all its packets
//! have arrived, and the network counts the packets that arrive after one that was sent later.
//!
//! The packets of a message enter the network one after the other, each when the last one has left
//! the port of its processor. A packet occupies a port for its part of the message's time alone
//! ([`FlowParts::alone`]), which the endpoints may limit, and a channel between switches for its
//! part of the time on links. So a message without contention takes d t0(h) + t(s), and its packets
//! stay in order.
//!
//! [`Topology::width`]: panto_machine::Topology::width

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use panto_machine::{FlowParts, LinkId, Network};
use panto_random::SplitMix64;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Injected, Passage, Ticket, Transfer};
use crate::slab::Slab;

/// The most packets of a message; longer messages have longer packets, to bound the cost of
/// simulation.
const MAX_PACKETS: u64 = 4_096;
/// The least number of channels at which free ones are forgotten.
const MIN_SWEEP: usize = 1 << 16;
/// The seed of all routes: the same program on the same machine takes the same time.
const SEED: u64 = 5;

/// How many packets arrived, and how many of them out of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PacketCounts {
    /// Packets that arrived.
    pub arrived: u64,
    /// Those of them that arrived after a later packet of their message.
    pub out_of_order: u64,
}

impl PacketCounts {
    /// Adds other counts.
    pub fn merge(&mut self, other: Self) {
        self.arrived += other.arrived;
        self.out_of_order += other.out_of_order;
    }
}

/// A network whose messages travel in packets on random routes.
#[derive(Debug)]
pub(super) struct RandomPackets {
    /// When each channel that was used is free, in picoseconds.
    channels_free: FxHashMap<(LinkId, u32), u64>,
    /// The number of channels at which those that are free are forgotten.
    sweep: usize,
    messages: Slab<Message>,
    /// Arrivals of packets at links, the earliest first; ties in the order of injection.
    arrivals: BinaryHeap<Reverse<Packet>>,
    injected: u64,
    routes: SplitMix64,
    pub(super) counts: PacketCounts,
}

/// A message in the network; times in picoseconds.
#[derive(Debug, Default)]
struct Message {
    ticket: Ticket,
    /// The links of its route, and their numbers of channels.
    route: SmallVec<[(LinkId, u32); 8]>,
    packets: u64,
    /// The time for which a packet occupies a port, and that for a channel between switches.
    hold: Hold,
    /// The time of a header over one link.
    header: u64,
    /// What remains of the message's time when its last packet has passed.
    tail: u64,
    /// When all packets so far have arrived, and how many.
    arrived: (u64, u64),
    /// The highest number of a packet that has arrived.
    highest: u64,
}

#[derive(Debug, Default, Clone, Copy)]
struct Hold {
    port: u64,
    channel: u64,
}

/// The arrival of a packet at a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    time: u64,
    /// The injection order of its message.
    order: u64,
    /// The index of the packet in its message.
    number: u64,
    /// The index of the link in the route.
    hop: u32,
    slot: u32,
}

impl RandomPackets {
    pub(super) fn new() -> Self {
        Self {
            channels_free: FxHashMap::default(),
            sweep: MIN_SWEEP,
            messages: Slab::default(),
            arrivals: BinaryHeap::new(),
            injected: 0,
            routes: SplitMix64::new(SEED),
            counts: PacketCounts::default(),
        }
    }

    pub(super) fn inject(
        &mut self,
        network: &Network,
        size: u64,
        (now, ticket): (u64, Ticket),
        transfer: Transfer,
    ) -> Injected {
        let slot = self.messages.reserve();
        let message = &mut self.messages[slot];
        message.route.clear();
        let topology = &network.topology;
        topology.route(transfer.from, transfer.to, |link| message.route.push((link, topology.width(link))));
        message.divide(network, transfer.bytes, size);
        (message.ticket, message.arrived, message.highest) = (ticket, (0, 0), 0);
        let first = Packet { time: now, order: self.injected, number: 0, hop: 0, slot };
        self.injected += 1;
        self.arrivals.push(Reverse(first));
        Injected::Pending
    }

    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        self.arrivals.peek().map(|Reverse(packet)| packet.time)
    }

    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        while let Some(Reverse(packet)) = self.arrivals.peek().copied()
            && packet.time <= now
        {
            self.arrivals.pop();
            if self.serve(packet) {
                let Message { ticket, arrived, tail, .. } = self.messages[packet.slot];
                self.messages.free(packet.slot);
                done(packet.time, ticket, Passage::at(arrived.0.saturating_add(tail)));
            }
        }
    }

    /// Serves a packet at a link. Returns whether it was the last of its message to arrive.
    fn serve(&mut self, packet: Packet) -> bool {
        let Packet { time, number, hop, slot, .. } = packet;
        let message = &mut self.messages[slot];
        let (link, channels) = message.route[hop as usize];
        let last_hop = message.route.len() as u32 - 1;
        let channel = self.routes.below(channels.into()) as u32;
        let free = self.channels_free.entry((link, channel)).or_default();
        let begin = time.max(*free);
        let is_port = hop == 0 || hop == last_hop;
        let through = begin.saturating_add(if is_port { message.hold.port } else { message.hold.channel });
        *free = through;
        let onwards = begin.saturating_add(message.header);
        if hop == 0 && number + 1 < message.packets {
            self.arrivals.push(Reverse(Packet { time: through, number: number + 1, ..packet }));
        }
        if hop < last_hop {
            self.arrivals.push(Reverse(Packet { time: onwards, hop: hop + 1, ..packet }));
            return false;
        }
        if self.channels_free.len() >= self.sweep {
            self.channels_free.retain(|_, free| *free > time);
            self.sweep = (2 * self.channels_free.len()).max(MIN_SWEEP);
        }
        self.counts.arrived += 1;
        self.counts.out_of_order += u64::from(number < message.highest);
        message.arrive(number, through.saturating_add(message.header))
    }
}

impl Message {
    /// Divides the message into packets. Its route must be known.
    fn divide(&mut self, network: &Network, bytes: u64, size: u64) {
        let links = self.route.len() as u32;
        let FlowParts { startup, alone, on_links } = network.flow_parts(bytes, links);
        let (alone, on_links) = (alone.as_picos(), on_links.as_picos());
        self.packets = bytes.div_ceil(size.max(1)).clamp(1, MAX_PACKETS);
        self.hold = Hold { port: alone / self.packets, channel: on_links / self.packets };
        self.header = network.switching.header(&network.setup).as_picos();
        self.tail = startup.as_picos().saturating_add(alone % self.packets);
    }

    /// A packet has arrived. Returns whether all have.
    fn arrive(&mut self, number: u64, time: u64) -> bool {
        self.highest = self.highest.max(number);
        self.arrived = (self.arrived.0.max(time), self.arrived.1 + 1);
        self.arrived.1 == self.packets
    }
}
