//! Matching of messages and receives.

use super::message::{Phase, Request, RequestKind};
use super::{ChannelId, Delivery, Engine, MatchSpec, RequestId, Selector};

impl Engine {
    /// Posts a receive. One with a wildcard source needs an ordered rank ([`Engine::set_ordered`]).
    pub fn receive(&mut self, rank: u32, selector: Selector) -> RequestId {
        self.receive_matching(rank, selector.spec(self.reserved_tag))
    }

    /// Posts a receive that accepts a range of tags.
    #[inline]
    pub fn receive_matching(&mut self, rank: u32, spec: MatchSpec) -> RequestId {
        let request = self.receive_request(rank, spec, RequestKind::Receive);
        match spec.source {
            Some(source) => {
                let channel = self.channels.between(source, rank);
                self.receive_from(channel, rank, spec, request);
            }
            None => self.receive_any(rank, spec, request),
        }
        request
    }

    /// Posts a receive on a known channel ([`Engine::channel`]).
    #[inline]
    pub fn receive_on(&mut self, channel: ChannelId, rank: u32, spec: MatchSpec) -> RequestId {
        let request = self.receive_request(rank, spec, RequestKind::Receive);
        self.receive_from(channel, rank, spec, request);
        request
    }

    /// Returns the channel from one rank to another, for repeated use.
    pub fn channel(&mut self, from: u32, to: u32) -> ChannelId {
        self.channels.between(from, to)
    }

    pub(super) fn receive_request(&mut self, rank: u32, spec: MatchSpec, kind: RequestKind) -> RequestId {
        let state = &mut self.ranks[rank as usize];
        state.posted = state.posted.wrapping_add(1);
        let request = Request { number: state.posted, ..Request::new(kind, rank, spec, state.clock) };
        self.requests.insert(request)
    }

    fn receive_from(&mut self, channel: ChannelId, rank: u32, spec: MatchSpec, request: RequestId) {
        let found = if self.ranks[rank as usize].ordered.is_some() {
            let clock = self.ranks[rank as usize].clock;
            let first = self.channels.get(channel).peek(&self.messages, spec, clock);
            first.filter(|&id| self.messages[id].arrived).inspect(|&id| self.unlink_message(id))
        } else {
            self.channels.get(channel).take_message(&mut self.messages, spec)
        };
        match found {
            Some(message) => self.bind(message, request),
            None => self.channels.get(channel).posted.push(&mut self.requests, request),
        }
    }

    fn receive_any(&mut self, rank: u32, spec: MatchSpec, request: RequestId) {
        match self.first_arrived(rank, spec) {
            Some(message) => {
                self.unlink_message(message);
                self.bind(message, request);
            }
            None => self.ordered(rank).wildcards.push_back(request),
        }
    }

    /// The ordered state of a rank, which makes it ordered.
    pub(super) fn ordered(&mut self, rank: u32) -> &mut super::Ordered {
        self.ranks[rank as usize].ordered.get_or_insert_default()
    }

    /// The first message that has arrived at an ordered rank and that `spec` accepts.
    pub(super) fn first_arrived(&self, rank: u32, spec: MatchSpec) -> Option<u32> {
        let ordered = self.ranks[rank as usize].ordered.as_ref()?;
        let accepted = |id: &u32| {
            let message = &self.messages[*id];
            spec.accepts(message.from, message.tag) && self.is_first_in_channel(*id, spec)
        };
        ordered.arrived.values().copied().find(accepted)
    }

    /// Returns whether no earlier message of the same sender matches `spec` as well (MPI's
    /// non-overtaking rule).
    pub(super) fn is_first_in_channel(&self, id: u32, spec: MatchSpec) -> bool {
        let channel = self.channels.view(self.messages[id].channel);
        channel.first(&self.messages, spec) == Some(id)
    }

    /// Removes a message from its channel and from the unexpected messages.
    pub(super) fn unlink_message(&mut self, id: u32) {
        let message = &self.messages[id];
        let (channel, to, key) = (message.channel, message.to, message.arrival_key());
        self.channels.get(channel).messages.remove(&mut self.messages, id);
        if let Some(ordered) = &mut self.ranks[to as usize].ordered {
            ordered.arrived.remove(&key);
        }
    }

    /// Binds a message to the receive that it matches.
    pub(super) fn bind(&mut self, id: u32, request: RequestId) {
        let message = &mut self.messages[id];
        message.receive = request;
        let receive = &mut self.requests[request];
        receive.bind(id, message);
        if receive.kind == RequestKind::Receive && self.has_bytes {
            self.deliveries.push_back(Delivery::Receive(id, request));
        }
        match message.phase {
            Phase::AwaitingReceive => self.clear_to_send(id),
            _ => self.complete_if_matched(id),
        }
    }
}
