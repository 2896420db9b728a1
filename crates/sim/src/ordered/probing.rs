//! Messages that are waited for and left where they are.

use super::walk::Walk;
use crate::engine::Within;
use crate::observe::{Activity, Observer};

impl<O: Observer> Walk<'_, '_, O> {
    pub(super) fn probe(&mut self, channel: u32) -> bool {
        let within = self.routes.get(channel).within();
        self.look_for(within)
    }

    pub(super) fn probe_pick(&mut self, pick: u32) -> bool {
        let within = self.routes.pick(pick);
        self.look_for(within)
    }

    /// One sender's messages come in the order in which they were sent. Of several senders', the first is known when nobody can come
    /// earlier any more; so it is on a rank that takes messages in the order of their arrival.
    fn look_for(&mut self, within: Within) -> bool {
        let in_order = within.source.is_none() || self.place.is_ordered;
        self.once(0, |walk| {
            walk.place.since = walk.clock();
            !in_order || walk.take_turn()
        }) && self.once(1, |walk| {
            if in_order {
                walk.take_order();
            }
            walk.engine.await_message(walk.rank, within)
        }) && self.once(2, |walk| {
            if let Some((sender, sent)) = walk.engine.found(walk.rank, within) {
                walk.waited(sender, sent);
            }
            walk.work(Activity::Message, walk.setting.machine.processor.poll)
        })
    }

    /// The rank goes on when nothing can happen before its clock any more.
    pub(super) fn take_turn(&mut self) -> bool {
        self.engine.park(self.rank);
        false
    }

    /// From now on it takes messages in the order of their arrival.
    pub(super) fn take_order(&mut self) {
        self.place.is_ordered = true;
        self.engine.order(self.rank);
    }
}
