//! Sends, receives and waiting.

use panto_units::Time;

use super::place::Pending;
use super::routes::Route;
use super::walk::Walk;
use crate::costs;
use crate::engine::{Envelope, Held, Manner, RequestId};
use crate::observe::{Activity, Cause, Observer, Passed};
use crate::program::{Act, Lane, Op, Sending};

impl<O: Observer> Walk<'_, '_, O> {
    #[inline]
    pub(super) fn send(&mut self, sending: Sending, channel: u32, bytes: u64) -> bool {
        let route = self.routes.get(channel);
        self.once(0, |walk| walk.work_before(route, bytes, false))
            && self.once(1, |walk| {
                if let Some(request) = walk.post(route, sending, bytes) {
                    walk.wait_for(request)
                } else {
                    walk.place.part = 3;
                    true
                }
            })
            && self.once(2, |walk| {
                walk.sent(walk.place.request, channel);
                true
            })
    }

    #[inline]
    pub(super) fn start_send(&mut self, sending: Sending, slot: u32, channel: u32, bytes: u64) -> bool {
        let route = self.routes.get(channel);
        if !self.once(0, |walk| walk.work_before(route, bytes, true)) {
            return false;
        }
        if let Some(request) = self.post(route, sending, bytes) {
            self.keep(slot, Pending::Send { request, channel });
        }
        true
    }

    #[inline]
    pub(super) fn receive(&mut self, channel: u32) -> bool {
        self.once(0, |walk| {
            let route = walk.routes.get(channel);
            let request = walk.engine.receive_over(route.way, walk.rank, route.within());
            walk.wait_for(request)
        }) && self.received(1, Some(channel))
    }

    #[inline]
    pub(super) fn start_receive(&mut self, slot: u32, channel: u32) -> bool {
        let route = self.routes.get(channel);
        let posted = self.once(0, |walk| {
            let free = route.is_aside();
            let time =
                if free { Time::ZERO } else { costs::posting(walk.setting.machine, route.operation()) };
            walk.work(Activity::Message, time)
        });
        if posted {
            let request = self.engine.receive_over(route.way, self.rank, route.within());
            self.keep(slot, Pending::Receive { request, channel });
        }
        posted
    }

    /// A receive with wild cards. Who comes first is known when nobody can come earlier any more.
    pub(super) fn start_pick(&mut self, slot: u32, pick: u32) -> bool {
        let within = self.routes.pick(pick);
        let ready = self
            .once(0, |walk| walk.work(Activity::Message, costs::posting(walk.setting.machine, None)))
            && self.once(1, |walk| within.source.is_some() || walk.take_turn());
        if ready {
            if within.source.is_none() {
                self.take_order();
            }
            let request = self.engine.receive_within(self.rank, within);
            self.keep(slot, Pending::Pick { request, pick });
        }
        ready
    }

    #[inline]
    pub(super) fn wait(&mut self, slot: u32) -> bool {
        let Some(&pending) = self.slots.get(slot as usize) else { return true };
        let Some(request) = pending.request() else { return true };
        if !self.once(0, |walk| walk.wait_for(request) || walk.gather(request)) {
            return false;
        }
        let done = match pending {
            Pending::Nothing => true,
            Pending::Send { channel, .. } => {
                self.sent(request, channel);
                true
            }
            Pending::Receive { channel, .. } => self.received(1, Some(channel)),
            Pending::Pick { .. } => self.received(1, None),
        };
        if done {
            self.slots[slot as usize] = Pending::Nothing;
        }
        done
    }

    /// The rank must wait. Where it waits for several, one after the other, it need not be woken for each: nobody can see when it gets
    /// to the next. When all are complete it does what it would have done before. Never true: it must wait in any case.
    fn gather(&mut self, request: RequestId) -> bool {
        let after = &self.place.ops[self.place.at as usize + 1..];
        if !self.gathers || self.engine.shares(self.rank) || slot_of(after.first()).is_none() {
            return false;
        }
        let slots = &*self.slots;
        let others = after
            .iter()
            .map_while(|op| slot_of(Some(op)))
            .filter_map(|slot| slots.get(slot as usize)?.request());
        if self.engine.gather(self.rank, std::iter::once(request).chain(others)) {
            // It will look again from the beginning.
            (self.place.part, self.place.gathers) = (0, true);
        }
        false
    }

    /// Nobody will wait for it.
    pub(super) fn free(&mut self, slot: u32) {
        self.keep(slot, Pending::Nothing);
    }

    /// Puts a request in its place. What was there before is nobody's any more.
    #[inline]
    fn keep(&mut self, slot: u32, pending: Pending) {
        let Some(place) = self.slots.get_mut(slot as usize) else { return };
        if let Some(request) = std::mem::replace(place, pending).request() {
            self.engine.detach(request);
        }
    }

    #[inline]
    fn work_before(&mut self, route: Route, bytes: u64, started: bool) -> bool {
        if route.is_aside() {
            return true;
        }
        let time = self.price(route.lane, bytes).sending(started);
        self.work(Activity::Message, time)
    }

    #[inline]
    fn post(&mut self, route: Route, sending: Sending, bytes: u64) -> Option<RequestId> {
        let (machine, operation, aside) = (self.setting.machine, route.operation(), route.is_aside());
        let manner = if aside { Manner::Buffered } else { costs::manner(machine, operation, sending, bytes) };
        let carried = costs::carried(machine, operation, bytes);
        let envelope = Envelope { to: route.to, tag: route.tag, bytes, carried, operation, manner, aside };
        self.engine.send_over(route.way, self.rank, envelope).1
    }

    #[inline]
    fn wait_for(&mut self, request: RequestId) -> bool {
        self.place.request = request;
        self.place.since = self.clock();
        self.engine.wait(self.rank, request)
    }

    /// A send that was waited for is complete.
    #[inline]
    fn sent(&mut self, request: RequestId, channel: u32) {
        let (rank, at) = match self.engine.held(request) {
            Held::Receiver(posted) => (self.routes.get(channel).to, posted),
            Held::Network(sent) => (self.rank, sent),
        };
        self.waited(rank, at);
        self.engine.release(request);
    }

    /// A receive that was waited for is complete: the processor has its part of the work, from this part of the operation on.
    #[inline]
    fn received(&mut self, part: u8, channel: Option<u32>) -> bool {
        let request = self.place.request;
        let Some(outcome) = self.engine.outcome(request) else { return true };
        let journey = self.engine.journey(request);
        let channel = channel.or_else(|| self.routes.find(self.rank, outcome.label));
        let worked = self.once(part, |walk| {
            walk.waited(outcome.label.source, journey.sent);
            let route = channel.map(|channel| walk.routes.get(channel));
            if route.is_some_and(Route::is_aside) {
                return true;
            }
            let lane = route.map_or(Lane::Message, |route| route.lane);
            let time = walk.price(lane, outcome.label.bytes).receiving(outcome.unexpected);
            walk.work(Activity::Message, time)
        });
        if worked {
            if let Some(channel) = channel {
                let (bytes, sent, arrived) = (outcome.label.bytes, journey.sent, journey.arrived);
                self.observer.received(self.rank, Passed { channel, bytes, sent, arrived });
            }
            self.engine.release(request);
        }
        worked
    }

    /// The rank waited until now, for what another did then.
    #[inline]
    pub(super) fn waited(&mut self, whom: u32, at: Time) {
        let (since, now) = (self.place.since, self.clock());
        if now > since {
            self.observer.waited(self.rank, since, now, Cause { rank: whom, at });
        }
    }
}

/// The place of the request that an operation waits for.
#[inline]
pub(super) fn slot_of(op: Option<&Op>) -> Option<u32> {
    match op?.act() {
        Act::Wait { slot } => Some(slot),
        _ => None,
    }
}
