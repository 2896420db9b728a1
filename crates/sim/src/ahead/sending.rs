//! Sending, and the completion of sends.
//!
//! The common case is an eager message to a rank of the same partition: [`Partition::send`] handles
//! it inline. Everything else is out of line, to keep the inner loop small.

use panto_machine::Transit;
use panto_units::Time;

use super::channels::{DETAILED, Message, PutResult};
use super::cost;
use super::exchange::OutgoingMessage;
use super::partition::{Partition, Runner};
use super::rank::Slot;
use super::rendezvous::{self, MessageDetail, PendingSend, SendCompletion};
use crate::costs;
use crate::engine::SendProtocol;
use crate::observe::{Activity, Cause, Observer};
use crate::program::{ChannelKind, SendMode};

/// The completion of a send that is not known yet.
const UNKNOWN: Time = Time::from_picos(u64::MAX);

impl<'a, O: Observer> Partition<'a, O> {
    /// Sends; starts a send if there is a slot.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the two callers know whether there is a slot")]
    pub(super) fn send(
        &mut self,
        runner: &mut Runner<'a>,
        mode: SendMode,
        channel: u32,
        bytes: u64,
        slot: Option<u32>,
    ) -> bool {
        let at = channel.wrapping_sub(self.first_channel) as usize;
        let Some(state) = self.channels.states.get(at) else {
            return self.out_of_line(runner, |partition, runner| {
                partition.send_across(runner, mode, channel, bytes, slot)
            });
        };
        let (class, tracks_receives) = (state.class(), state.tracks_receives());
        let cost = *self.costs.of(class, channel, bytes);
        if tracks_receives || !cost.is_plain(mode) {
            return self.out_of_line(runner, |partition, runner| {
                partition.send_general(runner, mode, channel, bytes, slot)
            });
        }
        let started = if slot.is_some() { self.costs.start_overhead(class) } else { Time::ZERO };
        self.work(runner, Activity::Message, cost.sending.saturating_add(started));
        let message = self.inject(runner, cost.injecting, cost.transit, bytes);
        if let Some(slot) = slot {
            self.slots[(runner.rank.slots + slot) as usize] = Slot::EMPTY;
        }
        match self.channels.put(at, message) {
            PutResult::Wakes(position) => self.ready.push(position),
            PutResult::ManyQueued => runner.limit = runner.executed + 1,
            PutResult::Queued => {}
        }
        true
    }

    /// Calls a function with a copy of the rank, so that the original can stay in registers.
    #[cold]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what is called is out of line")]
    pub(super) fn out_of_line(
        &mut self,
        runner: &mut Runner<'a>,
        act: impl FnOnce(&mut Self, &mut Runner<'a>) -> bool,
    ) -> bool {
        let mut copy = Runner { ..*runner };
        let proceeds = act(self, &mut copy);
        *runner = copy;
        proceeds
    }

    /// Injects a message into the network, when the injection port has taken the previous one;
    /// `injecting` is the time until it can take the next one.
    #[inline]
    fn inject(&mut self, runner: &mut Runner<'a>, injecting: Time, transit: Time, bytes: u64) -> Message {
        let sent = runner.rank.clock;
        let start = sent.max(runner.rank.injection_free);
        runner.rank.injection_free = start.saturating_add(injecting);
        let arrival = start.saturating_add(transit);
        self.latest = self.latest.max(arrival);
        Message { arrival, bytes, sent }
    }

    /// Sends to another partition.
    #[inline(never)]
    fn send_across(
        &mut self,
        runner: &mut Runner<'a>,
        mode: SendMode,
        channel: u32,
        bytes: u64,
        slot: Option<u32>,
    ) -> bool {
        let class = self.class_across(channel);
        let cost = *self.costs.of(class, channel, bytes);
        if !cost.is_plain(mode) {
            return self.send_general(runner, mode, channel, bytes, slot);
        }
        let started = if slot.is_some() { self.costs.start_overhead(class) } else { Time::ZERO };
        self.work(runner, Activity::Message, cost.sending.saturating_add(started));
        let message = self.inject(runner, cost.injecting, cost.transit, bytes);
        if let Some(slot) = slot {
            self.slots[(runner.rank.slots + slot) as usize] = Slot::EMPTY;
        }
        self.outbox.send(OutgoingMessage { channel, message }, None);
        true
    }

    /// Returns the message class of a channel to another partition, computed once.
    fn class_across(&mut self, channel: u32) -> u32 {
        let known = &mut self.across_classes[channel as usize];
        if *known == 0 {
            let channel = &self.prepared.channels()[channel as usize];
            *known = 1 + cost::class(self.prepared.program(), self.config.machine, channel);
        }
        *known - 1
    }

    /// Sends in the general case: rendezvous and other protocols, signals between a rank and its
    /// helper, and channels on which posted receives are recorded.
    #[inline(never)]
    fn send_general(
        &mut self,
        runner: &mut Runner<'a>,
        mode: SendMode,
        channel: u32,
        bytes: u64,
        slot: Option<u32>,
    ) -> bool {
        let program_channel = self.prepared.channels()[channel as usize];
        let machine = self.config.machine;
        let operation = program_channel.kind.operation();
        let place = slot.unwrap_or_else(|| self.blocking_slot(runner.position));
        self.slots[(runner.rank.slots + place) as usize] = Slot::EMPTY;
        if program_channel.kind == ChannelKind::Helper {
            let sent = runner.rank.clock;
            self.deliver(channel, Message { arrival: sent, bytes, sent }, None);
            return true;
        }
        self.work(runner, Activity::Message, costs::send_overhead(machine, operation, bytes, slot.is_some()));
        let protocol = costs::send_protocol(machine, operation, mode, bytes);
        self.start_transfer(runner, protocol, channel, bytes, place);
        slot.is_some() || self.wait(runner, place)
    }

    /// Injects the message, or the request to send it.
    fn start_transfer(
        &mut self,
        runner: &mut Runner<'a>,
        protocol: SendProtocol,
        channel: u32,
        bytes: u64,
        place: u32,
    ) {
        let times = cost::transit_times(
            self.prepared.program(),
            self.config.machine,
            &self.prepared.channels()[channel as usize],
            bytes,
        );
        let port = if self.costs.shares_ports { times.port } else { Time::ZERO };
        let (injecting, first) = match protocol {
            SendProtocol::Rendezvous => (times.gap, times.rts),
            protocol if protocol.is_handshake() => (times.gap, times.rts),
            _ => (times.gap.max(port), times.data.arrives),
        };
        let message = self.inject(runner, injecting, first, bytes);
        let send = self.pending_send(runner.position, place);
        let (message, complete, detail) = match protocol {
            // Programs on machines with finite buffers run on the time-ordered engine.
            SendProtocol::Buffered | SendProtocol::LimitedBuffer => (message, None, None),
            SendProtocol::NoSpace => (message, Some(message.arrival), None),
            SendProtocol::Synchronous => {
                (message, Some(UNKNOWN), Some(MessageDetail::Synchronous { bytes, send }))
            }
            SendProtocol::Handshake | SendProtocol::BufferedHandshake => {
                let start = self.reserve_port(runner.position, message.arrival + times.cts, port);
                let complete = start + times.data.leaves;
                let detail = MessageDetail::Resolved { bytes, buffer_chosen: message.arrival };
                let message = Message { arrival: start + times.data.arrives, ..message };
                (message, (!protocol.is_buffered()).then_some(complete), Some(detail))
            }
            SendProtocol::Rendezvous => {
                let Transit { leaves, arrives } = times.data;
                let port_free = self.reserve_port(runner.position, message.arrival + times.cts, port);
                let detail =
                    MessageDetail::Rendezvous { bytes, send, cts: times.cts, port_free, leaves, arrives };
                (message, Some(UNKNOWN), Some(detail))
            }
        };
        self.latest = self.latest.max(message.arrival);
        if let Some(complete) = complete {
            let at = (runner.rank.slots + place) as usize;
            self.slots[at] = Slot::send(channel, send.nth, complete);
            if O::ENABLED {
                self.causes[at] = Cause { rank: self.code(runner.position), at: message.sent };
            }
        }
        self.deliver(channel, message, detail);
    }

    /// Reserves the injection port for data that follows a clear to send, which comes at `cleared`
    /// at the earliest. Returns when the port is free for it.
    ///
    /// Such data shares the port with other such data in the order of sending. Eager messages
    /// overtake it, since they need not wait for a clear to send.
    fn reserve_port(&mut self, position: u32, cleared: Time, port: Time) -> Time {
        if !self.costs.shares_ports {
            return cleared;
        }
        let free = &mut self.extras[position as usize].port_free;
        let start = cleared.max(*free);
        *free = start.saturating_add(port);
        start
    }

    /// Returns a new number for a send that is tracked until completion.
    fn pending_send(&mut self, position: u32, slot: u32) -> PendingSend {
        let extra = &mut self.extras[position as usize];
        extra.tracked_sends = extra.tracked_sends.wrapping_add(1);
        PendingSend { position: self.first_position + position, slot, nth: extra.tracked_sends }
    }

    /// Returns the slot for blocking operations: the one after those of the program.
    pub(super) fn blocking_slot(&self, position: u32) -> u32 {
        self.prepared.program().codes[self.code(position) as usize].slots
    }

    /// Delivers a message to its channel, in this partition or another.
    pub(super) fn deliver(&mut self, channel: u32, message: Message, detail: Option<MessageDetail>) {
        // A size that uses the bit that says that there are details has to be stored as a detail.
        let detail = detail.or_else(|| {
            (message.bytes & DETAILED != 0)
                .then_some(MessageDetail::Resolved { bytes: message.bytes, buffer_chosen: message.arrival })
        });
        let at = channel.wrapping_sub(self.first_channel) as usize;
        if at < self.channels.states.len() {
            self.arrive(at, message, detail);
        } else {
            self.outbox.send(OutgoingMessage { channel, message }, detail);
        }
    }

    /// Delivers a message to a channel of this partition.
    pub(super) fn arrive(&mut self, at: usize, message: Message, detail: Option<MessageDetail>) {
        let posted = self.channels.states[at].tracks_receives().then(|| self.channels.pop_post(at)).flatten();
        let message = match (detail, posted) {
            (None, _) => message,
            (Some(detail), None) => rendezvous::insert(&mut self.details, message, detail),
            (Some(detail), Some(posted)) => self.resolve(at, message, detail, posted),
        };
        if let PutResult::Wakes(position) = self.channels.put(at, message) {
            self.ready.push(position);
        }
    }

    /// Matches a message that has details with its receive.
    pub(super) fn resolve(
        &mut self,
        at: usize,
        message: Message,
        detail: MessageDetail,
        posted: Time,
    ) -> Message {
        let channel = self.prepared.channels()[self.first_channel as usize + at];
        let (message, completion) =
            rendezvous::resolve(&mut self.details, message, detail, posted, (channel.from, channel.to));
        self.latest = self.latest.max(message.arrival);
        match completion {
            Some(completion) if self.is_here(completion.send.position) => self.complete_send(completion),
            Some(completion) => self.outbox.complete(completion),
            None => {}
        }
        message
    }

    /// Returns whether a position belongs to this partition.
    fn is_here(&self, position: u32) -> bool {
        (position.wrapping_sub(self.first_position) as usize) < self.ranks.len()
    }

    /// Completes a send of this partition.
    pub(super) fn complete_send(&mut self, completion: SendCompletion) {
        let position = completion.send.position - self.first_position;
        let rank = &self.ranks[position as usize];
        let at = (rank.slots + completion.send.slot) as usize;
        if !self.slots[at].is_send(completion.send.nth) {
            return;
        }
        self.latest = self.latest.max(completion.at);
        self.slots[at].time = completion.at;
        if O::ENABLED {
            self.causes[at] = completion.cause;
        }
        if rank.waiting_slot == completion.send.slot {
            self.ready.push(position);
        }
    }
}
