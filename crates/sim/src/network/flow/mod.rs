//! Flows: messages that move over all links of their route at once and share them max-min fairly.
//!
//! # Model
//!
//! A link has as much capacity as it is wide: that many messages use it at full speed, and more of
//! them slow each other down. The rate of a flow is a fraction of its own full speed, which is that
//! of the cost piece for its size; so a flow without contention takes d t0(h) + t(s) whatever the
//! piece. Its data begins to move after t0(h) and the start-ups of t(s); when it has moved, the
//! message has left its sender, and it arrives after the d - 1 further t0(h). Where the model says
//! how long a message occupies a link ([`Network::occupancy`]), that is what it shares, and the
//! rest of t(s) counts as start-up.
//!
//! Endpoints or the height of its route may limit a flow to less than the speed of a link
//! ([`Network::pipelined`], [`Network::flow_rates`]): a *rate bound*, as in `SimGrid` (Velho,
//! Schnorr, Casanova and Legrand 2013). It then needs only a part of its links, and others move
//! over the rest. The flows of a pipelined processor together are as fast as the fastest of them;
//! that is the capacity of the link between the processor and its switch, its *port*.
//!
//! # Max-min fairness
//!
//! An allocation of rates is *max-min fair* if no flow can get more without taking from one that
//! has no more than it (Bertsekas and Gallager, *Data Networks*, 1992, section 6.5.2). There is
//! exactly one, and *progressive filling* finds it: all rates grow together until a link is
//! saturated, whose flows keep their rate; the others grow on. [`solve`] updates the allocation
//! after a change instead of computing it anew.
//!
//! Rates are integers in units of 1/[`FULL`], and work is counted in the same units, so no step
//! rounds except the last, which ends a flow at the first whole picosecond at which its data has
//! moved. All that begins and ends at one time is solved for together, and only the links that it
//! affects.
//!
//! # Exclusive flows
//!
//! Most flows have no contention. One that finds all of its links idle when it is injected is
//! *exclusive*: its only event is its end, and its links store nothing but its slot. If another
//! flow arrives at one of its links meanwhile, it becomes a [shared flow](Flows::start_sharing), as
//! if it had been one from the start. An exclusive flow costs O(d); the cost of shared ones is that
//! of the links whose level changes.

mod event_list;
mod link_table;
mod shared_links;
mod solve;
mod state;

use panto_machine::Network;
use panto_units::Time;

use self::event_list::{Entry, EventList};
use self::link_table::LinkUse;
use self::shared_links::SharedLinks;
use self::state::{Flow, Share, State};
use super::{Injected, Passage, Ticket, Transfer};
use crate::memo::Memo;
use crate::slab::Slab;

/// The rate of full speed: divisible by all numbers up to 20, so that common shares are exact.
pub(super) const FULL: u64 = 232_792_560 << 12;

/// A network whose messages are flows.
#[derive(Debug)]
pub(super) struct Flows {
    messages: Slab<Flow>,
    links: SharedLinks,
    /// When the data of flows begins to move, or has moved.
    events: EventList,
    clock: u64,
    /// Flows whose data begins to move now and that have no rate yet.
    unrated: Vec<u32>,
    scratch: solve::Scratch,
    injected: u64,
    /// The time of a header over a link, in picoseconds.
    header: u64,
    /// By message size, and by distance if that limits flows.
    times: Memo<Times>,
    /// Whether flows have limits besides their links.
    is_limited: bool,
    /// Whether the limit of a flow depends on its distance.
    has_levels: bool,
    /// Whether the first and the last link of a route are those of processors, which are no faster
    /// than one flow.
    has_ports: bool,
}

/// The times of a message, in picoseconds.
#[derive(Debug, Clone, Copy)]
struct Times {
    /// The start-ups.
    startups: u64,
    /// Its data without contention.
    alone: u64,
    /// Its data at full speed: what it takes of the links.
    duration: u64,
}

impl Times {
    /// The largest rate of the flow.
    fn limit(self) -> u64 {
        if self.alone == self.duration {
            return FULL;
        }
        let exact = u128::from(FULL) * u128::from(self.duration);
        exact.div_ceil(self.alone.into()) as u64
    }
}

/// Events between two steps of prefetching: at least as long as memory takes to respond.
const AHEAD: usize = 6;

impl Flows {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            messages: Slab::default(),
            links: SharedLinks::new(&network.topology),
            events: EventList::default(),
            clock: 0,
            unrated: Vec::new(),
            scratch: solve::Scratch::default(),
            injected: 0,
            header: network.switching.header(&network.setup).as_picos(),
            times: Memo::default(),
            is_limited: network.limits_flows(),
            has_levels: !network.flow_rates.is_empty(),
            has_ports: network.pipelined && network.topology.has_switches(),
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
        // Only a fat tree limits flows by distance, and its height is less than 32.
        let distance =
            if self.has_levels { network.topology.distance(transfer.from, transfer.to) } else { 1 };
        let times = self.times.get((transfer.bytes, distance as u8), || {
            let parts = network.flow_parts(transfer.bytes, distance);
            let [startups, alone, duration] =
                [parts.startup, parts.alone, parts.on_links].map(Time::as_picos);
            Times { startups, alone, duration }
        });
        let begin = now.saturating_add(self.header).saturating_add(times.startups);
        if times.duration == 0 {
            let hops = network.topology.distance(transfer.from, transfer.to);
            return Injected::Scheduled(self.passage(begin.saturating_add(times.alone), hops));
        }
        if self.clock < now {
            self.solve();
            self.clock = now;
        }
        let slot = self.messages.reserve();
        let flow = &mut self.messages[slot];
        (flow.ticket, flow.order, flow.is_marked) = (ticket, self.injected, false);
        self.injected += 1;
        flow.links.clear();
        if self.is_limited {
            (flow.share.duration, flow.share.most) = (times.duration, times.limit());
        }
        let table = &mut self.links.table;
        let mut is_shared = false;
        network.topology.route(transfer.from, transfer.to, |link| {
            let index = table.index(link);
            is_shared |= table.users(index) != LinkUse::Idle;
            flow.links.push(index);
        });
        if is_shared {
            self.inject_shared(slot, begin, times);
        } else {
            for index in &flow.links {
                table.set(*index, LinkUse::Exclusive(slot));
            }
            (flow.state, flow.since, flow.next_event) =
                (State::Exclusive, begin, begin.saturating_add(times.alone));
            self.events.schedule(slot, flow);
        }
        Injected::Pending
    }

    /// Injects a flow into links that other flows use.
    fn inject_shared(&mut self, slot: u32, begin: u64, times: Times) {
        // Flows that were exclusive become shared, which changes them and not this one.
        let mut route = std::mem::take(&mut self.messages[slot].links);
        for link in &route {
            if let LinkUse::Exclusive(other) = self.links.table.users(*link) {
                self.start_sharing(other);
            }
        }
        self.links.add_route(&mut route, self.has_ports);
        let flow = &mut self.messages[slot];
        (flow.links, flow.share.duration, flow.share.alone) = (route, times.duration, times.alone);
        flow.share.most = times.limit();
        (flow.state, flow.next_event) = (State::Waiting, begin);
        if begin == self.clock {
            self.begin(slot);
        } else {
            self.events.schedule(slot, flow);
        }
    }

    /// Makes an exclusive flow a shared one.
    fn start_sharing(&mut self, slot: u32) {
        let flow = &mut self.messages[slot];
        self.links.add_route(&mut flow.links, self.has_ports);
        // If its end exceeds the range of time, this is less than it was: it ends there at any
        // rate.
        let alone = flow.next_event - flow.since;
        // An exclusive flow that has no limit is at full speed, and has nothing of its share.
        let (duration, most) =
            if self.is_limited { (flow.share.duration, flow.share.most) } else { (alone, FULL) };
        flow.share.alone = alone;
        (flow.share.duration, flow.share.most) = (duration, most);
        if flow.since > self.clock {
            (flow.state, flow.next_event) = (State::Waiting, flow.since);
            self.events.schedule(slot, flow);
            return;
        }
        flow.state = State::Moving;
        let remaining = u128::from(duration) * u128::from(FULL);
        flow.share = Share { duration, alone, most, lowest: most, second: most, rate: most, remaining };
        for link in &flow.links {
            self.links.join(*link, slot, most);
        }
    }

    /// Prefetches the links that a message from this node is likely to use first.
    #[inline]
    pub(super) fn prefetch(&self, from: u32) {
        self.links.table.prefetch_node(from);
    }

    /// The message of the event that comes `by` events later, if that is known yet.
    #[inline]
    pub(super) fn upcoming(&self, by: usize) -> Option<Ticket> {
        self.events.upcoming(by).map(|entry| entry.ticket)
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        self.solve();
        self.events.first(&self.messages).map(|entry| entry.time)
    }

    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        loop {
            let first = self.events.first(&self.messages).filter(|entry| entry.time <= now);
            if first.map_or(now, |entry| entry.time) > self.clock && self.is_unsolved() {
                // Time advances: rates are needed, and a flow may end before the next event.
                self.solve();
                continue;
            }
            let Some(Entry { time, slot, ticket, .. }) = first else { break };
            self.clock = self.clock.max(time);
            self.events.take_first();
            self.prefetch_next();
            if self.messages[slot].state == State::Waiting {
                self.begin(slot);
            } else {
                done(time, ticket, self.end(slot));
            }
        }
        self.clock = self.clock.max(now);
    }

    /// Prefetches what coming events need: first the flow, then its first link.
    #[inline]
    fn prefetch_next(&self) {
        if let Some(entry) = self.events.upcoming(2 * AHEAD) {
            self.messages.prefetch(entry.slot);
        }
        if let Some(entry) = self.events.upcoming(AHEAD) {
            let flow = &self.messages[entry.slot];
            if let (State::Exclusive, Some(index)) = (flow.state, flow.links.first()) {
                self.links.table.prefetch(*index);
            }
        }
    }

    /// Begins to move the data of a shared flow.
    fn begin(&mut self, slot: u32) {
        let flow = &mut self.messages[slot];
        flow.state = State::Moving;
        flow.next_event = u64::MAX;
        flow.since = self.clock;
        flow.share.rate = 0;
        flow.update_limits(&self.links);
        for link in &flow.links {
            let limit = flow.share.limit(self.links[*link].level);
            self.links.join(*link, slot, limit);
        }
        self.unrated.push(slot);
    }

    /// Ends a flow whose data has moved.
    #[inline]
    fn end(&mut self, slot: u32) -> Passage {
        let flow = &mut self.messages[slot];
        for link in &flow.links {
            match flow.state {
                State::Exclusive => self.links.table.free(*link),
                State::Waiting | State::Moving => self.links.leave(*link, slot, flow.share.rate),
            }
        }
        flow.invalidate();
        let hops = flow.links.len() as u32;
        self.messages.free(slot);
        self.passage(self.clock, hops)
    }

    /// The passage of a message over `hops` links that has left its sender.
    #[inline]
    fn passage(&self, left: u64, hops: u32) -> Passage {
        let tail = self.header.saturating_mul(u64::from(hops).saturating_sub(1));
        Passage { left: Time::from_picos(left), arrived: Time::from_picos(left.saturating_add(tail)) }
    }
}
