//! Store and forward, and virtual cut-through (Kermani and Kleinrock 1979): a message takes its
//! links one after the other.
//!
//! A link serves messages in the order in which their heads arrive. *Store and forward*: the link
//! carries the whole message for t(s), and the message proceeds when all of it has arrived, so that
//! d links take d t(s). Packets of one message do not overlap on several links, as in the thesis's
//! formula, and those of two messages are not interleaved. *Cut-through*: the header passes in
//! t0(h) and proceeds at once, the message follows in t(s), and the link is occupied for both; in
//! front of an occupied link the message is buffered as a whole.
//!
//! Because links serve in order, the state of a link is the time at which it is free, and a message
//! that arrives at a link knows at once when it is through. Each link after the first costs one
//! event, O(log n); a message to a neighbour costs none.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use panto_machine::{LinkId, Network, Switching};
use panto_units::Time;
use smallvec::SmallVec;

use super::availability::LinkAvailability;
use super::{Injected, Passage, Ticket, Transfer};
use crate::slab::Slab;

/// A network whose messages queue at each link.
#[derive(Debug)]
pub(super) struct HopByHop {
    pub(super) links_free: LinkAvailability,
    in_flight: Slab<InFlight>,
    /// When a message arrives at its next link: time, injection order, slot.
    arrivals: BinaryHeap<Reverse<(u64, u64, u32)>>,
    injected: u64,
}

/// A message in the network.
#[derive(Debug, Default)]
struct InFlight {
    ticket: Ticket,
    /// The remaining links of its route, in reverse order.
    remaining: SmallVec<[LinkId; 4]>,
    service: Service,
    left: u64,
}

/// The service that a message needs of each link; times in picoseconds.
#[derive(Debug, Default, Clone, Copy)]
struct Service {
    /// The time for which it occupies the link.
    hold: u64,
    /// The time until its head arrives at the next link.
    step: u64,
}

impl HopByHop {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            links_free: LinkAvailability::new(&network.topology),
            in_flight: Slab::default(),
            arrivals: BinaryHeap::new(),
            injected: 0,
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
        let service = Service::of(network, transfer.bytes);
        let slot = self.in_flight.reserve();
        let message = &mut self.in_flight[slot];
        message.remaining.clear();
        network.topology.route(transfer.from, transfer.to, |link| message.remaining.push(link));
        message.remaining.reverse();
        let Some(first) = message.remaining.pop() else {
            self.in_flight.free(slot);
            return Injected::Scheduled(Passage::at(now));
        };
        let begin = serve(&mut self.links_free, first, now, service);
        let left = begin.saturating_add(service.hold);
        if message.remaining.is_empty() {
            self.in_flight.free(slot);
            return Injected::Scheduled(Passage::at(left));
        }
        (message.ticket, message.service, message.left) = (ticket, service, left);
        self.arrivals.push(Reverse((begin.saturating_add(service.step), self.injected, slot)));
        self.injected += 1;
        Injected::Left(Time::from_picos(left))
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
            let message = &mut self.in_flight[slot];
            let Some(link) = message.remaining.pop() else { return };
            let begin = serve(&mut self.links_free, link, time, message.service);
            if message.remaining.is_empty() {
                std::collections::binary_heap::PeekMut::pop(top);
                let arrived = begin.saturating_add(message.service.hold);
                let passage =
                    Passage { left: Time::from_picos(message.left), arrived: Time::from_picos(arrived) };
                let ticket = message.ticket;
                self.in_flight.free(slot);
                done(time, ticket, passage);
            } else {
                // Replaces the top of the heap in one sift.
                *top = Reverse((begin.saturating_add(message.service.step), order, slot));
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

/// Serves a message that arrives at a link; returns when the service begins.
#[inline]
fn serve(links_free: &mut LinkAvailability, link: LinkId, now: u64, service: Service) -> u64 {
    let begin = now.max(links_free.earliest_free(link));
    links_free.occupy(link, now, begin.saturating_add(service.hold));
    begin
}
