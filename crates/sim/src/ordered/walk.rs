//! One rank, while it goes on.

use panto_units::Time;

use super::place::{Loop, Pending, Place};
use super::price::Price;
use super::routes::Routes;
use crate::costs;
use crate::engine::Engine;
use crate::memo::Memo;
use crate::observe::{Activity, Observer};
use crate::program::{Act, Program, Way};
use crate::setting::Setting;

/// One rank, while it goes on.
pub(super) struct Walk<'a, 'p, O> {
    pub(super) program: &'a Program,
    pub(super) setting: &'a Setting<'a>,
    pub(super) routes: &'a Routes,
    pub(super) rank: u32,
    /// May it wait for several requests at once?
    pub(super) gathers: bool,
    pub(super) place: &'a mut Place<'p>,
    pub(super) slots: &'a mut [Pending],
    pub(super) engine: &'a mut Engine,
    pub(super) observer: &'a mut O,
    pub(super) prices: &'a mut Memo<Price>,
}

impl<O: Observer> Walk<'_, '_, O> {
    /// Goes on until the rank must wait, or has finished: then the answer is true.
    pub(super) fn go_on(&mut self) -> bool {
        self.place.gathers = false;
        if let Some((activity, time)) = self.place.works.take() {
            self.has_shared(activity, time);
        }
        while let Some(op) = self.place.ops.get(self.place.at as usize) {
            let is_over = match op.act() {
                Act::Repeat { at, times } => {
                    self.repeat(at, times);
                    continue;
                }
                Act::End if self.end() => continue,
                Act::End => break,
                act => self.act(act),
            };
            if !is_over {
                // On a shared processor ranks do not gather: to look behind all waits at each of them would take long.
                if !self.engine.shares(self.rank) {
                    self.engine.foresee(self.rank, self.lead());
                }
                return false;
            }
            self.place.at += 1;
            self.place.part = 0;
        }
        self.place.is_done = true;
        true
    }

    /// Carries an operation out from the part where it was left. False if the rank must wait first; the next part is noted.
    #[inline]
    fn act(&mut self, act: Act) -> bool {
        match act {
            Act::Send { sending, channel, bytes } => self.send(sending, channel, bytes),
            Act::Receive { channel } => self.receive(channel),
            Act::StartSend { sending, slot, channel, bytes } => {
                self.start_send(sending, slot, channel, bytes)
            }
            Act::StartReceive { slot, channel } => self.start_receive(slot, channel),
            Act::Wait { slot } => self.wait(slot),
            Act::Call { call, before } => self.call(call, |_| before),
            Act::CallListed { call } => self.call(call, Self::next_listed),
            Act::Compute(time) => self.once(0, |walk| walk.compute(time)),
            Act::ComputeListed => self.once(0, |walk| {
                let time = walk.next_listed();
                walk.compute(time)
            }),
            _ => self.rare(act),
        }
    }

    #[cold]
    fn rare(&mut self, act: Act) -> bool {
        let machine = self.setting.machine;
        let processor = &machine.processor;
        match act {
            Act::StartPick { slot, pick } => return self.start_pick(slot, pick),
            Act::Probe { channel } => return self.probe(channel),
            Act::ProbePick { pick } => return self.probe_pick(pick),
            Act::Free { slot } => {
                self.free(slot);
                return true;
            }
            _ => {}
        }
        let (activity, time) = match act {
            Act::Poll { times } => {
                (Activity::Message, Time::from_picos(processor.poll.as_picos().saturating_mul(times)))
            }
            Act::Copy { bytes } => (Activity::Combine, processor.copy.of(bytes)),
            Act::Reduce { bytes } => (Activity::Combine, processor.reduce.of(bytes)),
            Act::Remote { way, channel, bytes } => (Activity::Access, self.remote(way, channel, bytes)),
            Act::File { bytes } => (Activity::Access, machine.storage.of(bytes)),
            _ => return true,
        };
        self.once(0, |walk| walk.work(activity, time))
    }

    /// Does a part that was not done before.
    #[inline]
    pub(super) fn once(&mut self, part: u8, act: impl FnOnce(&mut Self) -> bool) -> bool {
        if self.place.part > part {
            return true;
        }
        self.place.part = part + 1;
        act(self)
    }

    fn repeat(&mut self, at: u32, times: u64) {
        let back = self.place.at + 1;
        self.place.at = match times.checked_sub(1) {
            Some(left) => {
                self.place.loops.push(Loop { at, back, left });
                at
            }
            None => back,
        };
    }

    /// The end of what is repeated: true; or of the code.
    fn end(&mut self) -> bool {
        let place = &mut *self.place;
        let Some(innermost) = place.loops.last_mut() else { return false };
        if innermost.left > 0 {
            innermost.left -= 1;
            place.at = innermost.at;
        } else {
            place.at = innermost.back;
            place.loops.pop();
        }
        true
    }

    #[inline]
    fn call(&mut self, call: u32, before: impl FnOnce(&mut Self) -> Time) -> bool {
        let computed = self.once(0, |walk| {
            let time = before(walk);
            walk.compute(time)
        });
        if computed {
            self.place.calls += 1;
            self.observer.call(self.rank, call, self.clock());
        }
        computed
    }

    fn next_listed(&mut self) -> Time {
        let time = self.listed();
        self.place.listed += 1;
        time
    }

    /// The next of the rank's listed times.
    pub(super) fn listed(&self) -> Time {
        self.program.codes[self.rank as usize].times.get(self.place.listed).copied().unwrap_or_default()
    }

    #[inline]
    fn compute(&mut self, traced: Time) -> bool {
        let time = self.setting.pace(self.program.home(self.rank)).of(traced);
        if time == Time::ZERO {
            return true;
        }
        let delay = self.setting.noise.map_or(Time::ZERO, |noise| {
            let number = self.place.computed;
            self.place.computed += 1;
            noise.delay(self.rank, number, self.clock(), time)
        });
        self.work(Activity::Compute, time.saturating_add(delay))
    }

    /// The processor works. False if it does so for others as well, and the rank must wait.
    #[inline]
    pub(super) fn work(&mut self, activity: Activity, time: Time) -> bool {
        if time == Time::ZERO {
            return true;
        }
        let since = self.clock();
        if !self.engine.work(self.rank, time) {
            (self.place.works, self.place.since) = (Some((activity, time)), since);
            return false;
        }
        self.observer.worked(self.rank, activity, since, self.clock());
        // A loop would go on for ever.
        !self.engine.is_over()
    }

    /// Work of so much time is done, on a processor that had others to work for.
    #[cold]
    fn has_shared(&mut self, activity: Activity, time: Time) {
        let (from, to) = (self.place.since, self.clock());
        self.observer.worked(self.rank, activity, from, to);
        let shared = to.since(from).since(time);
        if shared > Time::ZERO {
            self.observer.shared(self.rank, activity, shared);
        }
    }

    /// Bytes go without the other rank's processor, and without traffic.
    fn remote(&self, way: Way, channel: u32, bytes: u64) -> Time {
        let machine = self.setting.machine;
        let network = &machine.network;
        let place = |rank: u32| network.map.processor(self.program.home(rank) as usize, network.processors());
        let route = self.routes.get(channel);
        let (here, there) = (place(route.from), place(route.to));
        match way {
            Way::There => costs::sending(machine, None, bytes, false)
                .saturating_add(network.between(here, there, bytes)),
            Way::Back => costs::sending(machine, None, 0, false)
                .saturating_add(network.between(here, there, 0))
                .saturating_add(network.between(there, here, bytes)),
        }
    }

    #[inline]
    pub(super) fn clock(&self) -> Time {
        self.engine.clock(self.rank)
    }
}
