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

mod agenda;
mod links;
mod solve;

use panto_machine::Network;
use panto_units::Time;
use smallvec::SmallVec;

use self::agenda::Agenda;
use self::links::Links;
use super::{Carried, Load, Passage, Ticket};
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
}

/// A message under way.
#[derive(Debug, Default)]
struct Flow {
    ticket: Ticket,
    order: u64,
    /// Its links, by their slots.
    links: SmallVec<[u32; 6]>,
    /// The time that its bytes take alone.
    alone: u64,
    /// The lowest level of its links, and the lowest of the others, both at most [`FULL`].
    lowest: u64,
    second: u64,
    /// What is left to move of `alone`, in parts of full speed.
    rest: u128,
    /// How fast it moves, and since when.
    rate: u64,
    since: u64,
    /// From leaving to arriving.
    tail: u64,
    moving: bool,
    /// Its rate may have changed.
    touched: bool,
}

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
        }
    }

    #[inline]
    pub(super) fn inject(&mut self, network: &Network, now: u64, ticket: Ticket, load: Load) -> Carried {
        let whole = network.link.of(load.bytes).as_picos();
        let alone = super::occupied(network, load.bytes).min(whole);
        let startups = whole - alone;
        let header = network.switching.header(&network.setup).as_picos();
        let begin = now.saturating_add(header).saturating_add(startups);
        if alone == 0 {
            let hops = u64::from(network.topology.distance(load.from, load.to));
            return Carried::At(passage(begin, header.saturating_mul(hops.saturating_sub(1))));
        }
        if self.clock < now {
            self.solve();
            self.clock = now;
        }
        let slot = self.messages.take();
        let flow = &mut self.messages[slot];
        flow.links.clear();
        let links = &mut self.links;
        network
            .topology
            .route(load.from, load.to, |link| flow.links.push(links.hold(&network.topology, link)));
        let order = self.injected;
        (flow.ticket, flow.order, flow.alone) = (ticket, order, alone);
        flow.tail = header.saturating_mul((flow.links.len() as u64).saturating_sub(1));
        (flow.moving, flow.touched) = (false, false);
        self.injected += 1;
        if begin == now {
            self.begin(slot);
        } else {
            self.agenda.set(slot, begin, order);
        }
        Carried::Later
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        self.solve();
        self.agenda.next()
    }

    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        loop {
            let next = self.agenda.next().filter(|time| *time <= now);
            if next.unwrap_or(now) > self.clock && self.is_unsolved() {
                // Time goes on: rates are needed, and somebody may be through before `next`.
                self.solve();
                continue;
            }
            let Some(time) = next else { break };
            self.clock = self.clock.max(time);
            let Some(slot) = self.agenda.pop() else { break };
            if self.messages[slot].moving {
                let (ticket, passage) = self.end(slot);
                done(time, ticket, passage);
            } else {
                self.begin(slot);
            }
        }
        self.clock = self.clock.max(now);
    }

    /// The flow's bytes begin to move.
    fn begin(&mut self, slot: u32) {
        let flow = &mut self.messages[slot];
        flow.moving = true;
        flow.rate = 0;
        flow.since = self.clock;
        flow.look_at(&self.links);
        for link in &flow.links {
            let limit = flow.limit(self.links[*link].level);
            self.links.join(*link, slot, limit);
        }
        self.fresh.push(slot);
    }

    /// The flow's bytes have moved.
    fn end(&mut self, slot: u32) -> (Ticket, Passage) {
        let flow = &self.messages[slot];
        for link in &flow.links {
            self.links.leave(*link, slot, flow.rate);
        }
        let answer = (flow.ticket, passage(self.clock, flow.tail));
        self.messages.give_back(slot);
        answer
    }
}

impl Flow {
    /// What the links other than one of this level let it have.
    #[inline]
    fn limit(&self, level: u64) -> u64 {
        if level == self.lowest { self.second } else { self.lowest }
    }

    /// Finds the lowest levels of its links.
    fn look_at(&mut self, links: &Links) {
        (self.lowest, self.second) = (FULL, FULL);
        for link in &self.links {
            let level = links[*link].level;
            self.second = self.second.min(level.max(self.lowest));
            self.lowest = self.lowest.min(level);
        }
    }
}

fn passage(left: u64, tail: u64) -> Passage {
    Passage { left: Time::from_picos(left), arrived: Time::from_picos(left.saturating_add(tail)) }
}
