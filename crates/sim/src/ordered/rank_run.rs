//! The execution of one rank until it blocks.

use panto_units::Time;

use super::channel_table::ChannelTable;
use super::message_cost::MessageCost;
use super::rank_state::{Loop, Pending, RankState};
use crate::config::RunConfig;
use crate::costs;
use crate::engine::Engine;
use crate::memo::Memo;
use crate::observe::{Activity, Observer};
use crate::program::{Op, PackedOp, Program, RemoteAccess};

/// A rank while it executes.
pub(super) struct RankRun<'a, C, O> {
    pub(super) program: &'a Program,
    pub(super) config: &'a RunConfig<'a>,
    pub(super) channels: &'a ChannelTable,
    pub(super) rank: u32,
    /// Whether consecutive waits may block once for all of their requests.
    pub(super) batches_waits: bool,
    pub(super) state: &'a mut RankState<C>,
    pub(super) slots: &'a mut [Pending],
    pub(super) engine: &'a mut Engine,
    pub(super) observer: &'a mut O,
    pub(super) costs: &'a mut Memo<MessageCost>,
}

impl<C: AsRef<[PackedOp]>, O: Observer> RankRun<'_, C, O> {
    /// Executes operations until the rank blocks; returns true if it has finished.
    pub(super) fn resume(&mut self) -> bool {
        self.state.waits_all = false;
        if let Some((activity, time)) = self.state.pending_work.take() {
            self.report_shared(activity, time);
        }
        while let Some(op) = self.state.ops.as_ref().get(self.state.pc as usize) {
            let is_complete = match op.unpack() {
                Op::Repeat { at, times } => {
                    self.repeat(at, times);
                    continue;
                }
                Op::End if self.end() => continue,
                Op::End => break,
                op => self.execute(op),
            };
            if !is_complete {
                // Ranks on a shared processor block at each wait, and a search past all of them at
                // each would be slow.
                if !self.engine.shares_processor(self.rank) {
                    self.engine.set_lookahead(self.rank, self.lookahead());
                }
                return false;
            }
            self.state.pc += 1;
            self.state.stage = 0;
        }
        self.state.is_done = true;
        true
    }

    /// Executes an operation from its current stage. Returns false if the rank blocks; it resumes
    /// at the next stage.
    #[inline]
    fn execute(&mut self, op: Op) -> bool {
        match op {
            Op::Send { mode, channel, bytes } => self.send(mode, channel, bytes),
            Op::Receive { channel } => self.receive(channel),
            Op::StartSend { mode, slot, channel, bytes } => self.start_send(mode, slot, channel, bytes),
            Op::StartReceive { slot, channel } => self.start_receive(slot, channel),
            Op::Wait { slot } => self.wait(slot),
            Op::Call { call, before } => self.call(call, |_| before),
            Op::CallListed { call } => self.call(call, Self::next_listed),
            Op::Compute(time) => self.stage(0, |run| run.compute(time)),
            Op::ComputeListed => self.stage(0, |run| {
                let time = run.next_listed();
                run.compute(time)
            }),
            _ => self.rare(op),
        }
    }

    #[cold]
    fn rare(&mut self, op: Op) -> bool {
        let machine = self.config.machine;
        let processor = &machine.processor;
        match op {
            Op::StartWildcard { slot, wildcard, blocks } => return self.start_pick(slot, wildcard, blocks),
            Op::Probe { channel } => return self.probe(channel),
            Op::ProbeWildcard { wildcard } => return self.probe_pick(wildcard),
            Op::Free { slot } => {
                self.free(slot);
                return true;
            }
            _ => {}
        }
        let (activity, time) = match op {
            Op::Poll { times } => {
                (Activity::Message, Time::from_picos(processor.poll.as_picos().saturating_mul(times)))
            }
            Op::Copy { bytes } => (Activity::Combine, processor.copy.of(bytes)),
            Op::Reduce { bytes } => (Activity::Combine, processor.reduce.of(bytes)),
            Op::Remote { access, channel, bytes } => (Activity::Access, self.remote(access, channel, bytes)),
            Op::File { bytes } => (Activity::Access, machine.storage.of(bytes)),
            _ => return true,
        };
        self.stage(0, |run| run.work(activity, time))
    }

    /// Executes a stage of the current operation unless it was executed before.
    #[inline]
    pub(super) fn stage(&mut self, stage: u8, act: impl FnOnce(&mut Self) -> bool) -> bool {
        if self.state.stage > stage {
            return true;
        }
        self.state.stage = stage + 1;
        act(self)
    }

    fn repeat(&mut self, start: u32, times: u64) {
        let return_pc = self.state.pc + 1;
        self.state.pc = match times.checked_sub(1) {
            Some(remaining) => {
                self.state.loops.push(Loop { start, return_pc, remaining });
                start
            }
            None => return_pc,
        };
    }

    /// Jumps at the end of a loop body; returns false at the end of the code.
    fn end(&mut self) -> bool {
        let state = &mut *self.state;
        let Some(innermost) = state.loops.last_mut() else { return false };
        if innermost.remaining > 0 {
            innermost.remaining -= 1;
            state.pc = innermost.start;
        } else {
            state.pc = innermost.return_pc;
            state.loops.pop();
        }
        true
    }

    #[inline]
    fn call(&mut self, call: u32, before: impl FnOnce(&mut Self) -> Time) -> bool {
        let computed = self.stage(0, |run| {
            let time = before(run);
            run.compute(time)
        });
        if computed {
            self.state.calls += 1;
            self.observer.call(self.rank, call, self.clock());
        }
        computed
    }

    fn next_listed(&mut self) -> Time {
        let time = self.listed();
        self.state.listed += 1;
        time
    }

    /// The rank's next listed time of computation.
    pub(super) fn listed(&self) -> Time {
        let code = self.program.codes.get(self.rank as usize);
        code.and_then(|code| code.times.get(self.state.listed)).copied().unwrap_or_default()
    }

    #[inline]
    fn compute(&mut self, traced: Time) -> bool {
        let time = self.config.compute_scale(self.program.home(self.rank)).apply(traced);
        if time == Time::ZERO {
            return true;
        }
        let delay = self.config.noise.map_or(Time::ZERO, |noise| {
            let number = self.state.computed;
            self.state.computed += 1;
            noise.delay(self.rank, number, self.clock(), time)
        });
        self.work(Activity::Compute, time.saturating_add(delay))
    }

    /// Occupies the processor for this time. Returns false if the rank blocks, because others share
    /// the processor.
    #[inline]
    pub(super) fn work(&mut self, activity: Activity, time: Time) -> bool {
        if time == Time::ZERO {
            return true;
        }
        let since = self.clock();
        if !self.engine.work(self.rank, time) {
            (self.state.pending_work, self.state.since) = (Some((activity, time)), since);
            return false;
        }
        self.observer.worked(self.rank, activity, since, self.clock());
        // Without this, a loop that exhausts virtual time would not terminate.
        !self.engine.is_time_exhausted()
    }

    /// Reports work of this time that is done on a shared processor.
    #[cold]
    fn report_shared(&mut self, activity: Activity, time: Time) {
        let (from, to) = (self.state.since, self.clock());
        self.observer.worked(self.rank, activity, from, to);
        let shared = to.since(from).since(time);
        if shared > Time::ZERO {
            self.observer.shared(self.rank, activity, shared);
        }
    }

    /// The time of one-sided communication, which involves neither the target's processor nor
    /// contention.
    fn remote(&self, access: RemoteAccess, channel: u32, bytes: u64) -> Time {
        let machine = self.config.machine;
        let network = &machine.network;
        let processor =
            |rank: u32| network.map.processor(self.program.home(rank) as usize, network.processors());
        let channel = self.channels.get(channel);
        costs::remote_time(machine, access, (processor(channel.from), processor(channel.to)), bytes)
    }

    #[inline]
    pub(super) fn clock(&self) -> Time {
        self.engine.clock(self.rank)
    }
}
