//! Flows in frames: links serve the messages that wait for them in turns, a frame of each.
//!
//! A link serves frames in the order in which they come to it and stores each before it passes it on. Of a message one frame at a time
//! waits for the first link, so that messages of a sender take turns there; messages between the same two follow each other, as
//! over a connection. A message that is no longer than a frame leaves whole, which flows that share to the byte do not know.
//!
//! Frames take a link for what the model says that a message keeps it ([`Network::occupancy`]), spread over the message. What is left of
//! d t0(h) + t(s) passes when the last frame is through, so that a message that meets nobody takes exactly that.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use panto_machine::{LinkId, Network};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::channels::Channels;
use super::{Carried, Load, Passage, Ticket};
use crate::slots::Slots;

/// Longer messages have longer frames: what they cost to simulate must not grow with their bytes.
const MOST_FRAMES: u64 = 256;

/// A network whose messages are sent in frames.
#[derive(Debug)]
pub(super) struct Frames {
    channels: Channels,
    messages: Slots<Message>,
    /// Frames that come to a link, the earliest first; of equal ones the message that was put on the network first.
    coming: BinaryHeap<Reverse<Frame>>,
    /// Messages between the same two of which frames are yet to leave, the earliest first.
    rows: FxHashMap<(u32, u32), VecDeque<u32>>,
    injected: u64,
}

/// A message under way.
#[derive(Debug, Default)]
struct Message {
    ticket: Ticket,
    order: u64,
    pair: (u32, u32),
    route: SmallVec<[LinkId; 4]>,
    shape: Shape,
}

/// What a message is to its links.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// How many frames it has.
    pub(super) frames: u64,
    /// For how long each takes a link.
    pub(super) time: u64,
    /// From the last frame's passing the last link to the message's arrival.
    pub(super) tail: u64,
}

/// A frame that comes to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    time: u64,
    /// That of its message.
    order: u64,
    /// Which of its message's frames, and which of its links.
    number: u64,
    hop: u32,
    slot: u32,
}

impl Frames {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            channels: Channels::new(&network.topology),
            messages: Slots::default(),
            coming: BinaryHeap::new(),
            rows: FxHashMap::default(),
            injected: 0,
        }
    }

    #[inline]
    pub(super) fn inject(&mut self, network: &Network, now: u64, ticket: Ticket, load: Load) -> Carried {
        let slot = self.messages.take();
        let message = &mut self.messages[slot];
        message.route.clear();
        network.topology.route(load.from, load.to, |link| message.route.push(link));
        message.shape = Shape::of(network, load.bytes, message.route.len() as u64);
        (message.ticket, message.order, message.pair) = (ticket, self.injected, (load.from, load.to));
        self.injected += 1;
        let row = self.rows.entry(message.pair).or_default();
        row.push_back(slot);
        if row.len() == 1 {
            self.offer(now, slot, 0, 0);
        }
        Carried::Later
    }

    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        self.coming.peek().map(|Reverse(frame)| frame.time)
    }

    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        while let Some(Reverse(frame)) = self.coming.peek().copied()
            && frame.time <= now
        {
            self.coming.pop();
            if let Some(through) = self.serve(frame) {
                let message = &self.messages[frame.slot];
                let arrived = through.saturating_add(message.shape.tail);
                let ticket = message.ticket;
                self.messages.give_back(frame.slot);
                done(frame.time, ticket, Passage::together(arrived));
            }
        }
    }

    /// A frame will come to a link.
    fn offer(&mut self, time: u64, slot: u32, number: u64, hop: u32) {
        let order = self.messages[slot].order;
        self.coming.push(Reverse(Frame { time, order, number, hop, slot }));
    }

    /// A frame is at a link. The answer is when it has passed, if that was all of its message.
    fn serve(&mut self, Frame { time, number, hop, slot, .. }: Frame) -> Option<u64> {
        let message = &self.messages[slot];
        let (link, shape, links) = (message.route[hop as usize], message.shape, message.route.len());
        let begin = time.max(self.channels.earliest(link));
        let through = begin.saturating_add(shape.time);
        self.channels.take(link, time, through);
        let is_last = number + 1 == shape.frames;
        match (hop, is_last) {
            (0, false) => self.offer(through, slot, number + 1, 0),
            (0, true) => self.follow(through, slot),
            _ => {}
        }
        if (hop as usize) + 1 < links {
            self.offer(through, slot, number, hop + 1);
            return None;
        }
        is_last.then_some(through)
    }

    /// The last frame of a message is on its first link: the next message between the same two may begin.
    fn follow(&mut self, time: u64, slot: u32) {
        let pair = self.messages[slot].pair;
        let Some(row) = self.rows.get_mut(&pair) else { return };
        row.pop_front();
        match row.front().copied() {
            Some(next) => self.offer(time, next, 0, 0),
            None => {
                self.rows.remove(&pair);
            }
        }
    }
}

impl Shape {
    /// Over so many links, at least one.
    #[inline]
    fn of(network: &Network, bytes: u64, links: u64) -> Self {
        let header = network.switching.header(&network.setup).as_picos();
        let whole = header.saturating_mul(links).saturating_add(network.link.of(bytes).as_picos());
        let frame = network.frame.unwrap_or(u64::MAX).max(1);
        let frames = bytes.div_ceil(frame).clamp(1, MOST_FRAMES);
        // All frames pass the first link, and the last one passes the others.
        let passes = frames + links - 1;
        let time = (super::occupied(network, bytes) / frames).min(whole / passes);
        Self { frames, time, tail: whole - time * passes }
    }
}
