//! Looks ahead, for the sake of the cache: what coming events need is asked for while others happen.

use super::{ChannelId, Engine, RequestId};
use crate::network::Passage;
use crate::prefetch;

/// Events from one step to the next: as long as memory takes to answer, and more.
const AHEAD: usize = 6;

impl Engine {
    /// The rank that can go on so many turns later, as far as that is known.
    #[inline]
    pub(crate) fn coming(&self, turns: usize) -> Option<u32> {
        self.turns.later(turns)
    }

    #[inline]
    pub(crate) fn touch_rank(&self, rank: u32) {
        prefetch::soon(self.ranks.get(rank as usize));
    }

    #[inline]
    pub(crate) fn touch_request(&self, request: RequestId) {
        self.requests.soon(request);
    }

    #[inline]
    pub(crate) fn touch_channel(&self, channel: ChannelId) {
        self.channels.touch(channel);
    }

    #[inline]
    pub(crate) fn touch_waiting(&self, channel: ChannelId) {
        let channel = self.channels.view(channel);
        self.requests.soon(channel.posted.head);
        self.messages.soon(channel.messages.head);
    }

    /// Asks for what coming events need, in two steps, since each is found by the one before.
    #[inline]
    pub(super) fn touch_next(&self) {
        if let Some(message) = self.events.later(2 * AHEAD) {
            self.messages.soon(message);
        }
        if let Some(message) = self.events.later(AHEAD) {
            let message = &self.messages[message];
            prefetch::soon(self.ranks.get(message.to as usize));
            self.requests.soon(message.receive);
            self.wires.touch(message.wire, message.from);
        }
    }

    /// The same for messages that a network has carried: these, and those that will come after them.
    #[inline]
    pub(super) fn touch_passing(&mut self, passed: &[(u32, Passage)], wire: u8) {
        let Some(traffic) = &self.wires.get(wire).traffic else { return };
        let coming = |by: usize| match passed.get(by) {
            Some(&(message, _)) => Some(message),
            None => traffic.later(by + 1 - passed.len()),
        };
        let (soon, next) = (coming(2 * AHEAD), coming(AHEAD));
        if let Some(message) = soon {
            self.messages.soon(message);
        }
        if let Some(message) = next {
            let message = &self.messages[message];
            prefetch::soon(self.ranks.get(message.to as usize));
            self.requests.soon(message.receive);
        }
    }
}
