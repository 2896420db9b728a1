//! Frames, first come, first served; all state is recomputed at every event.

use std::collections::BTreeMap;

use panto_machine::{Network, Switching};
use panto_sim::network::Transfer;

use super::{Policy, route, shared, width};

pub struct Frames<'a> {
    network: &'a Network,
    /// In the order of injection.
    messages: BTreeMap<usize, Message>,
    entered: usize,
    /// The time at which each channel of a link is free.
    free: BTreeMap<u64, Vec<u64>>,
}

struct Message {
    id: usize,
    load: Transfer,
    route: Vec<u64>,
    /// The time since which its next frame is ready.
    ready: u64,
    /// The arrival of each sent frame at its next link, and the index of that link.
    frames: Vec<(u64, usize)>,
    count: usize,
    time: u64,
    tail: u64,
}

impl<'a> Frames<'a> {
    pub fn new(network: &'a Network) -> Self {
        Self { network, messages: BTreeMap::new(), entered: 0, free: BTreeMap::new() }
    }

    /// The first message of the same pair that has frames to send.
    fn is_first(&self, place: usize, message: &Message) -> bool {
        let is_same = |other: &Message| {
            (other.load.from, other.load.to) == (message.load.from, message.load.to)
                && other.frames.len() < other.count
        };
        self.messages.range(..place).all(|(_, other)| !is_same(other))
    }

    /// All possible next events: time, message, frame, link.
    fn happenings(&self) -> Vec<(u64, usize, usize, usize)> {
        let mut all = Vec::new();
        for (place, message) in &self.messages {
            let coming = message.frames.iter().enumerate();
            all.extend(
                coming
                    .filter(|(_, (_, hop))| *hop < message.route.len())
                    .map(|(frame, (time, hop))| (*time, *place, frame, *hop)),
            );
            if message.frames.len() < message.count && self.is_first(*place, message) {
                all.push((message.ready, *place, message.frames.len(), 0));
            }
        }
        all
    }
}

impl Policy for Frames<'_> {
    fn enter(&mut self, now: u64, message: usize, load: Transfer) {
        let Switching::Flow { header } = self.network.switching else { unreachable!() };
        let route = route(self.network, load);
        let links = route.len() as u64;
        let header = self.network.setup.of(header).as_picos();
        let whole = header * links + self.network.link.of(load.bytes).as_picos();
        let frame = self.network.frame.unwrap().max(1);
        let count = load.bytes.div_ceil(frame).clamp(1, 256);
        let time = (shared(self.network, load.bytes).as_picos() / count).min(whole / (count + links - 1));
        let tail = whole - time * (count + links - 1);
        let count = count as usize;
        let state = Message { id: message, load, route, ready: now, frames: vec![], count, time, tail };
        self.messages.insert(self.entered, state);
        self.entered += 1;
    }

    fn next(&self) -> Option<u64> {
        self.happenings().into_iter().map(|(time, ..)| time).min()
    }

    fn step(&mut self) -> Vec<(usize, u64, u64)> {
        let (now, place, frame, hop) = self.happenings().into_iter().min().unwrap();
        let message = self.messages.get_mut(&place).unwrap();
        let id = message.id;
        let (link, time) = (message.route[hop], message.time);
        let channels = self.free.entry(link).or_insert_with(|| vec![0; width(self.network, link)]);
        let channel = channels.iter_mut().min().unwrap();
        let through = now.max(*channel) + time;
        *channel = through;
        if hop == 0 {
            message.frames.push((through, 1));
            message.ready = through;
        } else {
            message.frames[frame] = (through, hop + 1);
        }
        let is_all = frame + 1 == message.count && hop + 1 == message.route.len();
        let (pair, has_left) = ((message.load.from, message.load.to), message.frames.len() == message.count);
        let arrived = through + message.tail;
        if hop == 0 && has_left {
            // The next message of the pair may begin when the last frame is through.
            let next = self.messages.range_mut(place + 1..);
            let mut followers = next.filter(|(_, other)| (other.load.from, other.load.to) == pair);
            if let Some((_, next)) = followers.next() {
                next.ready = next.ready.max(through);
            }
        }
        if is_all {
            self.messages.remove(&place);
            return vec![(id, arrived, arrived)];
        }
        Vec::new()
    }
}
