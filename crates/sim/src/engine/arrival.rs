//! Ordered ranks: messages matched in the order of arrival, for wildcards, probes and handlers.

use panto_units::Time;

use super::message::{NONE, Request, RequestKind, UNKNOWN};
use super::{Delivery, Engine, MatchSpec, MessageInfo, RequestId, Selector, State};

impl Engine {
    /// Makes a rank match its messages in the order of arrival from now on. Its clock must be at
    /// the time of the last event: it has just been woken after [`Engine::park`].
    pub fn set_ordered(&mut self, rank: u32) {
        if self.ranks[rank as usize].ordered.is_some() {
            return;
        }
        self.ordered(rank);
        let clock = self.ranks[rank as usize].clock;
        for channel in self.channels.to(rank).collect::<Vec<_>>() {
            let mut id = self.channels.get(channel).messages.head;
            while id != NONE {
                self.queue_or_arrive(rank, id, clock);
                id = self.messages[id].next;
            }
        }
    }

    fn queue_or_arrive(&mut self, rank: u32, id: u32, clock: Time) {
        let message = &mut self.messages[id];
        match message.arrival {
            UNKNOWN => {}
            arrival if arrival > clock => self.schedule_arrival(id, arrival),
            _ => {
                message.arrived = true;
                let key = message.arrival_key();
                self.ordered(rank).arrived.insert(key, id);
            }
        }
    }

    /// Processes the arrival of a message at an ordered rank, or runs its handler.
    pub(super) fn arrive(&mut self, id: u32) {
        let message = &mut self.messages[id];
        message.arrival_queued = false;
        if message.cancelled {
            return self.release_cancelled(id);
        }
        if message.receive != NONE {
            return self.run_handler(id);
        }
        message.arrived = true;
        let (to, channel, key) = (message.to, message.channel, message.arrival_key());
        self.ordered(to).arrived.insert(key, id);
        // It can have held back only messages that were sent after it.
        self.match_arrived(to, channel, id);
        self.wake_prober(to);
    }

    /// Matches the messages of a channel that have arrived, from `first` on, in the order of
    /// sending, as long as there are receives: thousands of messages may be on their way.
    fn match_arrived(&mut self, rank: u32, channel: u32, first: u32) {
        let mut id = first;
        while id != NONE && self.has_receives(rank, channel) {
            let message = &self.messages[id];
            let (next, arrived) = (message.next, message.arrived);
            if arrived && let Some(request) = self.take_receive_for(rank, channel, id) {
                self.unlink_message(id);
                // An earlier message may have held it back: then it is matched now, not in the
                // past.
                let message = &mut self.messages[id];
                message.arrival = message.arrival.max(self.now);
                self.bind(id, request);
            }
            id = next;
        }
    }

    /// Returns whether a message of a channel may find a posted receive or a handler.
    fn has_receives(&self, rank: u32, channel: u32) -> bool {
        let ordered = self.ranks[rank as usize].ordered.as_ref();
        let has_any = ordered.is_some_and(|o| !o.wildcards.is_empty() || !o.handled.is_empty());
        has_any || self.channels.view(channel).posted.head != NONE
    }

    /// Removes the first posted receive that this message may match, or creates its handler's.
    fn take_receive_for(&mut self, rank: u32, channel: u32, id: u32) -> Option<RequestId> {
        let MessageInfo { source, tag, .. } = self.messages[id].info();
        if self.ordered(rank).handled.contains(&tag) {
            let spec = MatchSpec::exact(source, tag);
            return self.is_first_in_channel(id, spec).then(|| self.handler_request(rank, spec));
        }
        let request = self.first_posted(rank, channel, source, tag)?;
        if !self.is_first_in_channel(id, self.requests[request].spec()) {
            return None;
        }
        self.unpost(request);
        Some(request)
    }

    /// The first posted receive that accepts a message.
    fn first_posted(&self, rank: u32, channel: u32, source: u32, tag: u32) -> Option<RequestId> {
        let accepts = |request: &Request| request.spec().accepts(source, tag);
        let posted = self.channels.view(channel).posted;
        let named = posted.find(&self.requests, |_, request| accepts(request)).map(|(_, id)| id);
        let ordered = self.ranks[rank as usize].ordered.as_ref();
        let wildcard =
            ordered.and_then(|o| o.wildcards.iter().copied().find(|&id| accepts(&self.requests[id])));
        named.into_iter().chain(wildcard).min_by_key(|&id| self.requests[id].number)
    }

    fn handler_request(&mut self, rank: u32, spec: MatchSpec) -> RequestId {
        let id = self.receive_request(rank, spec, RequestKind::Handler);
        // It runs now at the earliest, although its message may have arrived before and been held
        // back by an earlier one.
        self.requests[id].posted = self.now;
        self.ordered(rank).pending_handled += 1;
        id
    }

    fn wake_prober(&mut self, rank: u32) {
        let State::Probing(spec) = &self.ranks[rank as usize].state else { return };
        if self.first_arrived(rank, **spec).is_some() {
            let state = &mut self.ranks[rank as usize];
            state.clock = state.clock.max(self.now);
            self.wake(rank, Time::ZERO);
        }
    }

    /// Returns the message that a probe of an ordered rank finds.
    pub fn probe(&self, rank: u32, selector: Selector) -> Option<MessageInfo> {
        let id = self.first_arrived(rank, selector.spec(self.reserved_tag))?;
        Some(self.messages[id].info())
    }

    /// Returns the message that a probe found, and the sender's clock at the send.
    pub fn probed(&self, rank: u32, spec: MatchSpec) -> Option<(MessageInfo, Time)> {
        let id = match spec.source {
            Some(source) if self.ranks[rank as usize].ordered.is_none() => {
                self.channels.view(self.channels.find(source, rank)?).first(&self.messages, spec)
            }
            _ => self.first_arrived(rank, spec),
        }?;
        let message = &self.messages[id];
        Some((message.info(), message.sent))
    }

    /// Returns the message that has arrived by the rank's clock, which must be at the time of the
    /// last event (`MPI_Iprobe`).
    pub fn try_probe(&self, rank: u32, selector: Selector) -> Option<MessageInfo> {
        self.try_probe_matching(rank, selector.spec(self.reserved_tag))
    }

    /// As [`Engine::try_probe`], for a range of tags.
    pub fn try_probe_matching(&self, rank: u32, spec: MatchSpec) -> Option<MessageInfo> {
        if self.ranks[rank as usize].ordered.is_some() {
            return self.first_arrived(rank, spec).map(|id| self.messages[id].info());
        }
        let clock = self.ranks[rank as usize].clock;
        let arrived = |channel: u32| {
            let id = self.channels.view(channel).peek(&self.messages, spec, clock)?;
            let message = &self.messages[id];
            Some((message.arrival_key(), message.info()))
        };
        let first = if let Some(source) = spec.source {
            self.channels.find(source, rank).and_then(arrived)
        } else {
            self.channels.to(rank).filter_map(arrived).min_by_key(|(key, _)| *key)
        };
        first.map(|(_, info)| info)
    }

    /// Passes messages with this tag to the rank's handler on arrival. The rank must be ordered.
    pub fn add_handler(&mut self, rank: u32, tag: u32) {
        self.ordered(rank).handled.push(tag);
        for channel in self.channels.to(rank).collect::<Vec<_>>() {
            let first = self.channels.get(channel).messages.head;
            self.match_arrived(rank, channel, first);
        }
    }

    /// Removes a handler. Messages that were assigned to it before still reach it
    /// ([`Engine::has_pending_handled`]).
    pub fn remove_handler(&mut self, rank: u32, tag: u32) {
        self.ordered(rank).handled.retain(|&handled| handled != tag);
    }

    /// Returns whether the rank has a handler.
    pub fn has_handler(&self, rank: u32) -> bool {
        self.ranks[rank as usize].ordered.as_ref().is_some_and(|ordered| !ordered.handled.is_empty())
    }

    /// Returns whether messages that are assigned to a handler of the rank have not reached it.
    pub fn has_pending_handled(&self, rank: u32) -> bool {
        self.ranks[rank as usize].ordered.as_ref().is_some_and(|ordered| ordered.pending_handled > 0)
    }

    fn run_handler(&mut self, id: u32) {
        let message = &self.messages[id];
        let (to, info, receive) = (message.to, message.info(), message.receive);
        self.messages.free(id);
        self.requests.free(receive);
        self.ordered(to).pending_handled -= 1;
        self.deliveries.push_back(Delivery::Handler(id, to, info, self.now));
    }
}
