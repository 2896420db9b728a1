//! Sends, receives and waits.

use panto_units::Time;

use super::channel_table::EngineChannel;
use super::rank_run::RankRun;
use super::rank_state::Pending;
use crate::costs;
use crate::engine::{Envelope, RequestId, SendProtocol, SendWait};
use crate::observe::{Activity, Cause, Observer, ReceivedMessage};
use crate::program::{ChannelKind, Op, PackedOp, SendMode};

impl<C: AsRef<[PackedOp]>, O: Observer> RankRun<'_, C, O> {
    #[inline]
    pub(super) fn send(&mut self, mode: SendMode, channel: u32, bytes: u64) -> bool {
        let target = self.channels.get(channel);
        self.stage(0, |run| run.send_overhead(target, bytes, false))
            && self.stage(1, |run| {
                if let Some(request) = run.post_send(target, mode, bytes) {
                    run.wait_for(request)
                } else {
                    run.state.stage = 3;
                    true
                }
            })
            && self.stage(2, |run| {
                run.complete_send(run.state.request, channel);
                true
            })
    }

    #[inline]
    pub(super) fn start_send(&mut self, mode: SendMode, slot: u32, channel: u32, bytes: u64) -> bool {
        let target = self.channels.get(channel);
        if !self.stage(0, |run| run.send_overhead(target, bytes, true)) {
            return false;
        }
        if let Some(request) = self.post_send(target, mode, bytes) {
            self.keep(slot, Pending::Send { request, channel });
        }
        true
    }

    #[inline]
    pub(super) fn receive(&mut self, channel: u32) -> bool {
        self.stage(0, |run| {
            let source = run.channels.get(channel);
            let request = run.engine.receive_on(source.id, run.rank, source.spec());
            run.wait_for(request)
        }) && self.complete_receive(1, Some(channel))
    }

    #[inline]
    pub(super) fn start_receive(&mut self, slot: u32, channel: u32) -> bool {
        let source = self.channels.get(channel);
        let posted = self.stage(0, |run| {
            let time = if source.bypasses_network() {
                Time::ZERO
            } else {
                costs::post_overhead(run.config.machine, source.collective())
            };
            run.work(Activity::Message, time)
        });
        if posted {
            let request = self.engine.receive_on(source.id, self.rank, source.spec());
            self.keep(slot, Pending::Receive { request, channel });
        }
        posted
    }

    /// Posts a receive with wildcards. Which message is first is known when no rank can send an
    /// earlier one.
    pub(super) fn start_pick(&mut self, slot: u32, wildcard: u32, blocks: bool) -> bool {
        let spec = self.channels.wildcard(wildcard);
        let posting = || costs::post_overhead(self.config.machine, None);
        let overhead = if blocks { Time::ZERO } else { posting() };
        let ready = self.stage(0, |run| run.work(Activity::Message, overhead))
            && self.stage(1, |run| spec.source.is_some() || run.wait_for_order());
        if ready {
            if spec.source.is_none() {
                self.set_ordered();
            }
            let request = self.engine.receive_matching(self.rank, spec);
            self.keep(slot, Pending::Wildcard { request, wildcard });
        }
        ready
    }

    #[inline]
    pub(super) fn wait(&mut self, slot: u32) -> bool {
        let Some(&pending) = self.slots.get(slot as usize) else { return true };
        let Some(request) = pending.request() else { return true };
        if !self.stage(0, |run| run.wait_for(request) || run.wait_all(request)) {
            return false;
        }
        let done = match pending {
            Pending::Empty => true,
            Pending::Send { channel, .. } => {
                self.complete_send(request, channel);
                true
            }
            Pending::Receive { channel, .. } => self.complete_receive(1, Some(channel)),
            Pending::Wildcard { .. } => {
                if let Some(message) = self.engine.matched_message(request) {
                    self.observer.matched(self.rank, slot, message);
                }
                self.complete_receive(1, None)
            }
        };
        if done {
            self.slots[slot as usize] = Pending::Empty;
        }
        done
    }

    /// Blocks once for a run of consecutive waits: no other rank observes when this one proceeds
    /// from one to the next, so it is woken when all are complete and then executes each wait as
    /// usual. Always returns false, since the rank must block in any case.
    fn wait_all(&mut self, request: RequestId) -> bool {
        let after = &self.state.ops.as_ref()[self.state.pc as usize + 1..];
        if !self.batches_waits || self.engine.shares_processor(self.rank) || slot_of(after.first()).is_none()
        {
            return false;
        }
        let slots = &*self.slots;
        let others = after
            .iter()
            .map_while(|op| slot_of(Some(op)))
            .filter_map(|slot| slots.get(slot as usize)?.request());
        if self.engine.wait_all(self.rank, std::iter::once(request).chain(others)) {
            // The wait is executed again from its first stage.
            (self.state.stage, self.state.waits_all) = (0, true);
        }
        false
    }

    /// Detaches the request of a slot.
    pub(super) fn free(&mut self, slot: u32) {
        self.keep(slot, Pending::Empty);
    }

    /// Stores a request in its slot, and detaches the one that was there.
    #[inline]
    fn keep(&mut self, slot: u32, pending: Pending) {
        let Some(entry) = self.slots.get_mut(slot as usize) else { return };
        if let Some(request) = std::mem::replace(entry, pending).request() {
            self.engine.detach(request);
        }
    }

    #[inline]
    fn send_overhead(&mut self, target: EngineChannel, bytes: u64, started: bool) -> bool {
        if target.bypasses_network() {
            return true;
        }
        let time = self.message_cost(target.kind, bytes).send(started);
        self.work(Activity::Message, time)
    }

    #[inline]
    fn post_send(&mut self, target: EngineChannel, mode: SendMode, bytes: u64) -> Option<RequestId> {
        let (machine, collective, bypass) =
            (self.config.machine, target.collective(), target.bypasses_network());
        let protocol = if bypass {
            SendProtocol::Buffered
        } else {
            costs::send_protocol(machine, collective, mode, bytes)
        };
        let network_bytes = costs::network_bytes(machine, collective, bytes);
        let (to, tag) = (target.to, target.tag);
        let envelope = Envelope { to, tag, bytes, network_bytes, collective, protocol, bypass };
        self.engine.send_on(target.id, self.rank, envelope).1
    }

    #[inline]
    fn wait_for(&mut self, request: RequestId) -> bool {
        self.state.request = request;
        self.state.since = self.clock();
        self.engine.wait(self.rank, request)
    }

    /// Releases a send that is complete, and reports what it waited for.
    #[inline]
    fn complete_send(&mut self, request: RequestId, channel: u32) {
        let (rank, at) = match self.engine.send_wait(request) {
            SendWait::Receiver(posted) => (self.channels.get(channel).to, posted),
            SendWait::Network(sent) => (self.rank, sent),
        };
        self.waited(rank, at);
        self.engine.release(request);
    }

    /// Charges the receive overhead of a complete receive, as this stage of the operation, and
    /// releases it.
    #[inline]
    fn complete_receive(&mut self, stage: u8, channel: Option<u32>) -> bool {
        let request = self.state.request;
        let Some(completion) = self.engine.completion(request) else { return true };
        let (message, times) = (completion.message, self.engine.message_times(request));
        let channel = channel.or_else(|| self.channels.find(self.rank, message));
        let worked = self.stage(stage, |run| {
            run.waited(message.source, times.sent);
            let source = channel.map(|channel| run.channels.get(channel));
            if source.is_some_and(EngineChannel::bypasses_network) {
                return true;
            }
            let kind = source.map_or(ChannelKind::PointToPoint, |source| source.kind);
            let time = run.message_cost(kind, message.bytes).receive(completion.unexpected);
            run.work(Activity::Message, time)
        });
        if worked {
            if let Some(channel) = channel {
                let (bytes, sent, arrived) = (message.bytes, times.sent, times.arrived);
                self.observer.received(self.rank, ReceivedMessage { channel, bytes, sent, arrived });
            }
            self.engine.release(request);
        }
        worked
    }

    /// Reports that the rank waited until now for what `rank` did at time `at`.
    #[inline]
    pub(super) fn waited(&mut self, rank: u32, at: Time) {
        let (since, now) = (self.state.since, self.clock());
        if now > since {
            self.observer.waited(self.rank, since, now, Cause { rank, at });
        }
    }
}

/// The slot that an operation waits for; `None` if it is not a wait.
#[inline]
pub(super) fn slot_of(op: Option<&PackedOp>) -> Option<u32> {
    match op?.unpack() {
        Op::Wait { slot } => Some(slot),
        _ => None,
    }
}
