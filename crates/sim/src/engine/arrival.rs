//! Messages that are taken in the order of their arrival: wild cards, probes, handlers.

use panto_units::Time;

use super::message::{Kind, NONE, Request, UNKNOWN};
use super::{Delivery, Engine, Label, RequestId, Selector, State, Within};

impl Engine {
    /// From now on the rank takes messages in the order of their arrival. Its clock must be at the time of the last event:
    /// it has just been woken after [`Engine::park`].
    pub fn order(&mut self, rank: u32) {
        if self.ranks[rank as usize].ordered.is_some() {
            return;
        }
        self.ordered(rank);
        let clock = self.ranks[rank as usize].clock;
        for channel in self.channels.to(rank).collect::<Vec<_>>() {
            let mut id = self.channels.get(channel).messages.head;
            while id != NONE {
                self.put_in_order(rank, id, clock);
                id = self.messages[id].next;
            }
        }
    }

    fn put_in_order(&mut self, rank: u32, id: u32, clock: Time) {
        let message = &mut self.messages[id];
        match message.came {
            UNKNOWN => {}
            came if came > clock => self.expect(id, came),
            _ => {
                message.arrived = true;
                let order = message.order();
                self.ordered(rank).arrived.insert(order, id);
            }
        }
    }

    /// A message reaches a rank that takes messages in the order of their arrival; or its handler runs.
    pub(super) fn arrive(&mut self, id: u32) {
        let message = &mut self.messages[id];
        message.expected = false;
        if message.cancelled {
            return self.forget(id);
        }
        if message.receive != NONE {
            return self.handle(id);
        }
        message.arrived = true;
        let (to, channel, order) = (message.to, message.channel, message.order());
        self.ordered(to).arrived.insert(order, id);
        // Only what was sent after it can have waited for it.
        self.settle(to, channel, id);
        self.tell_prober(to);
    }

    /// Lets the messages of a channel from `first` on that have arrived meet their receives, in the order of sending.
    fn settle(&mut self, rank: u32, channel: u32, first: u32) {
        let mut id = first;
        while id != NONE {
            let message = &self.messages[id];
            let (next, arrived) = (message.next, message.arrived);
            if arrived && let Some(request) = self.receive_for(rank, channel, id) {
                self.take(id);
                // An earlier message may have held it up: then the receive meets it now, not in the past.
                let message = &mut self.messages[id];
                message.came = message.came.max(self.now);
                self.link(id, request);
            }
            id = next;
        }
    }

    /// Takes out the first posted receive, or makes the handler's, that this message may meet.
    fn receive_for(&mut self, rank: u32, channel: u32, id: u32) -> Option<RequestId> {
        let Label { source, tag, .. } = self.messages[id].label();
        if self.ordered(rank).handled.contains(&tag) {
            let within = Within::one(source, tag);
            return self.may_go_first(id, within).then(|| self.receive_request_for_handler(rank, within));
        }
        let request = self.first_posted(rank, channel, source, tag)?;
        if !self.may_go_first(id, self.requests[request].within()) {
            return None;
        }
        self.take_back(request);
        Some(request)
    }

    /// The receive that was posted first of those that accept this message.
    fn first_posted(&self, rank: u32, channel: u32, source: u32, tag: u32) -> Option<RequestId> {
        let accepts = |request: &Request| request.within().accepts(source, tag);
        let posted = self.channels.view(channel).posted;
        let named = posted.find(&self.requests, |_, request| accepts(request)).map(|(_, id)| id);
        let ordered = self.ranks[rank as usize].ordered.as_ref();
        let wild = ordered.and_then(|o| o.wild.iter().copied().find(|&id| accepts(&self.requests[id])));
        named.into_iter().chain(wild).min_by_key(|&id| self.requests[id].number)
    }

    fn receive_request_for_handler(&mut self, rank: u32, within: Within) -> RequestId {
        let id = self.receive_request(rank, within, Kind::Handler);
        // It runs now at the earliest, although its message may have come before: an earlier one held it up.
        self.requests[id].posted = self.now;
        self.ordered(rank).owed += 1;
        id
    }

    fn tell_prober(&mut self, rank: u32) {
        let State::Probing(within) = &self.ranks[rank as usize].state else { return };
        if self.first_arrived(rank, **within).is_some() {
            let state = &mut self.ranks[rank as usize];
            state.clock = state.clock.max(self.now);
            self.wake(rank, Time::ZERO);
        }
    }

    /// The message that a probe of an ordered rank would find.
    pub fn probe(&self, rank: u32, selector: Selector) -> Option<Label> {
        let id = self.first_arrived(rank, selector.within(self.reserved_tag))?;
        Some(self.messages[id].label())
    }

    /// The message that a rank waited for and did not take: who sent it, and what that rank's clock was then.
    pub fn found(&self, rank: u32, within: Within) -> Option<(u32, Time)> {
        let id = match within.source {
            Some(source) if self.ranks[rank as usize].ordered.is_none() => {
                self.channels.view(self.channels.find(source, rank)?).first(&self.messages, within)
            }
            _ => self.first_arrived(rank, within),
        }?;
        let message = &self.messages[id];
        Some((message.from, message.sent))
    }

    /// The message that is there for the rank by its clock, which is at the time of the last event.
    pub fn look(&self, rank: u32, selector: Selector) -> Option<Label> {
        if self.ranks[rank as usize].ordered.is_some() {
            return self.probe(rank, selector);
        }
        let (clock, within) = (self.ranks[rank as usize].clock, selector.within(self.reserved_tag));
        let there = |channel: u32| {
            let id = self.channels.view(channel).peek(&self.messages, within, clock)?;
            let message = &self.messages[id];
            Some((message.order(), message.label()))
        };
        let first = if let Some(source) = selector.source {
            self.channels.find(source, rank).and_then(there)
        } else {
            self.channels.to(rank).filter_map(there).min_by_key(|(order, _)| *order)
        };
        first.map(|(_, label)| label)
    }

    /// Messages with this tag go to the rank's handler on arrival. The rank must be ordered.
    pub fn listen(&mut self, rank: u32, tag: u32) {
        self.ordered(rank).handled.push(tag);
        for channel in self.channels.to(rank).collect::<Vec<_>>() {
            let first = self.channels.get(channel).messages.head;
            self.settle(rank, channel, first);
        }
    }

    /// They no longer do, but for those that were promised to the handler already: [`Engine::owes`] says whether there are any.
    pub fn unlisten(&mut self, rank: u32, tag: u32) {
        self.ordered(rank).handled.retain(|&handled| handled != tag);
    }

    /// Has the rank a handler?
    pub fn listens(&self, rank: u32) -> bool {
        self.ranks[rank as usize].ordered.as_ref().is_some_and(|ordered| !ordered.handled.is_empty())
    }

    /// Are messages on their way that were promised to a handler of the rank?
    pub fn owes(&self, rank: u32) -> bool {
        self.ranks[rank as usize].ordered.as_ref().is_some_and(|ordered| ordered.owed > 0)
    }

    fn handle(&mut self, id: u32) {
        let message = &self.messages[id];
        let (to, label, receive) = (message.to, message.label(), message.receive);
        self.messages.give_back(id);
        self.requests.give_back(receive);
        self.ordered(to).owed -= 1;
        self.deliveries.push_back(Delivery::Handler(id, to, label, self.now));
    }
}
