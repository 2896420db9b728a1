//! Receives, and waiting for what was started.

use panto_units::Time;

use super::odd;
use super::part::{Early, Part, Runner};
use super::queue::{Entry, ODD};
use super::rank::{Holds, Slot, around};
use crate::observe::{Activity, Cause, Observer, Passed};

/// Not known yet.
const UNKNOWN: Time = Time::from_picos(u64::MAX);

impl<'a, O: Observer> Part<'a, O> {
    /// The place of a channel that ends here.
    #[inline]
    fn place(&self, channel: u32) -> usize {
        channel.wrapping_sub(self.channel) as usize
    }

    /// Receives the next message.
    #[inline]
    pub(super) fn receive(&mut self, runner: &mut Runner<'a>, channel: u32) -> bool {
        let at = self.place(channel);
        let state = &mut self.queues.channels[at];
        if !O::LOOKS
            && let Some((arrival, bytes)) = state.receive()
        {
            let entry = Entry { arrival, bytes, sent: Time::ZERO };
            self.got(runner, channel, entry, runner.rank.clock);
            return true;
        }
        if state.answers() || !state.is_even() {
            return self.rarely(runner, |part, runner| part.receive_later(runner, channel));
        }
        let Some(entry) = self.queues.take(at) else {
            self.queues.want(at, runner.seat);
            runner.rank.next -= 1;
            return false;
        };
        let state = &mut self.queues.channels[at];
        state.posted = state.taken;
        self.got(runner, channel, entry, runner.rank.clock);
        true
    }

    /// Posts a receive and waits for it, where that is not the same as taking the next message.
    #[inline(never)]
    fn receive_later(&mut self, runner: &mut Runner<'a>, channel: u32) -> bool {
        let slot = self.own_slot(runner.seat);
        self.post(runner, channel, slot);
        self.wait(runner, slot)
    }

    /// Starts to receive.
    #[inline]
    pub(super) fn start_receive(&mut self, runner: &mut Runner<'a>, channel: u32, slot: u32) -> bool {
        let class = self.queues.channels[self.place(channel)].class();
        self.work(runner, Activity::Message, self.prices.starting(class));
        self.post(runner, channel, slot);
        true
    }

    #[inline]
    fn post(&mut self, runner: &mut Runner<'a>, channel: u32, slot: u32) {
        let at = self.place(channel);
        let state = &mut self.queues.channels[at];
        let posted = runner.rank.clock;
        self.slots[(runner.rank.slots + slot) as usize] = Slot::receive(channel, state.posted, posted);
        let answers = state.answers();
        state.posted = state.posted.wrapping_add(1);
        if answers {
            self.announce(at, posted);
        }
    }

    /// Somebody may wait for this receive.
    #[cold]
    #[inline(never)]
    fn announce(&mut self, at: usize, posted: Time) {
        let state = &self.queues.channels[at];
        let nth = state.posted.wrapping_sub(state.taken).wrapping_sub(1);
        let Some(entry) = self.queues.look(at, nth) else {
            return self.queues.pledge(at, posted);
        };
        if entry.bytes & ODD != 0 {
            let odd = odd::take(&mut self.odds, entry);
            let entry = self.settle(at, entry, odd, posted);
            self.queues.settle(at, nth, entry);
        }
    }

    /// Waits until what is in a slot is complete.
    #[inline]
    pub(super) fn wait(&mut self, runner: &mut Runner<'a>, slot: u32) -> bool {
        let place = (runner.rank.slots + slot) as usize;
        let held = self.slots[place];
        match held.holds() {
            Holds::Nothing => true,
            Holds::Receive => self.wait_for_receive(runner, slot, held),
            Holds::Send => self.rarely(runner, |part, runner| part.wait_for_send(runner, slot, held)),
        }
    }

    #[inline]
    fn wait_for_receive(&mut self, runner: &mut Runner<'a>, slot: u32, held: Slot) -> bool {
        let at = self.place(held.channel);
        let is_next = held.ahead_of(self.queues.channels[at].taken) == 0;
        let found = if is_next { self.queues.take(at) } else { self.take_out_of_turn(at, held) };
        let Some(entry) = found else {
            self.queues.want(at, runner.seat);
            runner.rank.waits = slot;
            return false;
        };
        self.slots[(runner.rank.slots + slot) as usize] = Slot::EMPTY;
        self.got(runner, held.channel, entry, held.time);
        true
    }

    /// Takes the message of a receive that is not the next of its channel.
    #[cold]
    #[inline(never)]
    fn take_out_of_turn(&mut self, at: usize, held: Slot) -> Option<Entry> {
        if let Some(Early::Message(entry)) = self.early.remove(&(at as u32, held.nth())) {
            return Some(entry);
        }
        self.set_aside(at, held.ahead_of(self.queues.channels[at].taken));
        if held.ahead_of(self.queues.channels[at].taken) != 0 {
            return None;
        }
        self.queues.take(at)
    }

    /// Takes so many messages out of a channel, for receives that were posted and not waited for.
    fn set_aside(&mut self, at: usize, count: u32) {
        for _ in 0..count {
            let key = (at as u32, around(self.queues.channels[at].taken));
            let Some(entry) = self.queues.take(at) else { return };
            match self.early.remove(&key) {
                Some(Early::Unwanted) if entry.bytes & ODD != 0 => {
                    odd::take(&mut self.odds, entry);
                }
                Some(Early::Unwanted) => {}
                _ => {
                    self.early.insert(key, Early::Message(entry));
                }
            }
        }
    }

    #[inline(never)]
    fn wait_for_send(&mut self, runner: &mut Runner<'a>, slot: u32, held: Slot) -> bool {
        if held.time == UNKNOWN {
            runner.rank.waits = slot;
            return false;
        }
        let place = (runner.rank.slots + slot) as usize;
        self.slots[place] = Slot::EMPTY;
        self.idle(runner, held.time, |part| part.causes[place]);
        true
    }

    /// A message has met its receive, and the rank has come to wait for it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the rank should stay in registers")]
    fn got(&mut self, runner: &mut Runner<'a>, channel: u32, entry: Entry, posted: Time) {
        let (bytes, chosen) = if entry.bytes & ODD == 0 {
            (entry.bytes, entry.arrival)
        } else {
            odd::remove(&mut self.odds, entry)
        };
        let sender = |part: &Self| part.prepared.channels()[channel as usize].from;
        self.idle(runner, entry.arrival, |part| Cause { rank: sender(part), at: entry.sent });
        if !self.prices.receives_free {
            let class = self.queues.channels[self.place(channel)].class();
            let price = self.prices.of(class, channel, bytes);
            let time = if chosen < posted { price.unexpected } else { price.receiving };
            self.work(runner, Activity::Message, time);
        }
        if O::LOOKS {
            let (rank, name) = (self.code(runner.seat), self.prepared.name(channel));
            let passed = Passed { channel: name, bytes, sent: entry.sent, arrived: entry.arrival };
            self.observer.received(rank, passed);
        }
    }

    /// Nobody will wait for what is in a slot.
    pub(super) fn free(&mut self, runner: &mut Runner<'a>, slot: u32) -> bool {
        let place = (runner.rank.slots + slot) as usize;
        let held = std::mem::replace(&mut self.slots[place], Slot::EMPTY);
        if matches!(held.holds(), Holds::Receive) {
            let key = (self.place(held.channel) as u32, held.nth());
            match self.early.remove(&key) {
                Some(Early::Message(entry)) if entry.bytes & ODD != 0 => {
                    odd::remove(&mut self.odds, entry);
                }
                Some(_) => {}
                None => {
                    self.early.insert(key, Early::Unwanted);
                }
            }
        }
        true
    }

    /// Waits until the next message can be known of.
    pub(super) fn probe(&mut self, runner: &mut Runner<'a>, channel: u32) -> bool {
        let at = self.place(channel);
        let state = &self.queues.channels[at];
        let ahead = state.posted.wrapping_sub(state.taken);
        self.set_aside(at, ahead);
        let Some(entry) = self.queues.channels[at].is_even().then(|| self.queues.look(at, 0)).flatten()
        else {
            self.queues.want(at, runner.seat);
            runner.rank.next -= 1;
            return false;
        };
        let sender = |part: &Self| part.prepared.channels()[channel as usize].from;
        self.idle(runner, entry.arrival, |part| Cause { rank: sender(part), at: entry.sent });
        self.work(runner, Activity::Message, self.setting.machine.processor.poll);
        true
    }
}
