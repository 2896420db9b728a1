//! The life of a message, from the send to the arrival of its data.
//!
//! Eager messages ([`SendProtocol::Buffered`], `NoSpace`, `Synchronous`) enter the network at once.
//! With a rendezvous, a request to send goes first; the clear to send follows when the receive is
//! posted, and then the data. A handshake is a rendezvous that the receiving system clears at once
//! with a buffer of its own; a buffered send does not wait for it. Request and clear to send are
//! empty messages with an overhead each. Where buffers are finite, an eager message may have to
//! wait for space first ([`buffers`](super::buffers)).

use panto_units::Time;

use super::event_queue::Event;
use super::message::{Message, NONE, Phase, Request, RequestKind, UNKNOWN};
use super::networks::ActiveNetwork;
use super::{ChannelId, Engine, Envelope, MatchSpec, MessageId, RequestId, SendProtocol, State};
use crate::network::{Injected, Passage, Transfer};

/// The network index of messages that bypass all networks.
pub(super) const NO_NETWORK: u8 = u8::MAX;

impl Engine {
    /// Sends a message. Returns the message, whose bytes the driver keeps until their delivery, and
    /// the request unless the send is complete at once.
    pub fn send(&mut self, rank: u32, envelope: Envelope) -> (MessageId, Option<RequestId>) {
        let channel = self.channels.between(rank, envelope.to);
        self.send_on(channel, rank, envelope)
    }

    /// Sends a message on a known channel ([`Engine::channel`]).
    pub fn send_on(
        &mut self,
        channel: ChannelId,
        rank: u32,
        envelope: Envelope,
    ) -> (MessageId, Option<RequestId>) {
        let clock = self.ranks[rank as usize].clock;
        self.post(channel, rank, clock, envelope)
    }

    /// Sends a buffered message of a rank that does something else at this time, by a handler.
    pub fn send_at(&mut self, rank: u32, time: Time, envelope: Envelope) -> MessageId {
        let channel = self.channels.between(rank, envelope.to);
        self.post(channel, rank, time, envelope).0
    }

    /// Sends a message at `clock`.
    fn post(
        &mut self,
        channel: ChannelId,
        rank: u32,
        clock: Time,
        envelope: Envelope,
    ) -> (MessageId, Option<RequestId>) {
        let network = if envelope.bypass { NO_NETWORK } else { self.networks.index(envelope.collective) };
        let start = self.injection_time(rank, clock, network);
        let phase = match envelope.protocol {
            SendProtocol::Rendezvous => Phase::RequestToSend,
            protocol if protocol.is_handshake() => Phase::RequestToSend,
            _ => Phase::Data,
        };
        let sender = &mut self.ranks[rank as usize];
        sender.sent = sender.sent.wrapping_add(1);
        let number = sender.sent;
        let has_extra = envelope.protocol.is_handshake() || envelope.network_bytes != envelope.bytes;
        let message = self.messages.insert(Message {
            from: rank,
            to: envelope.to,
            tag: envelope.tag,
            number,
            bytes: envelope.bytes,
            channel,
            next: NONE,
            send: NONE,
            receive: NONE,
            arrival: UNKNOWN,
            sent: clock,
            protocol: envelope.protocol,
            phase,
            network,
            arrived: false,
            arrival_queued: false,
            cancelled: false,
            has_extra,
            holds_space: false,
        });
        if has_extra {
            self.extras.put(message, envelope.network_bytes);
        }
        let request =
            (!envelope.protocol.is_buffered()).then(|| self.send_request(rank, envelope, message, clock));
        self.match_or_enqueue(message);
        if phase == Phase::Data {
            self.start_data(message, start);
        } else {
            self.start_phase(message, start);
        }
        (message, request)
    }

    fn send_request(&mut self, rank: u32, envelope: Envelope, message: u32, clock: Time) -> RequestId {
        let to = MatchSpec::exact(envelope.to, envelope.tag);
        let request =
            Request { message, bytes: envelope.bytes, ..Request::new(RequestKind::Send, rank, to, clock) };
        let id = self.requests.insert(request);
        self.messages[message].send = id;
        id
    }

    /// When the rank's next message enters the network: at `clock`, but no sooner than the gap g
    /// after the last.
    fn injection_time(&mut self, rank: u32, clock: Time, network: u8) -> Time {
        if network == NO_NETWORK {
            return clock;
        }
        let gap = self.networks.get(network).gap;
        let rank = &mut self.ranks[rank as usize];
        let start = clock.max(rank.next_injection);
        rank.next_injection = start.saturating_add(gap);
        start
    }

    /// Matches a new message with a posted receive; one that has none, or goes to an ordered rank,
    /// is queued in its channel.
    fn match_or_enqueue(&mut self, id: u32) {
        let (to, tag, channel) = {
            let message = &self.messages[id];
            (message.to, message.tag, message.channel)
        };
        if self.ranks[to as usize].ordered.is_none()
            && let Some(request) = self.channels.get(channel).take_posted(&mut self.requests, tag)
        {
            return self.bind(id, request);
        }
        self.channels.get(channel).messages.push(&mut self.messages, id);
    }

    /// Starts the next phase of a message at `start`: request to send, clear to send or data.
    pub(super) fn start_phase(&mut self, id: u32, start: Time) {
        let message = &self.messages[id];
        let (from, number) = (message.from, message.number);
        if message.network == NO_NETWORK {
            return self.phase_done(id, Passage { left: start, arrived: start });
        }
        let network = self.networks.get(message.network);
        let start = if message.phase == Phase::Data { start } else { start.saturating_add(network.control) };
        if network.traffic.is_some() && (message.phase == Phase::Data || network.control_is_shared()) {
            return self.events.push(start, Event::Inject(id), from, number);
        }
        let bytes = self.extras.of(id, message).network_bytes;
        let compute = || network.transit(transfer(network, message, bytes));
        // The channel caches the time of data on the first network, which is that of most messages.
        let transit = if message.network == 0 && message.phase == Phase::Data {
            self.channels.get(message.channel).transit(bytes, compute)
        } else {
            compute()
        };
        let passage = Passage::after(start, transit);
        self.phase_done(id, passage);
    }

    /// Injects a message into its network, now.
    pub(super) fn inject(&mut self, id: u32) {
        let now = self.now;
        let message = &self.messages[id];
        let network = self.networks.get(message.network);
        let transfer = transfer(network, message, self.extras.of(id, message).network_bytes);
        let injected = network.traffic.as_mut().map(|traffic| traffic.inject(now, id, transfer));
        match injected {
            Some(Injected::Scheduled(passage)) => self.phase_done(id, passage),
            Some(Injected::Left(left)) => self.data_left(id, left),
            Some(Injected::Pending) | None => {}
        }
    }

    /// Processes the events of a network at this time.
    pub(super) fn advance(&mut self, time: Time, network: u8) {
        self.now = time;
        let mut passed = std::mem::take(&mut self.passed);
        if let Some(traffic) = &mut self.networks.get(network).traffic {
            traffic.advance(time, &mut |id, passage| passed.push((id, passage)));
        }
        for (at, &(id, passage)) in passed.iter().enumerate() {
            self.prefetch_transfers(&passed[at..], network);
            self.phase_done(id, passage);
        }
        passed.clear();
        self.passed = passed;
    }

    /// Processes the end of a phase: it is known when what was in the network arrives.
    fn phase_done(&mut self, id: u32, passage: Passage) {
        self.is_time_exhausted |= passage.arrived == UNKNOWN;
        let message = &mut self.messages[id];
        if message.cancelled {
            message.phase = Phase::Arrived;
            message.arrival = passage.arrived;
            return self.release_cancelled(id);
        }
        match (message.phase, message.protocol) {
            (Phase::RequestToSend, SendProtocol::Rendezvous) => {
                message.phase = Phase::AwaitingReceive;
                message.arrival = passage.arrived;
                self.announce(id);
                self.clear_to_send(id);
            }
            (Phase::RequestToSend, _) => {
                message.phase = Phase::ClearToSend;
                self.extras.set_rts_arrival(id, passage.arrived);
                self.start_phase(id, passage.arrived);
            }
            (Phase::ClearToSend, _) => {
                message.phase = Phase::Data;
                self.start_phase(id, passage.arrived);
            }
            _ => self.data_arrived(id, passage),
        }
    }

    /// Completes a send whose data has left the sender, although its arrival is not known yet.
    fn data_left(&mut self, id: u32, left: Time) {
        let message = &mut self.messages[id];
        if message.phase == Phase::Data
            && matches!(message.protocol, SendProtocol::Handshake | SendProtocol::Rendezvous)
        {
            let send = std::mem::replace(&mut message.send, NONE);
            self.complete(send, left);
        }
    }

    fn data_arrived(&mut self, id: u32, passage: Passage) {
        let message = &mut self.messages[id];
        message.phase = Phase::Arrived;
        let is_new = message.arrival == UNKNOWN;
        message.arrival = passage.arrived;
        let completes = match message.protocol {
            SendProtocol::NoSpace => passage.arrived,
            SendProtocol::Handshake | SendProtocol::Rendezvous => passage.left,
            SendProtocol::Buffered
            | SendProtocol::LimitedBuffer
            | SendProtocol::BufferedHandshake
            | SendProtocol::Synchronous => UNKNOWN,
        };
        if completes != UNKNOWN {
            let send = std::mem::replace(&mut message.send, NONE);
            self.complete(send, completes);
        }
        self.return_arrived(id, passage.arrived);
        if is_new {
            self.announce(id);
        }
        self.complete_if_matched(id);
    }

    /// Makes an unmatched message known to the receiving rank: by an event if the rank is ordered,
    /// or by waking a probe.
    fn announce(&mut self, id: u32) {
        let message = &self.messages[id];
        let (to, arrival) = (message.to, message.arrival);
        if message.receive != NONE {
            return;
        }
        if self.ranks[to as usize].ordered.is_some() {
            self.schedule_arrival(id, arrival);
        } else if let State::Probing(spec) = &self.ranks[to as usize].state
            && spec.accepts(message.from, message.tag)
            && self.is_first_in_channel(id, **spec)
        {
            let state = &mut self.ranks[to as usize];
            state.clock = state.clock.max(arrival);
            self.wake(to, Time::ZERO);
        }
    }

    /// Schedules the arrival event of a message.
    pub(super) fn schedule_arrival(&mut self, id: u32, at: Time) {
        let message = &mut self.messages[id];
        message.arrival_queued = true;
        self.events.push(at, Event::Arrive(id), message.from, message.number);
    }

    /// Sends the clear to send if the request to send has arrived and the receive is posted.
    pub(super) fn clear_to_send(&mut self, id: u32) {
        let message = &mut self.messages[id];
        if message.phase != Phase::AwaitingReceive || message.receive == NONE {
            return;
        }
        message.phase = Phase::ClearToSend;
        let posted = self.requests[message.receive].posted;
        let start = message.arrival.max(posted);
        if posted > message.arrival && message.send != NONE {
            self.requests[message.send].cause = posted;
        }
        self.start_phase(id, start);
    }

    /// Completes a message, its send and its receive, if the data has arrived and a receive has
    /// matched it.
    pub(super) fn complete_if_matched(&mut self, id: u32) {
        let message = &self.messages[id];
        if message.phase != Phase::Arrived || message.receive == NONE {
            return;
        }
        let request = &mut self.requests[message.receive];
        let (posted, at) = (request.posted, message.arrival.max(request.posted));
        request.unexpected = message.is_unexpected(posted, self.extras.of(id, message).rts_arrival);
        request.posted = message.arrival;
        let (send, receive) = (message.send, message.receive);
        if posted > message.arrival && send != NONE {
            self.requests[send].cause = posted;
        }
        self.complete(send, at);
        self.return_received(id, at, posted);
        if self.requests[receive].kind == RequestKind::Handler {
            self.messages[id].send = NONE;
            return self.schedule_arrival(id, at);
        }
        self.messages.free(id);
        self.complete(receive, at);
    }
}

/// The transfer of the current phase of a message.
#[inline]
fn transfer(network: &ActiveNetwork, message: &Message, bytes: u64) -> Transfer {
    match message.phase {
        Phase::Data => network.transfer(message.from, message.to, bytes),
        Phase::ClearToSend => network.transfer(message.to, message.from, 0),
        _ => network.transfer(message.from, message.to, 0),
    }
}
