//! Sends.

use panto_machine::Transit;
use panto_units::Time;

use super::mail::Letter;
use super::odd::{self, Answer, Asker, Odd};
use super::part::{Part, Runner};
use super::price;
use super::queue::{Entry, ODD, Put};
use super::rank::Slot;
use crate::costs;
use crate::engine::Manner;
use crate::observe::{Activity, Cause, Observer};
use crate::program::{Lane, Sending};

/// Not known yet.
const UNKNOWN: Time = Time::from_picos(u64::MAX);

impl<'a, O: Observer> Part<'a, O> {
    /// Sends, or starts to if there is a slot.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the two callers know whether there is a slot")]
    pub(super) fn send(
        &mut self,
        runner: &mut Runner<'a>,
        sending: Sending,
        channel: u32,
        bytes: u64,
        slot: Option<u32>,
    ) -> bool {
        let at = channel.wrapping_sub(self.channel) as usize;
        let Some(state) = self.queues.channels.get(at) else {
            return self.rarely(runner, |part, runner| part.send_away(runner, sending, channel, bytes, slot));
        };
        let (class, answers) = (state.class(), state.answers());
        let price = *self.prices.of(class, channel, bytes);
        if answers || !price.is_plain(sending) {
            return self
                .rarely(runner, |part, runner| part.send_oddly(runner, sending, channel, bytes, slot));
        }
        let started = if slot.is_some() { self.prices.starting(class) } else { Time::ZERO };
        self.work(runner, Activity::Message, price.sending.saturating_add(started));
        let entry = self.leave(runner, price.gap, price.transit, bytes);
        if let Some(slot) = slot {
            self.slots[(runner.rank.slots + slot) as usize] = Slot::EMPTY;
        }
        match self.queues.put(at, entry) {
            Put::Wakes(seat) => self.agenda.push(seat),
            Put::BehindMany => runner.most = runner.done + 1,
            Put::Waits => {}
        }
        true
    }

    /// Out of line, and with a copy of the rank, so that the rank itself can stay in registers.
    #[cold]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what is called is out of line")]
    pub(super) fn rarely(
        &mut self,
        runner: &mut Runner<'a>,
        act: impl FnOnce(&mut Self, &mut Runner<'a>) -> bool,
    ) -> bool {
        let mut copy = Runner { ..*runner };
        let goes_on = act(self, &mut copy);
        *runner = copy;
        goes_on
    }

    /// A message leaves, not too soon after the last.
    #[inline]
    fn leave(&mut self, runner: &mut Runner<'a>, gap: Time, transit: Time, bytes: u64) -> Entry {
        let sent = runner.rank.clock;
        let start = sent.max(runner.rank.free);
        runner.rank.free = start.saturating_add(gap);
        let arrival = start.saturating_add(transit);
        self.latest = self.latest.max(arrival);
        Entry { arrival, bytes, sent }
    }

    /// To another part.
    #[inline(never)]
    fn send_away(
        &mut self,
        runner: &mut Runner<'a>,
        sending: Sending,
        channel: u32,
        bytes: u64,
        slot: Option<u32>,
    ) -> bool {
        let class = self.class_away(channel);
        let price = *self.prices.of(class, channel, bytes);
        if !price.is_plain(sending) {
            return self.send_oddly(runner, sending, channel, bytes, slot);
        }
        let started = if slot.is_some() { self.prices.starting(class) } else { Time::ZERO };
        self.work(runner, Activity::Message, price.sending.saturating_add(started));
        let entry = self.leave(runner, price.gap, price.transit, bytes);
        if let Some(slot) = slot {
            self.slots[(runner.rank.slots + slot) as usize] = Slot::EMPTY;
        }
        self.outbox.letter(Letter { channel, entry }, None);
        true
    }

    /// The class of a channel to another part: asked for once.
    fn class_away(&mut self, channel: u32) -> u32 {
        let known = &mut self.away[channel as usize];
        if *known == 0 {
            let channel = &self.prepared.channels()[channel as usize];
            *known = 1 + price::class(self.prepared.program(), self.setting.machine, channel);
        }
        *known - 1
    }

    /// Everything else: answers, processors' own lanes, channels where receives are announced.
    #[inline(never)]
    fn send_oddly(
        &mut self,
        runner: &mut Runner<'a>,
        sending: Sending,
        channel: u32,
        bytes: u64,
        slot: Option<u32>,
    ) -> bool {
        let program_channel = self.prepared.channels()[channel as usize];
        let machine = self.setting.machine;
        let operation = program_channel.lane.operation();
        let place = slot.unwrap_or_else(|| self.own_slot(runner.seat));
        self.slots[(runner.rank.slots + place) as usize] = Slot::EMPTY;
        if program_channel.lane == Lane::Aside {
            let sent = runner.rank.clock;
            self.deliver(channel, Entry { arrival: sent, bytes, sent }, None);
            return true;
        }
        self.work(runner, Activity::Message, costs::sending(machine, operation, bytes, slot.is_some()));
        let manner = costs::manner(machine, operation, sending, bytes);
        self.set_off(runner, manner, channel, bytes, place);
        slot.is_some() || self.wait(runner, place)
    }

    /// The message, or the request to send it, goes on its network.
    fn set_off(&mut self, runner: &mut Runner<'a>, manner: Manner, channel: u32, bytes: u64, place: u32) {
        let ways = price::ways(
            self.prepared.program(),
            self.setting.machine,
            &self.prepared.channels()[channel as usize],
            bytes,
        );
        let first = match manner {
            Manner::Handshake | Manner::Rendezvous => ways.there,
            _ => ways.data.arrives,
        };
        let entry = self.leave(runner, ways.gap, first, bytes);
        let asker = self.asker(runner.seat, place);
        let (entry, complete, odd) = match manner {
            Manner::Buffered => (entry, None, None),
            Manner::NoSpace => (entry, Some(entry.arrival), None),
            Manner::Synchronous => (entry, Some(UNKNOWN), Some(Odd::Synchronous { bytes, asker })),
            Manner::Handshake => {
                let start = entry.arrival + ways.back;
                let complete = start + ways.data.leaves;
                let odd = Odd::Placed { bytes, chosen: entry.arrival };
                (Entry { arrival: start + ways.data.arrives, ..entry }, Some(complete), Some(odd))
            }
            Manner::Rendezvous => {
                let Transit { leaves, arrives } = ways.data;
                let odd = Odd::Rendezvous { bytes, asker, back: ways.back, leaves, arrives };
                (entry, Some(UNKNOWN), Some(odd))
            }
        };
        self.latest = self.latest.max(entry.arrival);
        if let Some(complete) = complete {
            let at = (runner.rank.slots + place) as usize;
            self.slots[at] = Slot::send(channel, asker.nth, complete);
            if O::LOOKS {
                self.causes[at] = Cause { rank: self.code(runner.seat), at: entry.sent };
            }
        }
        self.deliver(channel, entry, odd);
    }

    fn asker(&mut self, seat: u32, slot: u32) -> Asker {
        let rest = &mut self.rests[seat as usize];
        rest.asked = rest.asked.wrapping_add(1);
        Asker { seat: self.seat + seat, slot, nth: rest.asked }
    }

    /// The slot for blocking operations: the one behind those of the program.
    pub(super) fn own_slot(&self, seat: u32) -> u32 {
        self.prepared.program().codes[self.code(seat) as usize].slots
    }

    /// A message goes to its channel, wherever that is.
    pub(super) fn deliver(&mut self, channel: u32, entry: Entry, odd: Option<Odd>) {
        // So long that the number of bytes would be taken for something else.
        let odd = odd.or_else(|| {
            (entry.bytes & ODD != 0).then_some(Odd::Placed { bytes: entry.bytes, chosen: entry.arrival })
        });
        let at = channel.wrapping_sub(self.channel) as usize;
        if at < self.queues.channels.len() {
            self.arrive(at, entry, odd);
        } else {
            self.outbox.letter(Letter { channel, entry }, odd);
        }
    }

    /// A message comes to a channel that ends here.
    pub(super) fn arrive(&mut self, at: usize, entry: Entry, odd: Option<Odd>) {
        let posted = self.queues.channels[at].answers().then(|| self.queues.pledged(at)).flatten();
        let entry = match (odd, posted) {
            (None, _) => entry,
            (Some(odd), None) => odd::insert(&mut self.odds, entry, odd),
            (Some(odd), Some(posted)) => self.settle(at, entry, odd, posted),
        };
        if let Put::Wakes(seat) = self.queues.put(at, entry) {
            self.agenda.push(seat);
        }
    }

    /// A message with something special about it meets its receive.
    pub(super) fn settle(&mut self, at: usize, entry: Entry, odd: Odd, posted: Time) -> Entry {
        let channel = self.prepared.channels()[self.channel as usize + at];
        let (entry, answer) = odd::settle(&mut self.odds, entry, odd, posted, (channel.from, channel.to));
        self.latest = self.latest.max(entry.arrival);
        match answer {
            Some(answer) if self.is_here(answer.asker.seat) => self.answer(answer),
            Some(answer) => self.outbox.answer(answer),
            None => {}
        }
        entry
    }

    fn is_here(&self, seat: u32) -> bool {
        (seat.wrapping_sub(self.seat) as usize) < self.ranks.len()
    }

    /// A send of a rank here is complete.
    pub(super) fn answer(&mut self, answer: Answer) {
        let seat = answer.asker.seat - self.seat;
        let rank = &self.ranks[seat as usize];
        let at = (rank.slots + answer.asker.slot) as usize;
        if !self.slots[at].is_send(answer.asker.nth) {
            return;
        }
        self.latest = self.latest.max(answer.at);
        self.slots[at].time = answer.at;
        if O::LOOKS {
            self.causes[at] = answer.cause;
        }
        if rank.waits == answer.asker.slot {
            self.agenda.push(seat);
        }
    }
}
