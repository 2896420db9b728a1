//! Messages: injected, handled on arrival, and matched.

use std::collections::VecDeque;

use panto_schedule::Collective;
use panto_units::Time;

use super::rank::{Blocked, Request};
use super::{Event, Simulation, Target};
use crate::ahead::cost::ends;
use crate::costs;
use crate::engine::SendProtocol;
use crate::observe::{Activity, Cause, Observer, ReceivedMessage};
use crate::program::{ChannelKind, SendMode};

/// A send that a rank executes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sending {
    pub(super) mode: SendMode,
    pub(super) channel: u32,
    pub(super) bytes: u64,
    /// The slot of its request.
    pub(super) slot: u32,
    /// Whether it is waited for later.
    pub(super) is_started: bool,
}

/// A message that has been sent and not received.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    channel: u32,
    bytes: u64,
    /// When it was sent.
    sent: Time,
    /// When its last byte arrived.
    arrived: Time,
    /// The sender's slot, if the send completes when the message is matched.
    completes: Option<u32>,
}

/// The messages and receives of a channel that have not been matched, each in order.
#[derive(Debug, Default)]
pub(super) struct ChannelQueues {
    unexpected: VecDeque<u32>,
    /// The slots of posted receives; `None` if the request was freed.
    posted: VecDeque<Option<u32>>,
}

impl ChannelQueues {
    /// Returns whether a message has arrived that was not received.
    pub(super) fn has_unexpected(&self) -> bool {
        !self.unexpected.is_empty()
    }
}

impl<O: Observer> Simulation<'_, O> {
    /// The collective that a channel belongs to.
    pub(super) fn collective(&self, channel: u32) -> Option<Collective> {
        self.program.channels[channel as usize].kind.operation()
    }

    /// The processors at the ends of a channel.
    pub(super) fn ends_of(&self, channel: u32) -> (u32, u32) {
        let channel = &self.program.channels[channel as usize];
        ends(self.program, self.config.machine.network(channel.kind.operation()), channel)
    }

    /// Sends, if processor and injection port are free. Returns whether the rank proceeds at once.
    pub(super) fn send(&mut self, code: u32, number: u64, sending: Sending) -> bool {
        let Sending { mode, channel, bytes, slot, is_started } = sending;
        let machine = self.config.machine;
        let new = Message { channel, bytes, sent: self.now, arrived: self.now, completes: None };
        if self.program.channels[channel as usize].kind == ChannelKind::Helper {
            let id = self.messages.insert(new);
            self.matched_or_queued(id);
            return true;
        }
        let processor = *self.processor(code);
        if !self.is_due(code, number, processor.free.max(processor.injection_free)) {
            return false;
        }
        let (collective, (from, to)) = (self.collective(channel), self.ends_of(channel));
        let network = machine.network(collective);
        let overhead = costs::send_overhead(machine, collective, bytes, is_started);
        let carried = costs::network_bytes(machine, collective, bytes);
        let end = self.worked(code, Activity::Message, overhead);
        let port_time = network.port_time(from, to, carried).max(network.overheads.gap);
        let now = self.now;
        let processor = self.processor(code);
        processor.free = end;
        processor.injection_free = now.saturating_add(port_time);
        let protocol = costs::send_protocol(machine, collective, mode, bytes);
        let is_eager = !matches!(protocol, SendProtocol::Rendezvous | SendProtocol::Synchronous);
        let id = self.messages.insert(Message { completes: (!is_eager).then_some(slot), ..new });
        self.schedule(end.saturating_add(network.between(from, to, 0)), Target::Message(id));
        let request = if is_eager { Request::Empty } else { Request::Send { channel, message: id } };
        self.free(code, slot);
        self.ranks[code as usize].set_request(slot, request);
        if is_started {
            // What follows could have been done before: its turn is that of this operation.
            self.events.push(Event { time: end, number, target: Target::Rank(code) });
            self.note_completion(code);
            return false;
        }
        if is_eager {
            self.schedule(end, Target::Rank(code));
            return false;
        }
        self.wait(code, slot)
    }

    /// Handles a message whose first byte has arrived, if processor and ejection port are free.
    pub(super) fn handle(&mut self, id: u32, number: u64) {
        let Message { channel, bytes, sent, .. } = self.messages[id];
        let machine = self.config.machine;
        let collective = self.collective(channel);
        let network = machine.network(collective);
        let (from, to) = self.ends_of(channel);
        let (sender, receiver) = {
            let channel = &self.program.channels[channel as usize];
            (channel.from, channel.to)
        };
        let now = self.now;
        let processor = self.processor(receiver);
        let due = processor.free.max(processor.ejection_free);
        if due > now {
            return self.events.push(Event { time: due, number, target: Target::Message(id) });
        }
        let carried = costs::network_bytes(machine, collective, bytes);
        let overhead = |bytes| costs::receive_overhead(machine, collective, bytes, false);
        let on_link = network.between(from, to, carried).since(network.between(from, to, 0));
        let by_byte = overhead(bytes).since(overhead(0));
        let time = overhead(0).saturating_add(on_link.max(by_byte));
        self.messages[id].arrived = now.saturating_add(on_link);
        let processor = self.processor(receiver);
        processor.free = now.saturating_add(time);
        processor.ejection_free = now.saturating_add(network.port_time(from, to, carried));
        self.waited(receiver, Cause { rank: sender, at: sent });
        self.worked(receiver, Activity::Message, time);
        self.matched_or_queued(id);
    }

    /// Matches a message with a posted receive, or queues it as unexpected.
    fn matched_or_queued(&mut self, id: u32) {
        let channel = self.messages[id].channel;
        let queues = &mut self.channels[channel as usize];
        if let Some(slot) = queues.posted.pop_front() {
            return self.matched(id, slot);
        }
        queues.unexpected.push_back(id);
        let receiver = self.program.channels[channel as usize].to;
        if self.ranks[receiver as usize].unblock(Blocked::Probe(channel)) {
            self.wake(receiver);
        }
    }

    /// Posts a receive, or matches it with an unexpected message.
    pub(super) fn post(&mut self, code: u32, slot: u32, channel: u32) {
        self.free(code, slot);
        self.ranks[code as usize].set_request(slot, Request::Receive { channel });
        let queues = &mut self.channels[channel as usize];
        match queues.unexpected.pop_front() {
            Some(id) => self.matched(id, Some(slot)),
            None => queues.posted.push_back(Some(slot)),
        }
    }

    /// Gives up the request of a slot, which is then empty.
    pub(super) fn free(&mut self, code: u32, slot: u32) {
        match self.ranks[code as usize].take_request(slot) {
            Request::Empty | Request::Received(_) => {}
            Request::Send { message, .. } => self.messages[message].completes = None,
            Request::Receive { channel } => {
                let mut posted = self.channels[channel as usize].posted.iter_mut();
                if let Some(posted) = posted.find(|posted| **posted == Some(slot)) {
                    *posted = None;
                }
            }
        }
    }

    /// Completes the receive of a message, and its send if that waits for it.
    fn matched(&mut self, id: u32, slot: Option<u32>) {
        let Message { channel, bytes, sent, arrived, completes } = self.messages[id];
        self.messages.free(id);
        let (sender, receiver) = {
            let channel = &self.program.channels[channel as usize];
            (channel.from, channel.to)
        };
        let message = ReceivedMessage { channel, bytes, sent, arrived };
        if let Some(slot) = slot {
            let rank = &mut self.ranks[receiver as usize];
            if rank.complete(slot) {
                self.observer.received(receiver, message);
                self.wake(receiver);
            } else {
                rank.set_request(slot, Request::Received(message));
            }
        }
        self.note_completion(receiver);
        let Some(slot) = completes else { return };
        let now = self.now;
        let processor = self.processor(sender);
        processor.free = processor.free.max(now);
        processor.injection_free = processor.injection_free.max(now);
        if self.ranks[sender as usize].complete(slot) {
            self.waited(sender, Cause { rank: receiver, at: now });
            self.wake(sender);
        }
        self.note_completion(sender);
    }

    /// Notes that a request of a rank completes now: what depends on it has its turn from now on.
    fn note_completion(&mut self, code: u32) {
        self.scheduled += 1;
        self.ranks[code as usize].completion = self.scheduled;
    }

    /// Schedules a rank that was blocked, for when its processor is free.
    fn wake(&mut self, code: u32) {
        let free = self.processor(code).free.max(self.now);
        self.schedule(free, Target::Rank(code));
    }
}
