//! A range of seats, and the channels that end there.

use std::ops::Range;

use panto_units::Time;
use rustc_hash::FxHashMap;

use super::agenda::Agenda;
use super::mail::{Batch, Outbox};
use super::odd::Odds;
use super::prepared::Prepared;
use super::price::{self, Prices};
use super::queue::{Channel, Entry, ODD, Queues};
use super::rank::{NONE, OWN_SLOTS, Rank, Rest, Slot};
use super::score::{Bar, Reader};
use crate::large::Large;
use crate::observe::{Activity, Cause, Observer};
use crate::prefetch;
use crate::program::Act;
use crate::setting::Setting;

/// A rank goes on for so many operations before others have their turn, also if it neither waits nor sends what nobody takes.
const TURN: u32 = 1_024;

/// While a letter is opened, the processor is asked for the channel of the one that is so many behind it.
const LETTERS: usize = 8;

/// What waits for a receive that is not the next of its channel.
pub(super) enum Early {
    Message(Entry),
    /// Nobody wants it.
    Unwanted,
}

/// A part of a program that one thread runs.
pub(super) struct Part<'a, O> {
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) setting: Setting<'a>,
    pub(super) observer: &'a mut O,
    pub(super) prices: Prices<'a>,
    /// How ranks' operations are found.
    pub(super) reader: Reader,
    /// Its first seat,
    pub(super) seat: u32,
    /// and its first channel.
    pub(super) channel: u32,
    pub(super) ranks: Large<Rank<'a, Bar>>,
    pub(super) rests: Vec<Rest>,
    pub(super) slots: Large<Slot>,
    /// Why each send in a slot is complete when it is, if somebody wants to see that.
    pub(super) causes: Vec<Cause>,
    pub(super) queues: Queues,
    pub(super) odds: Odds,
    pub(super) early: FxHashMap<(u32, u32), Early>,
    pub(super) agenda: Agenda,
    pub(super) outbox: Outbox,
    /// One more than the class of each channel to other parts, as far as it is known: zeros that nobody needs take no memory.
    pub(super) away: Vec<u32>,
    /// The latest arrival.
    pub(super) latest: Time,
}

/// A rank while it runs.
pub(super) struct Runner<'a> {
    pub(super) rank: Rank<'a, Bar>,
    pub(super) seat: u32,
    /// Operations of this turn,
    pub(super) done: u32,
    /// and how many there may be.
    pub(super) most: u32,
}

impl<'a, O: Observer> Part<'a, O> {
    pub(super) fn new(
        prepared: &'a Prepared<'a>,
        setting: &Setting<'a>,
        observer: &'a mut O,
        seats: Range<u32>,
        outbox: Outbox,
    ) -> Self {
        let channels = prepared.channels_to(&seats);
        let first = channels.start;
        let machine = setting.machine;
        let channel = |number: u32| {
            let class = price::class(prepared.program(), machine, &prepared.channels()[number as usize]);
            Channel::new(class, price::needs_answers(prepared, machine, number))
        };
        let queues = Queues::new(Large::collect(channels.map(channel)), prepared.length(), O::LOOKS);
        let mut slots = 0;
        let ranks: Large<Rank<'a, Bar>> =
            Large::collect(seats.clone().map(|seat| rank(prepared, seat, &mut slots)));
        let bytes = size_of_val(&*queues.channels) + slots as usize * size_of::<Slot>();
        Self {
            prepared,
            setting: *setting,
            observer,
            prices: Prices::new(prepared, setting),
            reader: prepared.score().reader(),
            seat: seats.start,
            channel: first,
            rests: ranks.iter().map(|_| Rest::default()).collect(),
            agenda: Agenda::new(ranks.len(), bytes),
            ranks,
            causes: vec![Cause { rank: 0, at: Time::ZERO }; if O::LOOKS { slots as usize } else { 0 }],
            slots: Large::filled(Slot::EMPTY, slots as usize),
            queues,
            odds: Odds::default(),
            early: FxHashMap::default(),
            away: vec![0; if outbox.is_alone() { 0 } else { prepared.channels().len() }],
            outbox,
            latest: Time::ZERO,
        }
    }

    /// Lets a rank run that can. False if there is none.
    #[inline]
    pub(super) fn turn(&mut self) -> bool {
        let Some(seat) = self.agenda.pop() else { return false };
        self.touch_next();
        let mut runner = Runner { rank: self.ranks[seat as usize], seat, done: 0, most: TURN };
        if runner.rank.waits == NONE || self.resume(&mut runner) {
            self.run(&mut runner);
        }
        self.ranks[seat as usize] = runner.rank;
        true
    }

    /// Goes on where the rank waited for a slot. False if it still waits.
    fn resume(&mut self, runner: &mut Runner<'a>) -> bool {
        let slot = std::mem::replace(&mut runner.rank.waits, NONE);
        self.ranks[runner.seat as usize].waits = NONE;
        self.wait(runner, slot)
    }

    #[inline]
    fn run(&mut self, runner: &mut Runner<'a>) {
        self.go_on(runner);
        self.agenda.done(runner.done);
        if runner.done == runner.most {
            self.agenda.push(runner.seat);
        }
    }

    /// Goes on until the rank must wait or ends, or others should have their turn.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the rank should be in registers")]
    fn go_on(&mut self, runner: &mut Runner<'a>) {
        'bars: while runner.done < runner.most {
            let Some(bar) = self.reader.bar(runner.rank.ops, runner.rank.next) else {
                runner.rank.next = NONE;
                return;
            };
            for &op in bar.from(runner.rank.next) {
                runner.rank.next += 1;
                let goes_on = match op.act() {
                    Act::Send { sending, channel, bytes } => self.send(runner, sending, channel, bytes, None),
                    Act::StartSend { sending, slot, channel, bytes } => {
                        self.send(runner, sending, channel, bytes, Some(slot))
                    }
                    Act::Receive { channel } => self.receive(runner, channel),
                    Act::StartReceive { slot, channel } => self.start_receive(runner, channel, slot),
                    Act::Wait { slot } => self.wait(runner, slot),
                    Act::Compute(time) => self.compute(runner, time),
                    Act::Call { call, before } => self.call(runner, call, before),
                    Act::CallListed { call } => {
                        let before = self.listed(runner.seat);
                        self.call(runner, call, before)
                    }
                    Act::Copy { bytes } => {
                        self.work(runner, Activity::Combine, self.setting.machine.processor.copy.of(bytes));
                        true
                    }
                    Act::Reduce { bytes } => {
                        self.work(runner, Activity::Combine, self.setting.machine.processor.reduce.of(bytes));
                        true
                    }
                    Act::Repeat { at, times } => {
                        runner.rank.repeat(&mut self.rests[runner.seat as usize], at, times);
                        runner.done += 1;
                        continue 'bars;
                    }
                    Act::End => {
                        if runner.rank.end(&mut self.rests[runner.seat as usize]) {
                            return;
                        }
                        runner.done += 1;
                        continue 'bars;
                    }
                    _ => {
                        // A copy, so that the rank itself can stay in registers.
                        let mut copy = Runner { ..*runner };
                        let goes_on = self.seldom(&mut copy, op);
                        *runner = copy;
                        goes_on
                    }
                };
                if !goes_on {
                    return;
                }
                runner.done += 1;
                if runner.done == runner.most {
                    return;
                }
            }
            self.touch_run(&runner.rank);
        }
    }

    /// Opens what came from other parts.
    pub(super) fn open(&mut self, batches: &[Batch]) {
        for batch in batches {
            for (nth, letter) in batch.letters.iter().enumerate() {
                if let Some(later) = batch.letters.get(nth + LETTERS) {
                    prefetch::soon(self.queues.channels.get((later.channel - self.channel) as usize));
                }
                let bytes = letter.entry.bytes;
                let odd = (bytes & ODD != 0).then(|| batch.odds[(bytes & !ODD) as usize]);
                self.arrive((letter.channel - self.channel) as usize, letter.entry, odd);
            }
            for &answer in &batch.answers {
                self.answer(answer);
            }
        }
    }

    /// The number of a rank or helper here.
    #[inline]
    pub(super) fn code(&self, seat: u32) -> u32 {
        self.prepared.code(self.seat + seat)
    }

    /// The rank's processor works.
    #[inline]
    pub(super) fn work(&mut self, runner: &mut Runner<'a>, activity: Activity, time: Time) {
        let from = runner.rank.clock;
        runner.rank.clock = from.saturating_add(time);
        if O::LOOKS && time != Time::ZERO {
            let code = self.code(runner.seat);
            self.observer.worked(code, activity, from, runner.rank.clock);
        }
    }

    /// The rank waits until something happens, for which somebody else is the cause.
    #[inline]
    pub(super) fn idle(&mut self, runner: &mut Runner<'a>, until: Time, cause: impl FnOnce(&Self) -> Cause) {
        let from = runner.rank.clock;
        if until > from {
            runner.rank.clock = until;
            if O::LOOKS {
                let (code, cause) = (self.code(runner.seat), cause(self));
                self.observer.waited(code, from, until, cause);
            }
        }
    }
}

fn rank<'a>(prepared: &'a Prepared<'a>, seat: u32, slots: &mut u32) -> Rank<'a, Bar> {
    let code = prepared.code(seat);
    let first = *slots;
    *slots += prepared.program().codes[code as usize].slots + OWN_SLOTS;
    Rank { slots: first, ..Rank::at_start(prepared.score().of(seat)) }
}
