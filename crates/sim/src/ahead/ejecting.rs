//! The ejection port: messages that a rank receives follow each other.
//!
//! The port of a rank serves messages in the order of arrival, which is known for those that the
//! rank waits for together (`MPI_Waitall`, a run of waits in the program): the rank is blocked
//! until all of them have been sent, and then they pass the port in the order of arrival. Receives
//! that are completed one by one pass it in program order; one that arrived before the port was
//! last busy is not delayed (see [`EjectionPort`](crate::network::EjectionPort)). So times differ
//! from those of the [time-ordered engine](crate::ordered) where a message that is received later
//! in the program arrives while the port ejects one that is received earlier.
//!
//! The helpers of a rank, which carry out its non-blocking collectives, have ports of their own.

use panto_units::Time;

use super::channels::Message;
use super::partition::{Partition, Runner, SetAside};
use super::rank::{Slot, SlotContent};
use super::rendezvous;
use crate::observe::Observer;
use crate::program::Op;

/// A message that is about to pass the ejection port.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ejecting {
    arrival: Time,
    time: Time,
    slot: u32,
}

impl<'a, O: Observer> Partition<'a, O> {
    /// Passes a message through the rank's ejection port. Returns when it has arrived.
    #[inline]
    pub(super) fn eject(&mut self, position: u32, arrival: Time, time: Time) -> Time {
        if time == Time::ZERO {
            return arrival;
        }
        let arrived = self.ejection_ports[position as usize].eject(arrival, time);
        self.latest = self.latest.max(arrived);
        arrived
    }

    /// Passes the messages of a receive, and of all that are waited for directly after it, through
    /// the ejection port. Returns false if one of them has not been sent: the rank is blocked.
    #[inline]
    pub(super) fn eject_together(&mut self, runner: &mut Runner<'a>, slot: u32) -> bool {
        let mut together = std::mem::take(&mut self.ejecting);
        together.clear();
        let are_sent = self.collect_receives(runner, slot, &mut together);
        if are_sent {
            if together.len() > 1 {
                // Stable: messages that arrive at once pass in program order.
                together.sort_by_key(|message| message.arrival);
            }
            for message in &together {
                let arrived = self.eject(runner.position, message.arrival, message.time);
                self.set_arrival(runner, message.slot, arrived);
            }
        }
        self.ejecting = together;
        are_sent
    }

    /// Collects the messages of a wait and of the waits that follow it directly. Returns false if
    /// one has not been sent, with the rank blocked on it.
    #[inline]
    fn collect_receives(&mut self, runner: &mut Runner<'a>, slot: u32, into: &mut Vec<Ejecting>) -> bool {
        let waited = |partition: &Self, pc: u32| match partition.chunk_map.op(runner.rank.ops, pc)?.unpack() {
            Op::Wait { slot } => Some(slot),
            _ => None,
        };
        let (slots, mut pc) = (runner.rank.slots, runner.rank.pc);
        // A blocking receive has a slot, too, but is not a wait.
        let is_wait = waited(self, pc.wrapping_sub(1)) == Some(slot);
        let mut next = Some(slot);
        while let Some(slot) = next {
            let held = self.slots[(slots + slot) as usize];
            if matches!(held.content(), SlotContent::Receive) {
                let Some(message) = self.sent_message(held) else {
                    self.block_on(runner, slot, held);
                    return false;
                };
                let class = self.channels.states[self.place(held.channel)].class();
                let bytes = rendezvous::size(&self.details, message);
                let time = self.costs.of(class, held.channel, bytes).ejecting;
                into.push(Ejecting { arrival: message.arrival, time, slot });
            }
            next = if is_wait { waited(self, pc) } else { None };
            pc += 1;
        }
        true
    }

    /// Returns the message of a posted receive, if it has been sent.
    #[inline]
    fn sent_message(&self, held: Slot) -> Option<Message> {
        let at = self.place(held.channel);
        let ahead = held.ahead_of(self.channels.states[at].taken);
        if ahead != 0
            && let Some(SetAside::Message(message)) = self.set_aside.get(&(at as u32, held.nth()))
        {
            return Some(*message);
        }
        self.channels.peek(at, ahead)
    }

    /// Blocks a rank on a receive whose message has not been sent.
    #[inline]
    fn block_on(&mut self, runner: &mut Runner<'a>, slot: u32, held: Slot) {
        let at = self.place(held.channel);
        let ahead = held.ahead_of(self.channels.states[at].taken);
        if ahead != 0 {
            self.set_messages_aside(at, ahead);
        }
        self.channels.await_message(at, runner.position);
        runner.rank.waiting_slot = slot;
    }

    /// Notes when the message of a receive has arrived, now that it has passed the port.
    #[inline]
    fn set_arrival(&mut self, runner: &Runner<'a>, slot: u32, arrived: Time) {
        let held = &mut self.slots[(runner.rank.slots + slot) as usize];
        held.set_ejected();
        let held = *held;
        let at = self.place(held.channel);
        let ahead = held.ahead_of(self.channels.states[at].taken);
        if ahead != 0
            && let Some(SetAside::Message(message)) = self.set_aside.get_mut(&(at as u32, held.nth()))
        {
            message.arrival = arrived;
        } else if let Some(message) = self.channels.peek(at, ahead) {
            self.channels.resolve(at, ahead, Message { arrival: arrived, ..message });
        }
    }
}
