//! What a rank does for itself.

use panto_units::Time;

use super::part::{Part, Runner};
use super::price;
use crate::costs;
use crate::observe::{Activity, Observer};
use crate::program::{Act, Op, Way};

impl<'a, O: Observer> Part<'a, O> {
    /// Computes. Like all operations here it answers whether the rank can go on.
    #[inline]
    pub(super) fn compute(&mut self, runner: &mut Runner<'a>, time: Time) -> bool {
        if self.setting.paces.is_empty() && self.setting.noise.is_none() {
            self.work(runner, Activity::Compute, time);
        } else {
            let time = self.disturbed(runner.seat, runner.rank.clock, time);
            self.work(runner, Activity::Compute, time);
        }
        true
    }

    /// How long a computation takes here and now.
    fn disturbed(&mut self, seat: u32, clock: Time, time: Time) -> Time {
        let home = self.prepared.program().home(self.code(seat));
        let time = self.setting.pace(home).of(time);
        let Some(noise) = self.setting.noise.filter(|_| time != Time::ZERO) else { return time };
        let rest = &mut self.rests[seat as usize];
        let number = rest.computed;
        rest.computed += 1;
        time.saturating_add(noise.delay(home, number, clock, time))
    }

    #[inline]
    pub(super) fn call(&mut self, runner: &mut Runner<'a>, call: u32, before: Time) -> bool {
        self.compute(runner, before);
        runner.rank.calls = runner.rank.calls.saturating_add(1);
        if O::LOOKS {
            let code = self.code(runner.seat);
            self.observer.call(code, call, runner.rank.clock);
        }
        true
    }

    /// What is not worth a place in the inner loop.
    #[cold]
    #[inline(never)]
    pub(super) fn seldom(&mut self, runner: &mut Runner<'a>, op: Op) -> bool {
        let machine = self.setting.machine;
        let (activity, time) = match op.act() {
            Act::ComputeListed => {
                let time = self.listed(runner.seat);
                return self.compute(runner, time);
            }
            Act::Free { slot } => return self.free(runner, slot),
            Act::Probe { channel } => return self.probe(runner, channel),
            // Picks need the order of time: nothing is ever there for them here.
            Act::StartPick { .. } | Act::ProbePick { .. } => {
                runner.rank.next -= 1;
                return false;
            }
            Act::Poll { times: count } => (Activity::Message, costs::polling(machine, count)),
            Act::Remote { way, channel, bytes } => (Activity::Access, self.remote(way, channel, bytes)),
            Act::File { bytes } => (Activity::Access, machine.storage.of(bytes)),
            Act::Send { .. }
            | Act::StartSend { .. }
            | Act::Receive { .. }
            | Act::StartReceive { .. }
            | Act::Wait { .. }
            | Act::Compute(_)
            | Act::Call { .. }
            | Act::CallListed { .. }
            | Act::Copy { .. }
            | Act::Reduce { .. }
            | Act::Repeat { .. }
            | Act::End => return true,
        };
        self.work(runner, activity, time);
        true
    }

    /// The next time of the rank's list.
    #[inline]
    pub(super) fn listed(&mut self, seat: u32) -> Time {
        let times = &self.prepared.program().codes[self.code(seat) as usize].times;
        self.rests[seat as usize].next_of(times)
    }

    fn remote(&self, way: Way, channel: u32, bytes: u64) -> Time {
        let machine = self.setting.machine;
        let channel = &self.prepared.channels()[channel as usize];
        let ends = price::ends(self.prepared.program(), &machine.network, channel);
        costs::remote(machine, way, ends, bytes)
    }
}
