//! Nodes whose processors share a NIC (T5).
//!
//! A NIC has an egress and an ingress side. Each serves one message at a time, first come, first
//! served, for the interface's time of the message's size, and stores the message before it
//! forwards it. Messages between processors of one node use neither. Messages enter the links in
//! the order in which they leave their NICs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use panto_machine::{Network, Nodes};
use panto_units::Time;

use super::traffic::Policy;
use super::{Injected, Passage, Ticket, Transfer};
use crate::slab::Slab;

/// The NICs of all nodes; times in picoseconds.
#[derive(Debug)]
pub(super) struct Nics {
    /// Processors of a node.
    size: u32,
    /// When the egress side of each NIC is free.
    egress: Vec<u64>,
    /// When the ingress side of each NIC is free.
    ingress: Vec<u64>,
    in_flight: Slab<InFlight>,
    /// When a message enters the links or reaches its receiver's NIC: time, injection order, slot.
    events: BinaryHeap<Reverse<(u64, u64, u32)>>,
    injected: u64,
}

/// A message between two nodes.
#[derive(Debug, Default, Clone, Copy)]
struct InFlight {
    ticket: Ticket,
    order: u64,
    from: u32,
    to: u32,
    bytes: u64,
    /// The time for which it occupies a NIC.
    hold: u64,
    left: u64,
    /// Whether the links have carried it.
    has_crossed: bool,
}

impl Nics {
    pub(super) fn new(network: &Network, nodes: &Nodes) -> Self {
        let count = network.topology.processors();
        Self {
            size: nodes.size,
            egress: vec![0; count],
            ingress: vec![0; count],
            in_flight: Slab::default(),
            events: BinaryHeap::new(),
            injected: 0,
        }
    }

    /// Injects a message to another node into its sender's NIC.
    pub(super) fn inject(&mut self, nodes: &Nodes, now: u64, ticket: Ticket, transfer: Transfer) -> Injected {
        let (from, to) = (transfer.from / self.size, transfer.to / self.size);
        let hold = nodes.interface.of(transfer.bytes).as_picos();
        let left = serve(&mut self.egress[from as usize], now, hold);
        let order = self.injected;
        self.injected += 1;
        let slot = self.in_flight.reserve();
        self.in_flight[slot] =
            InFlight { ticket, order, from, to, bytes: transfer.bytes, hold, left, has_crossed: false };
        self.events.push(Reverse((left, order, slot)));
        Injected::Left(Time::from_picos(left))
    }

    pub(super) fn next(&self, network: Option<u64>) -> Option<u64> {
        let own = self.events.peek().map(|Reverse((time, ..))| *time);
        own.into_iter().chain(network).min()
    }

    /// Processes all events up to `now`; at each time the links first, then the NICs.
    pub(super) fn advance(
        &mut self,
        network: &Network,
        policy: &mut Policy,
        now: u64,
        done: &mut impl FnMut(u64, Ticket, Passage),
    ) {
        loop {
            let inside = policy.next();
            let own = self.events.peek().map(|Reverse((time, ..))| *time);
            match (inside, own) {
                (Some(time), _) if time <= now && own.is_none_or(|own| time <= own) => {
                    policy.advance(time, &mut |_, slot, passage| self.crossed(slot, passage));
                }
                (_, Some(time)) if time <= now => self.step(network, policy, done),
                _ => return,
            }
        }
    }

    fn step(&mut self, network: &Network, policy: &mut Policy, done: &mut impl FnMut(u64, Ticket, Passage)) {
        let Some(Reverse((time, _, slot))) = self.events.pop() else { return };
        let InFlight { ticket, from, to, bytes, hold, left, has_crossed, .. } = self.in_flight[slot];
        if has_crossed {
            let arrived = Time::from_picos(serve(&mut self.ingress[to as usize], time, hold));
            self.in_flight.free(slot);
            done(time, ticket, Passage { left: Time::from_picos(left), arrived });
        } else if let Injected::Scheduled(passage) =
            policy.inject(network, time, slot, Transfer { from, to, bytes })
        {
            self.crossed(slot, passage);
        }
    }

    /// Schedules the arrival at the receiver's NIC, once it is known when the links have carried
    /// the message.
    fn crossed(&mut self, slot: u32, passage: Passage) {
        let message = &mut self.in_flight[slot];
        message.has_crossed = true;
        self.events.push(Reverse((passage.arrived.as_picos(), message.order, slot)));
    }
}

/// Serves a message as soon as the server is free; returns when it is through.
fn serve(free: &mut u64, now: u64, hold: u64) -> u64 {
    *free = now.max(*free).saturating_add(hold);
    *free
}
