//! Receiving, and waiting for requests.

use panto_units::Time;

use super::channels::{DETAILED, Message};
use super::partition::{Partition, Runner, SetAside};
use super::rank::{Slot, SlotContent, wrap};
use super::rendezvous;
use crate::observe::{Activity, Cause, Observer, ReceivedMessage};

/// The completion of a send that is not known yet.
const UNKNOWN: Time = Time::from_picos(u64::MAX);

impl<'a, O: Observer> Partition<'a, O> {
    /// Returns the index of a channel among those of this partition.
    #[inline]
    pub(super) fn place(&self, channel: u32) -> usize {
        channel.wrapping_sub(self.first_channel) as usize
    }

    /// Receives the next message of a channel.
    #[inline]
    pub(super) fn receive(&mut self, runner: &mut Runner<'a>, channel: u32) -> bool {
        let at = self.place(channel);
        let state = &mut self.channels.states[at];
        if !O::ENABLED
            && let Some((arrival, bytes)) = state.receive()
        {
            let message = Message { arrival, bytes, sent: Time::ZERO };
            self.complete_receive(runner, channel, message, runner.rank.clock, false);
            return true;
        }
        if state.tracks_receives() || !state.none_pending() {
            return self.out_of_line(runner, |partition, runner| partition.receive_later(runner, channel));
        }
        let Some(message) = self.channels.take(at) else {
            self.channels.await_message(at, runner.position);
            runner.rank.pc -= 1;
            return false;
        };
        let state = &mut self.channels.states[at];
        state.posted = state.taken;
        self.complete_receive(runner, channel, message, runner.rank.clock, false);
        true
    }

    /// Posts a receive and waits for it, where that is not the same as taking the next message.
    #[inline(never)]
    fn receive_later(&mut self, runner: &mut Runner<'a>, channel: u32) -> bool {
        let slot = self.blocking_slot(runner.position);
        self.post(runner, channel, slot);
        self.wait(runner, slot)
    }

    /// Posts a receive that is waited for later.
    #[inline]
    pub(super) fn start_receive(&mut self, runner: &mut Runner<'a>, channel: u32, slot: u32) -> bool {
        let class = self.channels.states[self.place(channel)].class();
        self.work(runner, Activity::Message, self.costs.start_overhead(class));
        self.post(runner, channel, slot);
        true
    }

    /// Posts a receive into a slot.
    #[inline]
    fn post(&mut self, runner: &mut Runner<'a>, channel: u32, slot: u32) {
        let at = self.place(channel);
        let state = &mut self.channels.states[at];
        let posted = runner.rank.clock;
        self.slots[(runner.rank.slots + slot) as usize] = Slot::receive(channel, state.posted, posted);
        let tracks_receives = state.tracks_receives();
        state.posted = state.posted.wrapping_add(1);
        if tracks_receives {
            self.record_post(at, posted);
        }
    }

    /// Records the time of a posted receive, for which a sender may wait, or matches it with a
    /// message that was sent before.
    #[cold]
    #[inline(never)]
    fn record_post(&mut self, at: usize, posted: Time) {
        let state = &self.channels.states[at];
        let nth = state.posted.wrapping_sub(state.taken).wrapping_sub(1);
        let Some(message) = self.channels.peek(at, nth) else {
            return self.channels.push_post(at, posted);
        };
        if message.bytes & DETAILED != 0 {
            let detail = rendezvous::take(&mut self.details, message);
            let message = self.resolve(at, message, detail, posted);
            self.channels.resolve(at, nth, message);
        }
    }

    /// Waits for the request in a slot.
    #[inline]
    pub(super) fn wait(&mut self, runner: &mut Runner<'a>, slot: u32) -> bool {
        let place = (runner.rank.slots + slot) as usize;
        let held = self.slots[place];
        match held.content() {
            SlotContent::Empty => true,
            SlotContent::Receive if self.costs.shares_ports => {
                self.eject_together(runner, slot) && self.wait_for_receive(runner, slot, held)
            }
            SlotContent::Receive | SlotContent::Ejected => self.wait_for_receive(runner, slot, held),
            SlotContent::Send => {
                self.out_of_line(runner, |partition, runner| partition.wait_for_send(runner, slot, held))
            }
        }
    }

    #[inline]
    fn wait_for_receive(&mut self, runner: &mut Runner<'a>, slot: u32, held: Slot) -> bool {
        let at = self.place(held.channel);
        let is_next = held.ahead_of(self.channels.states[at].taken) == 0;
        let found = if is_next { self.channels.take(at) } else { self.take_out_of_order(at, held) };
        let Some(message) = found else {
            self.channels.await_message(at, runner.position);
            runner.rank.waiting_slot = slot;
            return false;
        };
        self.slots[(runner.rank.slots + slot) as usize] = Slot::EMPTY;
        // If ports are shared, all messages that are waited for have passed.
        self.complete_receive(runner, held.channel, message, held.time, true);
        true
    }

    /// Takes the message of a receive that is not the next of its channel.
    #[cold]
    #[inline(never)]
    fn take_out_of_order(&mut self, at: usize, held: Slot) -> Option<Message> {
        if let Some(SetAside::Message(message)) = self.set_aside.remove(&(at as u32, held.nth())) {
            return Some(message);
        }
        self.set_messages_aside(at, held.ahead_of(self.channels.states[at].taken));
        if held.ahead_of(self.channels.states[at].taken) != 0 {
            return None;
        }
        self.channels.take(at)
    }

    /// Takes `count` messages out of a channel, for receives that were posted and not waited for.
    pub(super) fn set_messages_aside(&mut self, at: usize, count: u32) {
        for _ in 0..count {
            let key = (at as u32, wrap(self.channels.states[at].taken));
            let Some(message) = self.channels.take(at) else { return };
            match self.set_aside.remove(&key) {
                Some(SetAside::Freed) if message.bytes & DETAILED != 0 => {
                    rendezvous::take(&mut self.details, message);
                }
                Some(SetAside::Freed) => {}
                _ => {
                    self.set_aside.insert(key, SetAside::Message(message));
                }
            }
        }
    }

    #[inline(never)]
    fn wait_for_send(&mut self, runner: &mut Runner<'a>, slot: u32, held: Slot) -> bool {
        if held.time == UNKNOWN {
            runner.rank.waiting_slot = slot;
            return false;
        }
        let place = (runner.rank.slots + slot) as usize;
        self.slots[place] = Slot::EMPTY;
        self.wait_until(runner, held.time, |partition| partition.causes[place]);
        true
    }

    /// Completes a receive: waits until the message has passed the ejection port, unless it has,
    /// and charges the overhead.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the rank should stay in registers")]
    fn complete_receive(
        &mut self,
        runner: &mut Runner<'a>,
        channel: u32,
        message: Message,
        posted: Time,
        is_ejected: bool,
    ) {
        let mut arrival = message.arrival;
        let (bytes, chosen) = if message.bytes & DETAILED == 0 {
            (message.bytes, None)
        } else {
            let (bytes, chosen) = rendezvous::remove(&mut self.details, message);
            (bytes, Some(chosen))
        };
        let mut work = Time::ZERO;
        if !self.costs.receives_free {
            let class = self.channels.states[self.place(channel)].class();
            let cost = *self.costs.of(class, channel, bytes);
            if self.costs.shares_ports && !is_ejected {
                arrival = self.eject(runner.position, arrival, cost.ejecting);
            }
            let is_unexpected = chosen.unwrap_or(arrival) < posted;
            work = if is_unexpected { cost.unexpected } else { cost.receiving };
        }
        let sender = |partition: &Self| partition.prepared.channels()[channel as usize].from;
        self.wait_until(runner, arrival, |partition| Cause { rank: sender(partition), at: message.sent });
        self.work(runner, Activity::Message, work);
        if O::ENABLED {
            let (rank, name) = (self.code(runner.position), self.prepared.program_number(channel));
            let passed = ReceivedMessage { channel: name, bytes, sent: message.sent, arrived: arrival };
            self.observer.received(rank, passed);
        }
    }

    /// Frees a request that will not be waited for.
    pub(super) fn free(&mut self, runner: &mut Runner<'a>, slot: u32) -> bool {
        let place = (runner.rank.slots + slot) as usize;
        let held = std::mem::replace(&mut self.slots[place], Slot::EMPTY);
        if matches!(held.content(), SlotContent::Receive) {
            let key = (self.place(held.channel) as u32, held.nth());
            match self.set_aside.remove(&key) {
                Some(SetAside::Message(message)) if message.bytes & DETAILED != 0 => {
                    rendezvous::remove(&mut self.details, message);
                }
                Some(_) => {}
                None => {
                    self.set_aside.insert(key, SetAside::Freed);
                }
            }
        }
        true
    }

    /// Waits until the next message has arrived, and leaves it in its channel.
    pub(super) fn probe(&mut self, runner: &mut Runner<'a>, channel: u32) -> bool {
        let at = self.place(channel);
        let state = &self.channels.states[at];
        let ahead = state.posted.wrapping_sub(state.taken);
        self.set_messages_aside(at, ahead);
        let Some(message) =
            self.channels.states[at].none_pending().then(|| self.channels.peek(at, 0)).flatten()
        else {
            self.channels.await_message(at, runner.position);
            runner.rank.pc -= 1;
            return false;
        };
        let sender = |partition: &Self| partition.prepared.channels()[channel as usize].from;
        self.wait_until(runner, message.arrival, |partition| Cause {
            rank: sender(partition),
            at: message.sent,
        });
        self.work(runner, Activity::Message, self.config.machine.processor.poll);
        true
    }
}
