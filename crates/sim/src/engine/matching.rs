//! Which message meets which receive.

use super::message::{Kind, Message, Phase, Request};
use super::{Delivery, Engine, RequestId, Selector};

impl Engine {
    /// A rank posts a receive. One with a wild card for the source only after [`Engine::order`].
    pub fn receive(&mut self, rank: u32, selector: Selector) -> RequestId {
        let request = self.receive_request(rank, selector, Kind::Receive);
        match selector.source {
            Some(source) => self.receive_from(rank, source, selector, request),
            None => self.receive_any(rank, selector, request),
        }
        request
    }

    pub(super) fn receive_request(&mut self, rank: u32, selector: Selector, kind: Kind) -> RequestId {
        let state = &mut self.ranks[rank as usize];
        state.posted = state.posted.wrapping_add(1);
        let request = Request { number: state.posted, ..Request::new(kind, rank, selector, state.clock) };
        self.requests.insert(request) as u32
    }

    fn receive_from(&mut self, rank: u32, source: u32, selector: Selector, request: RequestId) {
        let channel = self.channels.between(source, rank);
        let reserved = self.reserved_tag;
        let found = if self.ranks[rank as usize].ordered.is_some() {
            let clock = self.ranks[rank as usize].clock;
            let first = self.channels.get(channel).peek(&self.messages, selector, reserved, clock);
            first.filter(|&id| self.messages[id as usize].arrived).inspect(|&id| self.take(id))
        } else {
            self.channels.get(channel).take_message(&mut self.messages, selector, reserved)
        };
        match found {
            Some(message) => self.link(message, request),
            None => self.channels.get(channel).posted.push(&mut self.requests, request),
        }
    }

    fn receive_any(&mut self, rank: u32, selector: Selector, request: RequestId) {
        match self.first_arrived(rank, selector) {
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

    /// Of the messages that have arrived at an ordered rank, the first that the selector accepts.
    pub(super) fn first_arrived(&self, rank: u32, selector: Selector) -> Option<u32> {
        let ordered = self.ranks[rank as usize].ordered.as_ref()?;
        let accepted = |id: &u32| {
            let message = &self.messages[*id as usize];
            selector.accepts(message.from, message.tag, self.reserved_tag) && self.may_go_first(*id, selector)
        };
        ordered.arrived.values().copied().find(accepted)
    }

    /// Is there no earlier message of the same sender that the selector accepts as well?
    pub(super) fn may_go_first(&self, id: u32, selector: Selector) -> bool {
        let channel = self.channels.view(self.messages[id as usize].channel);
        let accepts = |_: u32, message: &Message| selector.accepts_tag(message.tag, self.reserved_tag);
        channel.messages.find(&self.messages, accepts).is_some_and(|(_, first)| first == id)
    }

    /// Takes a message out of its channel, and out of those that have arrived.
    pub(super) fn take(&mut self, id: u32) {
        let message = &self.messages[id as usize];
        let (channel, to, order) = (message.channel, message.to, message.order());
        self.channels.get(channel).messages.remove(&mut self.messages, id);
        if let Some(ordered) = &mut self.ranks[to as usize].ordered {
            ordered.arrived.remove(&order);
        }
    }

    /// A message has met its receive.
    pub(super) fn link(&mut self, id: u32, request: RequestId) {
        let message = &mut self.messages[id as usize];
        message.receive = request;
        let receive = &mut self.requests[request as usize];
        receive.message = id;
        receive.label = message.label();
        if receive.kind == Kind::Receive {
            self.deliveries.push_back(Delivery::Receive(id, request));
        }
        match message.phase {
            Phase::Asked => self.grant(id),
            _ => self.conclude(id),
        }
    }
}
