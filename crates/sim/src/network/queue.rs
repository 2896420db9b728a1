//! Store and forward, and virtual cut-through: a message takes its links one after the other.
//!
//! A link serves messages in the order in which their heads come to it. Store and forward: it serves a whole message for t(s), and
//! the message goes on when all of it is there, so that d links take d t(s). Packets of one message are not spread over several
//! links, because the thesis's formula says so, nor are those of two messages mixed on a link. Cut-through: the header passes in
//! t0(h) and goes on at once, the message follows in t(s), and the link is taken for both; where the next link is taken, the
//! message gathers in front of it.
//!
//! As links serve in order, all that a link must remember is when it is free: a message that comes to it knows at once when it
//! has passed. There is one event for each link after the first, and none for a message to a neighbour.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use panto_machine::{LinkId, Network, Switching};
use panto_units::Time;
use smallvec::SmallVec;

use super::channels::Channels;
use super::{Carried, Load, Passage, Ticket};
use crate::slots::Slots;

/// A network whose messages queue at links.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) channels: Channels,
    flights: Slots<Flight>,
    /// When a message comes to its next link: time, order, flight.
    arrivals: BinaryHeap<Reverse<(u64, u64, u32)>>,
    injected: u64,
}

/// A message on its way.
#[derive(Debug, Default)]
struct Flight {
    ticket: Ticket,
    /// The links that it has not come to, in reverse order.
    ahead: SmallVec<[LinkId; 4]>,
    service: Service,
    left: u64,
}

/// What a message wants of each of its links.
#[derive(Debug, Default, Clone, Copy)]
struct Service {
    /// The link is taken for this long.
    hold: u64,
    /// The message comes to the next link after this long.
    step: u64,
}

impl Queue {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            channels: Channels::new(&network.topology),
            flights: Slots::default(),
            arrivals: BinaryHeap::new(),
            injected: 0,
        }
    }

    #[inline]
    pub(super) fn inject(&mut self, network: &Network, now: u64, ticket: Ticket, load: Load) -> Carried {
        let service = Service::of(network, load.bytes);
        let slot = self.flights.take();
        let flight = &mut self.flights[slot];
        flight.ahead.clear();
        network.topology.route(load.from, load.to, |link| flight.ahead.push(link));
        flight.ahead.reverse();
        let Some(first) = flight.ahead.pop() else {
            self.flights.give_back(slot);
            return Carried::At(Passage::together(now));
        };
        let begin = serve(&mut self.channels, first, now, service);
        let left = begin.saturating_add(service.hold);
        if flight.ahead.is_empty() {
            self.flights.give_back(slot);
            return Carried::At(Passage::together(left));
        }
        (flight.ticket, flight.service, flight.left) = (ticket, service, left);
        self.arrivals.push(Reverse((begin.saturating_add(service.step), self.injected, slot)));
        self.injected += 1;
        Carried::Left(Time::from_picos(left))
    }

    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        self.arrivals.peek().map(|Reverse((time, ..))| *time)
    }

    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        while let Some(mut top) = self.arrivals.peek_mut()
            && top.0.0 <= now
        {
            let Reverse((time, order, slot)) = *top;
            let flight = &mut self.flights[slot];
            let Some(link) = flight.ahead.pop() else { return };
            let begin = serve(&mut self.channels, link, time, flight.service);
            if flight.ahead.is_empty() {
                std::collections::binary_heap::PeekMut::pop(top);
                let arrived = begin.saturating_add(flight.service.hold);
                let passage =
                    Passage { left: Time::from_picos(flight.left), arrived: Time::from_picos(arrived) };
                let ticket = flight.ticket;
                self.flights.give_back(slot);
                done(time, ticket, passage);
            } else {
                // Replaces the top in one go.
                *top = Reverse((begin.saturating_add(flight.service.step), order, slot));
            }
        }
    }
}

impl Service {
    #[inline]
    fn of(network: &Network, bytes: u64) -> Self {
        let hold = network.link.of(bytes).as_picos();
        match network.switching {
            Switching::CutThrough { header } | Switching::Flow { header } => {
                let step = network.setup.of(header).as_picos();
                Self { hold: step.saturating_add(hold), step }
            }
            _ => Self { hold, step: hold },
        }
    }
}

/// A message comes to a link; the answer is when the link begins to serve it.
#[inline]
fn serve(channels: &mut Channels, link: LinkId, now: u64, service: Service) -> u64 {
    let begin = now.max(channels.earliest(link));
    channels.take(link, now, begin.saturating_add(service.hold));
    begin
}
