//! Endpoints: the messages of a processor share its injection port and its ejection port.
//!
//! This is how the LogGP family limits bandwidth (Alexandrov, Ionescu, Schauser and Scheiman 1995):
//! the network between the ports is never a bottleneck. A message occupies each of its two ports
//! for [`Network::port_time`]. The injection port takes messages in the order in which they are
//! sent, each when the one before it has gone in. The ejection port takes them in the order in
//! which they would arrive without contention: a message has arrived when its last byte has, which
//! is at least its port time after the last byte of the one before.
//!
//! *Invariant*: a message that finds both ports idle takes its uncontended time. *Cost*: O(log n)
//! for a message, with n in flight.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use panto_machine::{Network, Transit};
use panto_units::Time;

use super::{Injected, Passage, Ticket, Transfer};
use crate::slab::Slab;

/// The ports of all processors.
#[derive(Debug)]
pub(super) struct Ports {
    /// When each injection port can take the next message, in picoseconds.
    injection_free: Vec<u64>,
    ejection: Vec<EjectionPort>,
    in_flight: Slab<InFlight>,
    /// Arrivals without contention: time, order of injection, slot.
    arrivals: BinaryHeap<Reverse<(u64, u64, u32)>>,
    injected: u64,
}

/// A message between its two ports.
#[derive(Debug, Default, Clone, Copy)]
struct InFlight {
    ticket: Ticket,
    to: u32,
    port_time: Time,
    left: Time,
}

impl Ports {
    pub(super) fn new(network: &Network) -> Self {
        let count = network.processors();
        Self {
            injection_free: vec![0; count],
            ejection: vec![EjectionPort::default(); count],
            in_flight: Slab::default(),
            arrivals: BinaryHeap::new(),
            injected: 0,
        }
    }

    pub(super) fn inject(
        &mut self,
        network: &Network,
        now: u64,
        ticket: Ticket,
        Transfer { from, to, bytes }: Transfer,
    ) -> Injected {
        let port_time = network.port_time(from, to, bytes);
        let free = &mut self.injection_free[from as usize];
        let start = now.max(*free);
        *free = start.saturating_add(port_time.as_picos());
        let Transit { leaves, arrives } = network.transit(from, to, bytes);
        let left = Time::from_picos(start).saturating_add(leaves);
        let slot = self.in_flight.insert(InFlight { ticket, to, port_time, left });
        let arrival = start.saturating_add(arrives.as_picos());
        self.arrivals.push(Reverse((arrival, self.injected, slot)));
        self.injected += 1;
        Injected::Left(left)
    }

    pub(super) fn next(&self) -> Option<u64> {
        self.arrivals.peek().map(|Reverse((time, ..))| *time)
    }

    /// Ejects all messages that would arrive up to `now` without contention.
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        while let Some(&Reverse((time, _, slot))) = self.arrivals.peek()
            && time <= now
        {
            self.arrivals.pop();
            let InFlight { ticket, to, port_time, left } = self.in_flight[slot];
            self.in_flight.free(slot);
            let arrived = self.ejection[to as usize].eject(Time::from_picos(time), port_time);
            done(time, ticket, Passage { left, arrived });
        }
    }
}

/// The ejection port of a processor, as the interval in which it was last busy.
///
/// Messages need not be ejected in the order of arrival: one that arrives before the interval
/// begins is not delayed by what came later.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct EjectionPort {
    busy_from: Time,
    /// When the last byte of the last message arrived; zero before the first message.
    busy_until: Time,
}

impl EjectionPort {
    /// Ejects a message that would arrive at `arrival` if the port were idle. Returns when it has
    /// arrived.
    #[inline]
    pub(crate) fn eject(&mut self, arrival: Time, port_time: Time) -> Time {
        let after_last = self.busy_until.saturating_add(port_time);
        if arrival >= after_last || self.busy_until == Time::ZERO {
            self.busy_from = arrival.since(port_time);
            self.busy_until = arrival;
            arrival
        } else if arrival <= self.busy_from {
            arrival
        } else {
            self.busy_until = after_last;
            after_last
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn messages_follow_each_other_out_of_a_port() {
        let mut port = EjectionPort::default();
        assert_eq!(port.eject(ns(100), ns(10)), ns(100));
        assert_eq!(port.eject(ns(100), ns(10)), ns(110));
        assert_eq!(port.eject(ns(105), ns(20)), ns(130));
        assert_eq!(port.eject(ns(200), ns(10)), ns(200));
    }

    #[test]
    fn what_came_before_is_not_delayed_by_what_comes_after() {
        let mut port = EjectionPort::default();
        assert_eq!(port.eject(ns(100), ns(10)), ns(100));
        assert_eq!(port.eject(ns(90), ns(10)), ns(90));
        assert_eq!(port.eject(ns(95), ns(10)), ns(110));
    }
}
