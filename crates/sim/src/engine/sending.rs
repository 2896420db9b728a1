//! From a send to the arrival of its bytes.

use panto_units::Time;

use super::events::Event;
use super::message::{Kind, Message, NONE, Phase, Request, UNKNOWN};
use super::wire::Wire;
use super::{ChannelId, Engine, Envelope, Manner, MessageId, RequestId, State, Within};
use crate::network::{Carried, Load, Passage};

/// No network at all.
const ASIDE: u8 = u8::MAX;

impl Engine {
    /// A rank sends. The answer names the message, whose bytes the driver keeps until their delivery, and the request unless
    /// the send is complete at once.
    pub fn send(&mut self, rank: u32, envelope: Envelope) -> (MessageId, Option<RequestId>) {
        let channel = self.channels.between(rank, envelope.to);
        self.send_over(channel, rank, envelope)
    }

    /// The same over a known channel ([`Engine::channel`]).
    pub fn send_over(
        &mut self,
        channel: ChannelId,
        rank: u32,
        envelope: Envelope,
    ) -> (MessageId, Option<RequestId>) {
        let wire = if envelope.aside { ASIDE } else { self.wires.number(envelope.operation) };
        let start = self.leave(rank, wire);
        let phase = match envelope.manner {
            Manner::Handshake | Manner::Rendezvous => Phase::Request,
            _ => Phase::Data,
        };
        let sender = &mut self.ranks[rank as usize];
        sender.sent = sender.sent.wrapping_add(1);
        let (number, clock) = (sender.sent, sender.clock);
        let is_odd = envelope.manner == Manner::Handshake || envelope.carried != envelope.bytes;
        let message = self.messages.put(Message {
            from: rank,
            to: envelope.to,
            tag: envelope.tag,
            number,
            bytes: envelope.bytes,
            channel,
            next: NONE,
            send: NONE,
            receive: NONE,
            came: UNKNOWN,
            sent: clock,
            manner: envelope.manner,
            phase,
            wire,
            arrived: false,
            expected: false,
            cancelled: false,
            is_odd,
        });
        if is_odd {
            self.odds.put(message, envelope.carried);
        }
        let request =
            (envelope.manner != Manner::Buffered).then(|| self.send_request(rank, envelope, message, clock));
        self.offer(message);
        self.set_off(message, start);
        (message, request)
    }

    fn send_request(&mut self, rank: u32, envelope: Envelope, message: u32, clock: Time) -> RequestId {
        let to = Within::one(envelope.to, envelope.tag);
        let request = Request { message, bytes: envelope.bytes, ..Request::new(Kind::Send, rank, to, clock) };
        let id = self.requests.put(request);
        self.messages[message].send = id;
        id
    }

    /// When the rank's next message can go: not too soon after the last.
    fn leave(&mut self, rank: u32, wire: u8) -> Time {
        if wire == ASIDE {
            return self.ranks[rank as usize].clock;
        }
        let gap = self.wires.get(wire).gap;
        let rank = &mut self.ranks[rank as usize];
        let start = rank.clock.max(rank.free);
        rank.free = start.saturating_add(gap);
        start
    }

    /// Shows the message to the receives that wait for it, unless they wait for its arrival.
    fn offer(&mut self, id: u32) {
        let (to, tag, channel) = {
            let message = &self.messages[id];
            (message.to, message.tag, message.channel)
        };
        if self.ranks[to as usize].ordered.is_none()
            && let Some(request) = self.channels.get(channel).take_posted(&mut self.requests, tag)
        {
            return self.link(id, request);
        }
        self.channels.get(channel).messages.push(&mut self.messages, id);
    }

    /// The next part of the message goes on its network at `start`: the request, the grant or the bytes.
    pub(super) fn set_off(&mut self, id: u32, start: Time) {
        let message = &self.messages[id];
        let (from, number) = (message.from, message.number);
        if message.wire == ASIDE {
            return self.passed(id, Passage { left: start, arrived: start });
        }
        let wire = self.wires.get(message.wire);
        let start = if message.phase == Phase::Data { start } else { start.saturating_add(wire.control) };
        if wire.traffic.is_some() {
            return self.events.push(start, Event::Inject(id), from, number);
        }
        let carried = self.odds.of(id, message).carried;
        let ask = || wire.transit(load(wire, message, carried));
        // Most messages are of the first network, and are remembered; the others, and requests and grants, are not.
        let transit = if message.wire == 0 && message.phase == Phase::Data {
            self.channels.get(message.channel).transit(carried, ask)
        } else {
            ask()
        };
        let passage = Passage::after(start, transit);
        self.passed(id, passage);
    }

    pub(super) fn put_on_wire(&mut self, id: u32) {
        let now = self.now;
        let message = &self.messages[id];
        let wire = self.wires.get(message.wire);
        let load = load(wire, message, self.odds.of(id, message).carried);
        let carried = wire.traffic.as_mut().map(|traffic| traffic.inject(now, id, load));
        match carried {
            Some(Carried::At(passage)) => self.passed(id, passage),
            Some(Carried::Left(left)) => self.bytes_have_left(id, left),
            Some(Carried::Later) | None => {}
        }
    }

    /// Lets a network do what it does at this time.
    pub(super) fn advance(&mut self, time: Time, wire: u8) {
        self.now = time;
        let mut passed = std::mem::take(&mut self.passed);
        if let Some(traffic) = &mut self.wires.get(wire).traffic {
            traffic.advance(time, &mut |id, passage| passed.push((id, passage)));
        }
        for (at, &(id, passage)) in passed.iter().enumerate() {
            self.touch_passing(&passed[at..], wire);
            self.passed(id, passage);
        }
        passed.clear();
        self.passed = passed;
    }

    /// It is known when the part of the message that was on the network arrives.
    fn passed(&mut self, id: u32, passage: Passage) {
        self.is_over |= passage.arrived == UNKNOWN;
        let message = &mut self.messages[id];
        if message.cancelled {
            message.phase = Phase::Arrived;
            return self.forget(id);
        }
        match (message.phase, message.manner) {
            (Phase::Request, Manner::Rendezvous) => {
                message.phase = Phase::Asked;
                message.came = passage.arrived;
                self.came(id);
                self.grant(id);
            }
            (Phase::Request, _) => {
                message.phase = Phase::Grant;
                self.odds.asked(id, passage.arrived);
                self.set_off(id, passage.arrived);
            }
            (Phase::Grant, _) => {
                message.phase = Phase::Data;
                self.set_off(id, passage.arrived);
            }
            _ => self.bytes_are_there(id, passage),
        }
    }

    /// The sender may go on, although nobody knows yet when the bytes arrive.
    fn bytes_have_left(&mut self, id: u32, left: Time) {
        let message = &mut self.messages[id];
        if message.phase == Phase::Data && matches!(message.manner, Manner::Handshake | Manner::Rendezvous) {
            let send = std::mem::replace(&mut message.send, NONE);
            self.complete(send, left);
        }
    }

    fn bytes_are_there(&mut self, id: u32, passage: Passage) {
        let message = &mut self.messages[id];
        message.phase = Phase::Arrived;
        let first_sign = message.came == UNKNOWN;
        message.came = passage.arrived;
        let completes = match message.manner {
            Manner::NoSpace => passage.arrived,
            Manner::Handshake | Manner::Rendezvous => passage.left,
            Manner::Buffered | Manner::Synchronous => UNKNOWN,
        };
        if completes != UNKNOWN {
            let send = std::mem::replace(&mut message.send, NONE);
            self.complete(send, completes);
        }
        if first_sign {
            self.came(id);
        }
        self.conclude(id);
    }

    /// The receiver's side can know of the message. Where arrivals are ordered, that is an event.
    fn came(&mut self, id: u32) {
        let message = &self.messages[id];
        let (to, came) = (message.to, message.came);
        if message.receive != NONE {
            return;
        }
        if self.ranks[to as usize].ordered.is_some() {
            self.expect(id, came);
        } else if let State::Probing(within) = &self.ranks[to as usize].state
            && within.accepts(message.from, message.tag)
            && self.may_go_first(id, **within)
        {
            let state = &mut self.ranks[to as usize];
            state.clock = state.clock.max(came);
            self.wake(to, Time::ZERO);
        }
    }

    /// The message will arrive at this time.
    pub(super) fn expect(&mut self, id: u32, at: Time) {
        let message = &mut self.messages[id];
        message.expected = true;
        self.events.push(at, Event::Arrive(id), message.from, message.number);
    }

    /// Answers a request to send, when it has come and the receive is posted.
    pub(super) fn grant(&mut self, id: u32) {
        let message = &mut self.messages[id];
        if message.phase != Phase::Asked || message.receive == NONE {
            return;
        }
        message.phase = Phase::Grant;
        let posted = self.requests[message.receive].posted;
        let start = message.came.max(posted);
        if posted > message.came && message.send != NONE {
            self.requests[message.send].cause = posted;
        }
        self.set_off(id, start);
    }

    /// Ends a message whose bytes are there and that has met its receive.
    pub(super) fn conclude(&mut self, id: u32) {
        let message = &self.messages[id];
        if message.phase != Phase::Arrived || message.receive == NONE {
            return;
        }
        let request = &mut self.requests[message.receive];
        let (posted, at) = (request.posted, message.came.max(request.posted));
        request.unexpected = message.is_unexpected(posted, self.odds.of(id, message).asked);
        request.posted = message.came;
        let (send, receive) = (message.send, message.receive);
        if posted > message.came && send != NONE {
            self.requests[send].cause = posted;
        }
        self.complete(send, at);
        if self.requests[receive].kind == Kind::Handler {
            self.messages[id].send = NONE;
            return self.expect(id, at);
        }
        self.messages.give_back(id);
        self.complete(receive, at);
    }
}

/// What the network carries in this phase of a message.
#[inline]
fn load(wire: &Wire, message: &Message, carried: u64) -> Load {
    match message.phase {
        Phase::Data => wire.load(message.from, message.to, carried),
        Phase::Grant => wire.load(message.to, message.from, 0),
        _ => wire.load(message.from, message.to, 0),
    }
}
