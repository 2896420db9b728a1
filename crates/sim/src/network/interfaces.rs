//! Nodes: processors that share a way to the network (T5).
//!
//! A node has one interface for messages that leave and one for messages that come. Each serves one message at a time, for the
//! interface's time of its size, in the order in which they come to it, and stores it before it goes on. Messages between
//! processors of one node use neither. For the links, the order of messages is that in which they leave their interfaces.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use panto_machine::{Network, Nodes};
use panto_units::Time;

use super::traffic::Policy;
use super::{Carried, Load, Passage, Ticket};
use crate::slots::Slots;

/// The interfaces of all nodes.
#[derive(Debug)]
pub(super) struct Interfaces {
    size: u32,
    leaving: Vec<u64>,
    coming: Vec<u64>,
    flights: Slots<Flight>,
    /// When a message goes on the network, or comes to its receiver's interface: time, order, flight.
    moves: BinaryHeap<Reverse<(u64, u64, u32)>>,
    injected: u64,
}

/// A message on its way.
#[derive(Debug, Default, Clone, Copy)]
struct Flight {
    ticket: Ticket,
    order: u64,
    from: u32,
    to: u32,
    bytes: u64,
    /// How long an interface is taken.
    hold: u64,
    left: u64,
    /// Has it been on the network?
    over: bool,
}

impl Interfaces {
    pub(super) fn new(network: &Network, nodes: &Nodes) -> Self {
        let count = network.topology.processors();
        Self {
            size: nodes.size,
            leaving: vec![0; count],
            coming: vec![0; count],
            flights: Slots::default(),
            moves: BinaryHeap::new(),
            injected: 0,
        }
    }

    /// A message to another node goes to its sender's interface.
    pub(super) fn inject(&mut self, nodes: &Nodes, now: u64, ticket: Ticket, load: Load) -> Carried {
        let (from, to) = (load.from / self.size, load.to / self.size);
        let hold = nodes.interface.of(load.bytes).as_picos();
        let left = serve(&mut self.leaving[from as usize], now, hold);
        let order = self.injected;
        self.injected += 1;
        let slot = self.flights.take();
        self.flights[slot] = Flight { ticket, order, from, to, bytes: load.bytes, hold, left, over: false };
        self.moves.push(Reverse((left, order, slot)));
        Carried::Left(Time::from_picos(left))
    }

    pub(super) fn next(&self, network: Option<u64>) -> Option<u64> {
        let own = self.moves.peek().map(|Reverse((time, ..))| *time);
        own.into_iter().chain(network).min()
    }

    /// At each moment the network is first, then the interfaces.
    pub(super) fn advance(
        &mut self,
        network: &Network,
        policy: &mut Policy,
        now: u64,
        done: &mut impl FnMut(u64, Ticket, Passage),
    ) {
        loop {
            let inside = policy.next();
            let own = self.moves.peek().map(|Reverse((time, ..))| *time);
            match (inside, own) {
                (Some(time), _) if time <= now && own.is_none_or(|own| time <= own) => {
                    policy.advance(time, &mut |_, slot, passage| self.over(slot, passage));
                }
                (_, Some(time)) if time <= now => self.step(network, policy, done),
                _ => return,
            }
        }
    }

    fn step(&mut self, network: &Network, policy: &mut Policy, done: &mut impl FnMut(u64, Ticket, Passage)) {
        let Some(Reverse((time, _, slot))) = self.moves.pop() else { return };
        let Flight { ticket, from, to, bytes, hold, left, over, .. } = self.flights[slot];
        if over {
            let arrived = Time::from_picos(serve(&mut self.coming[to as usize], time, hold));
            self.flights.give_back(slot);
            done(time, ticket, Passage { left: Time::from_picos(left), arrived });
        } else if let Carried::At(passage) = policy.inject(network, time, slot, Load { from, to, bytes }) {
            self.over(slot, passage);
        }
    }

    /// It is known when the network has carried the message.
    fn over(&mut self, slot: u32, passage: Passage) {
        let flight = &mut self.flights[slot];
        flight.over = true;
        self.moves.push(Reverse((passage.arrived.as_picos(), flight.order, slot)));
    }
}

/// The server takes the message as soon as it can; the answer is when it has passed.
fn serve(free: &mut u64, now: u64, hold: u64) -> u64 {
    *free = now.max(*free).saturating_add(hold);
    *free
}
