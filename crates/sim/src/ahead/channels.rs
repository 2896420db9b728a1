//! The messages that have been sent and not received, channel by channel.
//!
//! A posted receive is not matched when its message is sent. The message waits in its channel until
//! the receiver takes it: the n-th receive on a channel gets the n-th message, so nothing else has
//! to be stored. A send touches half a cache line of the receiver's data, and the ready queue if
//! the receiver was blocked. Only channels that can carry synchronous or rendezvous messages record
//! when receives are posted (see [`rendezvous`](super::rendezvous)).
//!
//! Nearly always a channel holds one message at most, which is stored in the [`ChannelState`]
//! itself. Further messages, and the times of posted receives, go to an [`Overflow`]. Overflows are
//! reused: a channel gives its own back when the last message queued there moves to the
//! `ChannelState`, unless times of posted receives remain.

use std::collections::VecDeque;

use panto_memory::HugeVec;
use panto_units::Time;

use super::cost::CLASS_BITS;

/// State bit: the receiver is blocked on the next message.
const AWAITED: u32 = 1 << 31;
/// State bit: there is a message.
const FULL: u32 = 1 << 30;
/// State bit: the times of posted receives are recorded.
pub(super) const TRACKS_RECEIVES: u32 = 1 << 29;
/// State bits of the message class.
const CLASS: u32 = (1 << CLASS_BITS) - 1;
/// The value of [`ChannelState::overflow`] if there is none.
const NO_OVERFLOW: u32 = u32::MAX;

/// Number of messages waiting on one channel from which on its sender yields, in long programs.
const MAX_QUEUED_LONG: usize = 64;
/// Number of messages waiting on one channel from which on its sender yields, in short programs:
/// some ranks would otherwise reach their end before those of other threads can begin.
const MAX_QUEUED_SHORT: usize = 8;
/// Operations of a rank for each message that may wait on a channel, between the two limits.
const OPS_PER_QUEUED: usize = 32;

/// Bit of [`Message::bytes`] that says that the other bits are an index of
/// [`Details`](super::rendezvous::Details).
pub(super) const DETAILED: u64 = 1 << 63;

/// A message that waits for its receive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    /// When its data has arrived; of a rendezvous that is not resolved, when the request to send
    /// has.
    pub(super) arrival: Time,
    /// Its size in bytes, or [`DETAILED`] and the number of its details.
    pub(super) bytes: u64,
    /// The sender's clock when it was sent; zero unless something is observed.
    pub(super) sent: Time,
}

/// The state of one channel, with its first message.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(super) struct ChannelState {
    arrival: Time,
    /// Of the first message; or, while the receiver is blocked, the receiver's position.
    bytes: u64,
    /// State bits and message class.
    state: u32,
    /// The number of the [`Overflow`].
    overflow: u32,
    /// How many receives have been posted, modulo 2^32.
    pub(super) posted: u32,
    /// How many messages have been taken out, modulo 2^32.
    pub(super) taken: u32,
}

const _: () = assert!(size_of::<ChannelState>() == 32);

impl ChannelState {
    pub(super) fn new(class: u32, tracks_receives: bool) -> Self {
        let state = class | if tracks_receives { TRACKS_RECEIVES } else { 0 };
        Self { arrival: Time::ZERO, bytes: 0, state, overflow: NO_OVERFLOW, posted: 0, taken: 0 }
    }

    #[inline]
    pub(super) fn class(&self) -> u32 {
        self.state & CLASS
    }

    #[inline]
    pub(super) fn tracks_receives(&self) -> bool {
        self.state & TRACKS_RECEIVES != 0
    }

    /// Receives the only message of the channel, if neither needs special treatment. Returns its
    /// arrival and its size in bytes.
    #[inline]
    pub(super) fn receive(&mut self) -> Option<(Time, u64)> {
        let is_plain = self.state & (FULL | TRACKS_RECEIVES) == FULL
            && self.overflow == NO_OVERFLOW
            && self.none_pending()
            && self.bytes & DETAILED == 0;
        is_plain.then(|| {
            self.state &= !FULL;
            self.taken = self.taken.wrapping_add(1);
            self.posted = self.taken;
            (self.arrival, self.bytes)
        })
    }

    /// Returns whether every posted receive has got its message.
    #[inline]
    pub(super) fn none_pending(&self) -> bool {
        self.posted == self.taken
    }
}

/// What happened to a message that was sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PutResult {
    /// It waits for its receive.
    Queued,
    /// It waits behind many others: the sender should yield.
    ManyQueued,
    /// The rank at this position was blocked on it.
    Wakes(u32),
}

/// What a channel holds beyond its first message.
#[derive(Debug, Default)]
struct Overflow {
    messages: VecDeque<Message>,
    /// When receives were posted whose message has not been sent yet.
    posts: VecDeque<Time>,
}

/// The channels that end in one partition.
pub(super) struct Channels {
    pub(super) states: HugeVec<ChannelState>,
    /// When the first message of each channel was sent; empty unless something is observed.
    sent: Vec<Time>,
    overflows: Vec<Overflow>,
    free_overflows: Vec<u32>,
    /// Number of waiting messages on one channel from which on its sender yields.
    max_queued: usize,
}

impl Channels {
    /// Returns the channels of a program whose ranks have `operations` operations on average.
    pub(super) fn new(states: HugeVec<ChannelState>, operations: usize, observed: bool) -> Self {
        let max_queued = (operations / OPS_PER_QUEUED).clamp(MAX_QUEUED_SHORT, MAX_QUEUED_LONG);
        let sent = vec![Time::ZERO; if observed { states.len() } else { 0 }];
        Self { states, sent, overflows: Vec::new(), free_overflows: Vec::new(), max_queued }
    }

    /// Adds a message to a channel.
    #[inline]
    pub(super) fn put(&mut self, at: usize, message: Message) -> PutResult {
        let channel = &mut self.states[at];
        if channel.state & FULL != 0 {
            let max_queued = self.max_queued;
            let messages = &mut self.overflow(at).messages;
            messages.push_back(message);
            return if messages.len() < max_queued { PutResult::Queued } else { PutResult::ManyQueued };
        }
        let put = if channel.state & AWAITED != 0 {
            PutResult::Wakes(channel.bytes as u32)
        } else {
            PutResult::Queued
        };
        channel.state = channel.state & !AWAITED | FULL;
        channel.arrival = message.arrival;
        channel.bytes = message.bytes;
        if let Some(sent) = self.sent.get_mut(at) {
            *sent = message.sent;
        }
        put
    }

    #[cold]
    fn overflow(&mut self, at: usize) -> &mut Overflow {
        let channel = &mut self.states[at];
        if channel.overflow == NO_OVERFLOW {
            channel.overflow = self.free_overflows.pop().unwrap_or_else(|| {
                self.overflows.push(Overflow::default());
                self.overflows.len() as u32 - 1
            });
        }
        &mut self.overflows[channel.overflow as usize]
    }

    /// Takes the first message out of a channel.
    #[inline]
    pub(super) fn take(&mut self, at: usize) -> Option<Message> {
        let channel = &mut self.states[at];
        if channel.state & FULL == 0 {
            return None;
        }
        let sent = self.sent.get(at).copied().unwrap_or_default();
        let first = Message { arrival: channel.arrival, bytes: channel.bytes, sent };
        channel.taken = channel.taken.wrapping_add(1);
        if channel.overflow == NO_OVERFLOW {
            channel.state &= !FULL;
        } else {
            self.refill(at);
        }
        Some(first)
    }

    /// Moves the next message from the overflow to the channel's state.
    fn refill(&mut self, at: usize) {
        let channel = &mut self.states[at];
        let overflow = &mut self.overflows[channel.overflow as usize];
        let Some(next) = overflow.messages.pop_front() else {
            channel.state &= !FULL;
            return;
        };
        channel.arrival = next.arrival;
        channel.bytes = next.bytes;
        if let Some(sent) = self.sent.get_mut(at) {
            *sent = next.sent;
        }
        if overflow.messages.is_empty() && overflow.posts.is_empty() {
            self.free_overflows.push(channel.overflow);
            channel.overflow = NO_OVERFLOW;
        }
    }

    /// Notes that the receiver is blocked on the channel, which is empty.
    #[inline]
    pub(super) fn await_message(&mut self, at: usize, position: u32) {
        let channel = &mut self.states[at];
        channel.state |= AWAITED;
        channel.bytes = position.into();
    }

    /// Returns the message that the `nth` receive from now on will get, counted from 0.
    pub(super) fn peek(&self, at: usize, nth: u32) -> Option<Message> {
        let channel = &self.states[at];
        if channel.state & FULL == 0 {
            return None;
        }
        if nth == 0 {
            let sent = self.sent.get(at).copied().unwrap_or_default();
            return Some(Message { arrival: channel.arrival, bytes: channel.bytes, sent });
        }
        self.overflows.get(channel.overflow as usize)?.messages.get(nth as usize - 1).copied()
    }

    /// Replaces that message, now that its arrival is known.
    pub(super) fn resolve(&mut self, at: usize, nth: u32, message: Message) {
        let channel = &mut self.states[at];
        if nth == 0 {
            channel.arrival = message.arrival;
            channel.bytes = message.bytes;
        } else if let Some(overflow) = self.overflows.get_mut(channel.overflow as usize)
            && let Some(place) = overflow.messages.get_mut(nth as usize - 1)
        {
            *place = message;
        }
    }

    /// Records when a receive was posted whose message has not been sent yet.
    pub(super) fn push_post(&mut self, at: usize, posted: Time) {
        self.overflow(at).posts.push_back(posted);
    }

    /// Returns when the receive was posted that the next message matches, if it was.
    pub(super) fn pop_post(&mut self, at: usize) -> Option<Time> {
        let overflow = self.states[at].overflow;
        self.overflows.get_mut(overflow as usize)?.posts.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_messages_are_noticed_and_come_in_their_order() {
        let mut channels = Channels::new(HugeVec::filled(ChannelState::new(0, false), 1), 0, false);
        channels.await_message(0, 5);
        let message = |nth: u64| Message { arrival: Time::from_picos(nth), bytes: nth, sent: Time::ZERO };
        let count = MAX_QUEUED_SHORT as u64 + 3;
        let puts: Vec<PutResult> = (0..count).map(|nth| channels.put(0, message(nth))).collect();
        assert_eq!(puts[0], PutResult::Wakes(5));
        assert!(puts[1..MAX_QUEUED_SHORT].iter().all(|put| *put == PutResult::Queued));
        assert!(puts[MAX_QUEUED_SHORT..].iter().all(|put| *put == PutResult::ManyQueued));
        assert!((0..count).all(|nth| channels.take(0).is_some_and(|message| message.bytes == nth)));
        assert!(channels.take(0).is_none());
    }
}
