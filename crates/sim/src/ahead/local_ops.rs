//! Computation, and the rare operations.
//!
//! Like all operations of a [`Partition`], they return whether the rank can proceed.

use panto_units::Time;

use super::cost;
use super::partition::{Partition, Runner};
use crate::costs;
use crate::observe::{Activity, Observer};
use crate::program::{Op, PackedOp, RemoteAccess};

impl<'a, O: Observer> Partition<'a, O> {
    /// Computes.
    #[inline]
    pub(super) fn compute(&mut self, runner: &mut Runner<'a>, time: Time) -> bool {
        if self.config.compute_scales.is_empty() && self.config.noise.is_none() {
            self.work(runner, Activity::Compute, time);
        } else {
            let time = self.scaled_time(runner.position, runner.rank.clock, time);
            self.work(runner, Activity::Compute, time);
        }
        true
    }

    /// Returns how long a computation takes on this machine, with noise.
    fn scaled_time(&mut self, position: u32, clock: Time, time: Time) -> Time {
        let home = self.prepared.program().home(self.code(position));
        let time = self.config.compute_scale(home).apply(time);
        let Some(noise) = self.config.noise.filter(|_| time != Time::ZERO) else { return time };
        let extra = &mut self.extras[position as usize];
        let number = extra.computations;
        extra.computations += 1;
        time.saturating_add(noise.delay(home, number, clock, time))
    }

    /// Computes and begins a call.
    #[inline]
    pub(super) fn call(&mut self, runner: &mut Runner<'a>, call: u32, before: Time) -> bool {
        self.compute(runner, before);
        runner.rank.calls = runner.rank.calls.saturating_add(1);
        if O::ENABLED {
            let code = self.code(runner.position);
            self.observer.call(code, call, runner.rank.clock);
        }
        true
    }

    /// Executes an operation that is too rare for a place in the inner loop.
    #[cold]
    #[inline(never)]
    pub(super) fn rare_op(&mut self, runner: &mut Runner<'a>, op: PackedOp) -> bool {
        let machine = self.config.machine;
        let (activity, time) = match op.unpack() {
            Op::ComputeListed => {
                let time = self.listed(runner.position);
                return self.compute(runner, time);
            }
            Op::Free { slot } => return self.free(runner, slot),
            Op::Probe { channel } => return self.probe(runner, channel),
            // Wildcards need the order of time: here they block forever.
            Op::StartWildcard { .. } | Op::ProbeWildcard { .. } => {
                runner.rank.pc -= 1;
                return false;
            }
            Op::Poll { times: count } => (Activity::Message, costs::poll_time(machine, count)),
            Op::Remote { access, channel, bytes } => (Activity::Access, self.remote(access, channel, bytes)),
            Op::File { bytes } => (Activity::Access, machine.storage.of(bytes)),
            Op::Send { .. }
            | Op::StartSend { .. }
            | Op::Receive { .. }
            | Op::StartReceive { .. }
            | Op::Wait { .. }
            | Op::Compute(_)
            | Op::Call { .. }
            | Op::CallListed { .. }
            | Op::Copy { .. }
            | Op::Reduce { .. }
            | Op::Repeat { .. }
            | Op::End => return true,
        };
        self.work(runner, activity, time);
        true
    }

    /// Returns the next time of the rank's list.
    #[inline]
    pub(super) fn listed(&mut self, position: u32) -> Time {
        let times = &self.prepared.program().codes[self.code(position) as usize].times;
        self.extras[position as usize].next_of(times)
    }

    fn remote(&self, access: RemoteAccess, channel: u32, bytes: u64) -> Time {
        let machine = self.config.machine;
        let channel = &self.prepared.channels()[channel as usize];
        let ends = cost::ends(self.prepared.program(), &machine.network, channel);
        costs::remote_time(machine, access, ends, bytes)
    }
}
