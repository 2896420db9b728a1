//! Probes: waiting for a message without receiving it.

use super::rank_run::RankRun;
use crate::engine::MatchSpec;
use crate::observe::{Activity, Observer, PROBED};
use crate::program::PackedOp;

impl<C: AsRef<[PackedOp]>, O: Observer> RankRun<'_, C, O> {
    pub(super) fn probe(&mut self, channel: u32) -> bool {
        let spec = self.channels.get(channel).spec();
        self.wait_probe(spec)
    }

    pub(super) fn probe_pick(&mut self, wildcard: u32) -> bool {
        let spec = self.channels.wildcard(wildcard);
        self.wait_probe(spec)
    }

    /// Waits for a message. Those of one sender are in the order of sending. Of several senders,
    /// and on an ordered rank, the first is known when no rank can send an earlier one.
    fn wait_probe(&mut self, spec: MatchSpec) -> bool {
        let in_order = spec.source.is_none() || self.state.is_ordered;
        self.stage(0, |run| {
            run.state.since = run.clock();
            !in_order || run.wait_for_order()
        }) && self.stage(1, |run| {
            if in_order {
                run.set_ordered();
            }
            run.engine.wait_probe(run.rank, spec)
        }) && self.stage(2, |run| {
            if let Some((message, sent)) = run.engine.probed(run.rank, spec) {
                run.waited(message.source, sent);
                run.observer.matched(run.rank, PROBED, message);
            }
            run.work(Activity::Message, run.config.machine.processor.poll)
        })
    }

    /// Suspends the rank until nothing can happen before its clock.
    pub(super) fn wait_for_order(&mut self) -> bool {
        self.engine.park(self.rank);
        false
    }

    /// Makes the rank match its messages in the order of arrival.
    pub(super) fn set_ordered(&mut self) {
        self.state.is_ordered = true;
        self.engine.set_ordered(self.rank);
    }
}
