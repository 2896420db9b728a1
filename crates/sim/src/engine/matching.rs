//! Which message meets which receive.

use super::message::{Kind, Phase, Request};
use super::{ChannelId, Delivery, Engine, RequestId, Selector, Within};

impl Engine {
    /// A rank posts a receive. One with a wild card for the source only after [`Engine::order`].
    pub fn receive(&mut self, rank: u32, selector: Selector) -> RequestId {
        self.receive_within(rank, selector.within(self.reserved_tag))
    }

    /// The same, where tags are told by a range.
    #[inline]
    pub fn receive_within(&mut self, rank: u32, within: Within) -> RequestId {
        let request = self.receive_request(rank, within, Kind::Receive);
        match within.source {
            Some(source) => {
                let channel = self.channels.between(source, rank);
                self.receive_from(channel, rank, within, request);
            }
            None => self.receive_any(rank, within, request),
        }
        request
    }

    /// The same from one sender, over a known channel ([`Engine::channel`]).
    #[inline]
    pub fn receive_over(&mut self, channel: ChannelId, rank: u32, within: Within) -> RequestId {
        let request = self.receive_request(rank, within, Kind::Receive);
        self.receive_from(channel, rank, within, request);
        request
    }

    /// Names the way from one rank to another, for those who use it often.
    pub fn channel(&mut self, from: u32, to: u32) -> ChannelId {
        self.channels.between(from, to)
    }

    pub(super) fn receive_request(&mut self, rank: u32, within: Within, kind: Kind) -> RequestId {
        let state = &mut self.ranks[rank as usize];
        state.posted = state.posted.wrapping_add(1);
        let request = Request { number: state.posted, ..Request::new(kind, rank, within, state.clock) };
        self.requests.put(request)
    }

    fn receive_from(&mut self, channel: ChannelId, rank: u32, within: Within, request: RequestId) {
        let found = if self.ranks[rank as usize].ordered.is_some() {
            let clock = self.ranks[rank as usize].clock;
            let first = self.channels.get(channel).peek(&self.messages, within, clock);
            first.filter(|&id| self.messages[id].arrived).inspect(|&id| self.take(id))
        } else {
            self.channels.get(channel).take_message(&mut self.messages, within)
        };
        match found {
            Some(message) => self.link(message, request),
            None => self.channels.get(channel).posted.push(&mut self.requests, request),
        }
    }

    fn receive_any(&mut self, rank: u32, within: Within, request: RequestId) {
        match self.first_arrived(rank, within) {
            Some(message) => {
                self.take(message);
                self.link(message, request);
            }
            None => self.ordered(rank).wild.push_back(request),
        }
    }

    pub(super) fn ordered(&mut self, rank: u32) -> &mut super::Ordered {
        self.ranks[rank as usize].ordered.get_or_insert_default()
    }

    /// Of the messages that have arrived at an ordered rank, the first that is accepted.
    pub(super) fn first_arrived(&self, rank: u32, within: Within) -> Option<u32> {
        let ordered = self.ranks[rank as usize].ordered.as_ref()?;
        let accepted = |id: &u32| {
            let message = &self.messages[*id];
            within.accepts(message.from, message.tag) && self.may_go_first(*id, within)
        };
        ordered.arrived.values().copied().find(accepted)
    }

    /// Is there no earlier message of the same sender that would be accepted as well?
    pub(super) fn may_go_first(&self, id: u32, within: Within) -> bool {
        let channel = self.channels.view(self.messages[id].channel);
        channel.first(&self.messages, within) == Some(id)
    }

    /// Takes a message out of its channel, and out of those that have arrived.
    pub(super) fn take(&mut self, id: u32) {
        let message = &self.messages[id];
        let (channel, to, order) = (message.channel, message.to, message.order());
        self.channels.get(channel).messages.remove(&mut self.messages, id);
        if let Some(ordered) = &mut self.ranks[to as usize].ordered {
            ordered.arrived.remove(&order);
        }
    }

    /// A message has met its receive.
    pub(super) fn link(&mut self, id: u32, request: RequestId) {
        let message = &mut self.messages[id];
        message.receive = request;
        let receive = &mut self.requests[request];
        receive.meet(id, message);
        if receive.kind == Kind::Receive && self.has_bytes {
            self.deliveries.push_back(Delivery::Receive(id, request));
        }
        match message.phase {
            Phase::Asked => self.grant(id),
            _ => self.conclude(id),
        }
    }
}
