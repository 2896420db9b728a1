//! Flows: messages that move at once over all links of their route and share them max-min fairly.
//!
//! A link has as much time to give as it is wide: so many messages run on it at full speed, more of them slow each other down. The
//! rate of a flow is a fraction of its own full speed, which is that of the piece for its size, so that a flow that meets nobody
//! takes d t0(h) + t(s) whatever the piece. After t0(h) and the start-ups of t(s) its bytes begin to move; when they have moved
//! it has left its sender, and it arrives after the d - 1 further t0(h). Where the model says how long a message keeps a link from
//! others ([`Network::occupancy`]), that is what it shares, and the rest of t(s) counts as start-up.
//!
//! Rates are those of progressive filling (see [`solve`]), in whole parts of [`FULL`]; work is counted in the same parts, so no
//! step rounds but the last, which ends a flow at the first whole picosecond at which its bytes have moved. All that begins and
//! ends at one moment is solved for together, and only what it touches.
//!
//! Most flows meet nobody. One that has all of its links to itself when it is put on the network is taken to go on so: nothing happens
//! to it but its end, and nothing is kept of its links but its name. If another comes to one of them meanwhile, the two have
//! [met](Flows::meet), and from then on it is one of many, as if it had always been.

mod agenda;
mod links;
mod message;
mod places;
mod solve;

use panto_machine::Network;
use panto_units::Time;

use self::agenda::{Agenda, Entry};
use self::links::Links;
use self::message::{Flow, Share, State};
use self::places::Users;
use super::{Carried, Load, Passage, Ticket};
use crate::memo::Memo;
use crate::slots::Slots;

/// Full speed. Divisible by all numbers up to 20, so that common shares are exact.
pub(super) const FULL: u64 = 232_792_560 << 12;

/// A network whose messages are flows.
#[derive(Debug)]
pub(super) struct Flows {
    messages: Slots<Flow>,
    links: Links,
    /// When flows begin to move or have moved.
    agenda: Agenda,
    clock: u64,
    /// Flows that begin to move now and have no rate yet.
    fresh: Vec<u32>,
    scratch: solve::Scratch,
    injected: u64,
    /// The time that a header takes over a link.
    header: u64,
    /// The time that the bytes of a message take alone, and its start-ups.
    times: Memo<(u64, u64)>,
}

/// Events from asking for a flow to its turn: as long as memory takes to answer, and more.
const AHEAD: usize = 6;

impl Flows {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            messages: Slots::default(),
            links: Links::new(&network.topology),
            agenda: Agenda::default(),
            clock: 0,
            fresh: Vec::new(),
            scratch: solve::Scratch::default(),
            injected: 0,
            header: network.switching.header(&network.setup).as_picos(),
            times: Memo::default(),
        }
    }

    #[inline]
    pub(super) fn inject(&mut self, network: &Network, now: u64, ticket: Ticket, load: Load) -> Carried {
        let (alone, startups) = self.times.get((load.bytes, 0), || {
            let whole = network.link.of(load.bytes).as_picos();
            let alone = super::occupied(network, load.bytes).min(whole);
            (alone, whole - alone)
        });
        let begin = now.saturating_add(self.header).saturating_add(startups);
        if alone == 0 {
            return Carried::At(self.passage(begin, network.topology.distance(load.from, load.to)));
        }
        if self.clock < now {
            self.solve();
            self.clock = now;
        }
        let slot = self.messages.take();
        let flow = &mut self.messages[slot];
        (flow.ticket, flow.order, flow.touched) = (ticket, self.injected, false);
        self.injected += 1;
        flow.links.clear();
        let places = &mut self.links.places;
        let mut meets = false;
        network.topology.route(load.from, load.to, |link| {
            let place = places.of(link);
            meets |= places.users(place) != Users::Nobody;
            flow.links.push(place);
        });
        if meets {
            self.join_others(slot, begin, alone);
        } else {
            for place in &flow.links {
                places.set(*place, Users::One(slot));
            }
            (flow.state, flow.since, flow.when) = (State::Alone, begin, begin.saturating_add(alone));
            self.agenda.put(slot, flow);
        }
        Carried::Later
    }

    /// A flow comes to links that others use.
    fn join_others(&mut self, slot: u32, begin: u64, alone: u64) {
        // Whom it meets is no longer alone, which changes that flow and not this one.
        let mut route = std::mem::take(&mut self.messages[slot].links);
        for place in &mut route {
            if let Users::One(other) = self.links.places.users(*place) {
                self.meet(other);
            }
            *place = self.links.hold(*place);
        }
        let flow = &mut self.messages[slot];
        (flow.links, flow.share.alone) = (route, alone);
        (flow.state, flow.when) = (State::Waiting, begin);
        if begin == self.clock {
            self.begin(slot);
        } else {
            self.agenda.put(slot, flow);
        }
    }

    /// A flow that was alone shares links from now on.
    fn meet(&mut self, slot: u32) {
        let flow = &mut self.messages[slot];
        for link in &mut flow.links {
            *link = self.links.hold(*link);
        }
        // Where time ends before the flow does, this is less than it was: at no rate does it end earlier than that.
        let alone = flow.when - flow.since;
        if flow.since > self.clock {
            (flow.state, flow.when, flow.share.alone) = (State::Waiting, flow.since, alone);
            self.agenda.put(slot, flow);
            return;
        }
        flow.state = State::Moving;
        let rest = u128::from(alone) * u128::from(FULL);
        flow.share = Share { alone, lowest: FULL, second: FULL, rate: FULL, rest };
        for link in &flow.links {
            self.links.join(*link, slot, FULL);
        }
    }

    /// A message from this node will be put on the network soon.
    #[inline]
    pub(super) fn touch(&self, from: u32) {
        self.links.places.touch(from);
    }

    /// The message to which something happens so many events later, as far as that is known.
    #[inline]
    pub(super) fn later(&self, by: usize) -> Option<Ticket> {
        self.agenda.later(by).map(|entry| entry.ticket)
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        self.solve();
        self.agenda.first(&self.messages).map(|entry| entry.time)
    }

    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        loop {
            let first = self.agenda.first(&self.messages).filter(|entry| entry.time <= now);
            if first.map_or(now, |entry| entry.time) > self.clock && self.is_unsolved() {
                // Time goes on: rates are needed, and somebody may be through before that.
                self.solve();
                continue;
            }
            let Some(Entry { time, slot, ticket, .. }) = first else { break };
            self.clock = self.clock.max(time);
            self.agenda.take_first();
            self.touch_next();
            if self.messages[slot].state == State::Waiting {
                self.begin(slot);
            } else {
                done(time, ticket, self.end(slot));
            }
        }
        self.clock = self.clock.max(now);
    }

    /// Asks for what coming events need, in two steps, since one is found by the other.
    #[inline]
    fn touch_next(&self) {
        if let Some(entry) = self.agenda.later(2 * AHEAD) {
            self.messages.soon(entry.slot);
        }
        if let Some(entry) = self.agenda.later(AHEAD) {
            let flow = &self.messages[entry.slot];
            if let (State::Alone, Some(place)) = (flow.state, flow.links.first()) {
                self.links.places.soon(*place);
            }
        }
    }

    /// The flow's bytes begin to move.
    fn begin(&mut self, slot: u32) {
        let flow = &mut self.messages[slot];
        flow.state = State::Moving;
        flow.when = u64::MAX;
        flow.since = self.clock;
        flow.share.rate = 0;
        flow.look_at(&self.links);
        for link in &flow.links {
            let limit = flow.share.limit(self.links[*link].level);
            self.links.join(*link, slot, limit);
        }
        self.fresh.push(slot);
    }

    /// The flow's bytes have moved.
    #[inline]
    fn end(&mut self, slot: u32) -> Passage {
        let flow = &mut self.messages[slot];
        for link in &flow.links {
            match flow.state {
                State::Alone => self.links.places.free(*link),
                State::Waiting | State::Moving => self.links.leave(*link, slot, flow.share.rate),
            }
        }
        flow.forget();
        let hops = flow.links.len() as u32;
        self.messages.give_back(slot);
        self.passage(self.clock, hops)
    }

    /// Of a message that has left over so many links.
    #[inline]
    fn passage(&self, left: u64, hops: u32) -> Passage {
        let tail = self.header.saturating_mul(u64::from(hops).saturating_sub(1));
        Passage { left: Time::from_picos(left), arrived: Time::from_picos(left.saturating_add(tail)) }
    }
}
