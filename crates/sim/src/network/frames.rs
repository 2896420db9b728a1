//! Framed flows: links serve waiting messages round robin, one frame each.
//!
//! A link serves frames first come, first served, and stores each frame before it forwards it. A
//! message has one frame at a time in the queue of its first link, so the messages of a sender take
//! turns there; messages between the same two processors follow each other, as over a connection.
//! In contrast to max-min fair flows, which share a link to the byte, a message that fits in a
//! frame is never slowed down once its frame is in service.
//!
//! The frames of a message occupy a link together for [`Network::occupancy`]. The rest of d t0(h) +
//! t(s) passes after the last frame, so that a message without contention takes exactly that.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use panto_machine::{LinkId, Network};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::availability::LinkAvailability;
use super::{Injected, Passage, Ticket, Transfer};
use crate::slab::Slab;

/// The most frames of a message; longer messages have longer frames, to bound the cost of
/// simulation.
const MAX_FRAMES: u64 = 256;

/// A network whose messages are sent in frames.
#[derive(Debug)]
pub(super) struct FramedFlows {
    links_free: LinkAvailability,
    messages: Slab<Message>,
    /// Arrivals of frames at links, the earliest first; ties in the order of injection.
    arrivals: BinaryHeap<Reverse<Frame>>,
    /// For each pair of processors the messages that have frames to send, in the order of
    /// injection.
    pairs: FxHashMap<(u32, u32), VecDeque<u32>>,
    injected: u64,
}

/// A message in the network.
#[derive(Debug, Default)]
struct Message {
    ticket: Ticket,
    order: u64,
    pair: (u32, u32),
    route: SmallVec<[LinkId; 4]>,
    framing: Framing,
}

/// The frames of a message; times in picoseconds.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Framing {
    /// The number of frames.
    pub(super) frames: u64,
    /// The time for which a frame occupies a link.
    pub(super) time: u64,
    /// The time from the end of the last frame on the last link to the arrival of the message.
    pub(super) tail: u64,
}

/// The arrival of a frame at a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    time: u64,
    /// The injection order of its message.
    order: u64,
    /// The index of the frame in its message.
    number: u64,
    /// The index of the link in the route.
    hop: u32,
    slot: u32,
}

impl FramedFlows {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            links_free: LinkAvailability::new(&network.topology),
            messages: Slab::default(),
            arrivals: BinaryHeap::new(),
            pairs: FxHashMap::default(),
            injected: 0,
        }
    }

    #[inline]
    pub(super) fn inject(
        &mut self,
        network: &Network,
        now: u64,
        ticket: Ticket,
        transfer: Transfer,
    ) -> Injected {
        let slot = self.messages.reserve();
        let message = &mut self.messages[slot];
        message.route.clear();
        network.topology.route(transfer.from, transfer.to, |link| message.route.push(link));
        message.framing = Framing::of(network, transfer.bytes, message.route.len() as u64);
        (message.ticket, message.order, message.pair) = (ticket, self.injected, (transfer.from, transfer.to));
        self.injected += 1;
        let queue = self.pairs.entry(message.pair).or_default();
        queue.push_back(slot);
        if queue.len() == 1 {
            self.schedule(now, slot, 0, 0);
        }
        Injected::Pending
    }

    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        self.arrivals.peek().map(|Reverse(frame)| frame.time)
    }

    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        while let Some(Reverse(frame)) = self.arrivals.peek().copied()
            && frame.time <= now
        {
            self.arrivals.pop();
            if let Some(through) = self.serve(frame) {
                let message = &self.messages[frame.slot];
                let arrived = through.saturating_add(message.framing.tail);
                let ticket = message.ticket;
                self.messages.free(frame.slot);
                done(frame.time, ticket, Passage::at(arrived));
            }
        }
    }

    /// Schedules the arrival of a frame at a link.
    fn schedule(&mut self, time: u64, slot: u32, number: u64, hop: u32) {
        let order = self.messages[slot].order;
        self.arrivals.push(Reverse(Frame { time, order, number, hop, slot }));
    }

    /// Serves a frame at a link. Returns when the frame is through, if it was the last of its
    /// message.
    fn serve(&mut self, Frame { time, number, hop, slot, .. }: Frame) -> Option<u64> {
        let message = &self.messages[slot];
        let (link, framing, links) = (message.route[hop as usize], message.framing, message.route.len());
        let begin = time.max(self.links_free.earliest_free(link));
        let through = begin.saturating_add(framing.time);
        self.links_free.occupy(link, time, through);
        let is_last = number + 1 == framing.frames;
        match (hop, is_last) {
            (0, false) => self.schedule(through, slot, number + 1, 0),
            (0, true) => self.start_next(through, slot),
            _ => {}
        }
        if (hop as usize) + 1 < links {
            self.schedule(through, slot, number, hop + 1);
            return None;
        }
        is_last.then_some(through)
    }

    /// Starts the next message of a pair when the last frame of the message in `slot` has left the
    /// first link.
    fn start_next(&mut self, time: u64, slot: u32) {
        let pair = self.messages[slot].pair;
        let Some(queue) = self.pairs.get_mut(&pair) else { return };
        queue.pop_front();
        match queue.front().copied() {
            Some(next) => self.schedule(time, next, 0, 0),
            None => {
                self.pairs.remove(&pair);
            }
        }
    }
}

impl Framing {
    /// The framing of a message over `links` links, at least one.
    #[inline]
    fn of(network: &Network, bytes: u64, links: u64) -> Self {
        let header = network.switching.header(&network.setup).as_picos();
        let whole = header.saturating_mul(links).saturating_add(network.link.of(bytes).as_picos());
        let frame = network.frame.unwrap_or(u64::MAX).max(1);
        let frames = bytes.div_ceil(frame).clamp(1, MAX_FRAMES);
        // All frames pass the first link, and the last one passes the others.
        let passes = frames + links - 1;
        let time = (super::occupancy(network, bytes) / frames).min(whole / passes);
        Self { frames, time, tail: whole - time * passes }
    }
}
