//! Prefetching for coming events.
//!
//! With thousands of ranks the engine's arrays do not fit in the caches, and an event's message,
//! rank and request are found one through the other. Each is prefetched some events before it is
//! needed, so that memory latency overlaps with the work of the events in between.

use super::{ChannelId, Engine, RequestId};
use crate::network::Passage;
use panto_memory::prefetch;

/// Events between two steps of prefetching: at least as long as memory takes to respond.
const AHEAD: usize = 6;

impl Engine {
    /// The rank that runs after `turns` - 1 others, if that is known yet.
    #[inline]
    pub(crate) fn upcoming(&self, turns: usize) -> Option<u32> {
        self.run_queue.upcoming(turns)
    }

    #[inline]
    pub(crate) fn prefetch_rank(&self, rank: u32) {
        prefetch(self.ranks.get(rank as usize));
    }

    #[inline]
    pub(crate) fn prefetch_request(&self, request: RequestId) {
        self.requests.prefetch(request);
    }

    #[inline]
    pub(crate) fn prefetch_channel(&self, channel: ChannelId) {
        self.channels.prefetch(channel);
    }

    /// Prefetches the first posted receive and the first message of a channel.
    #[inline]
    pub(crate) fn prefetch_queues(&self, channel: ChannelId) {
        let channel = self.channels.view(channel);
        self.requests.prefetch(channel.posted.head);
        self.messages.prefetch(channel.messages.head);
    }

    /// Prefetches what coming events need: first the message, then what the message points to.
    #[inline]
    pub(super) fn prefetch_events(&self) {
        if let Some(message) = self.events.upcoming(2 * AHEAD) {
            self.messages.prefetch(message);
        }
        if let Some(message) = self.events.upcoming(AHEAD) {
            let message = &self.messages[message];
            prefetch(self.ranks.get(message.to as usize));
            self.requests.prefetch(message.receive);
            self.networks.prefetch(message.network, message.from);
        }
    }

    /// Prefetches what the coming transfers of a network need: those in `passed`, then those that
    /// the network will complete after them.
    #[inline]
    pub(super) fn prefetch_transfers(&mut self, passed: &[(u32, Passage)], network: u8) {
        let Some(traffic) = &self.networks.get(network).traffic else { return };
        let upcoming = |by: usize| match passed.get(by) {
            Some(&(message, _)) => Some(message),
            None => traffic.upcoming(by + 1 - passed.len()),
        };
        let (second, first) = (upcoming(2 * AHEAD), upcoming(AHEAD));
        if let Some(message) = second {
            self.messages.prefetch(message);
        }
        if let Some(message) = first {
            let message = &self.messages[message];
            prefetch(self.ranks.get(message.to as usize));
            self.requests.prefetch(message.receive);
        }
    }
}
