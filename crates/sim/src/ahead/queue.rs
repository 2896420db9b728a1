//! Messages on their way, channel by channel.
//!
//! A receive that is posted is not matched when its message is sent: the message waits in its channel until the receiver asks for it. So a
//! send touches one half of a cache line of the receiver's data and no more. Only where somebody waits for an answer are
//! receives announced (*pledges*).

use std::collections::VecDeque;

use panto_units::Time;

use super::price::CLASS_BITS;
use crate::large::Large;

/// The receiver waits for the next message.
const WANTED: u32 = 1 << 31;
/// There is a message.
const FULL: u32 = 1 << 30;
/// Receives are announced.
pub(super) const ANSWERS: u32 = 1 << 29;
const CLASS: u32 = (1 << CLASS_BITS) - 1;
/// No spill.
const NONE: u32 = u32::MAX;

/// Whoever sends so many messages that nobody takes should let others have their turn, in long programs
const MANY: usize = 64;
/// and in short ones: else some ranks would be at their end before others, of other threads, can begin.
const SOME: usize = 8;
/// A program is long if its ranks have so many operations for each of the messages.
const LONG: usize = 32;

/// Says that the rest is a number in [`Odds`](super::odd::Odds), not bytes.
pub(super) const ODD: u64 = 1 << 63;

/// A message that waits for its receive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// When its bytes are there, or the request to send them.
    pub(super) arrival: Time,
    /// How many, or [`ODD`] and what is special about it.
    pub(super) bytes: u64,
    /// The sender's clock, if somebody wants to see it.
    pub(super) sent: Time,
}

/// One channel. The first message is in here, those behind it are spilled.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(super) struct Channel {
    arrival: Time,
    /// Of the first message; or who waits for it.
    bytes: u64,
    state: u32,
    spill: u32,
    /// How many receives were posted,
    pub(super) posted: u32,
    /// and how many messages were taken.
    pub(super) taken: u32,
}

const _: () = assert!(size_of::<Channel>() == 32);

impl Channel {
    pub(super) fn new(class: u32, answers: bool) -> Self {
        let state = class | if answers { ANSWERS } else { 0 };
        Self { arrival: Time::ZERO, bytes: 0, state, spill: NONE, posted: 0, taken: 0 }
    }

    #[inline]
    pub(super) fn class(&self) -> u32 {
        self.state & CLASS
    }

    #[inline]
    pub(super) fn answers(&self) -> bool {
        self.state & ANSWERS != 0
    }

    /// Receives the only message of a channel with nothing special about either: when it came, and its bytes.
    #[inline]
    pub(super) fn receive(&mut self) -> Option<(Time, u64)> {
        let is_plain = self.state & (FULL | ANSWERS) == FULL
            && self.spill == NONE
            && self.is_even()
            && self.bytes & ODD == 0;
        is_plain.then(|| {
            self.state &= !FULL;
            self.taken = self.taken.wrapping_add(1);
            self.posted = self.taken;
            (self.arrival, self.bytes)
        })
    }

    /// Has every receive that was posted got its message?
    #[inline]
    pub(super) fn is_even(&self) -> bool {
        self.posted == self.taken
    }
}

/// What comes of a message that is sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Put {
    /// It waits for its receive.
    Waits,
    /// So it does, and there are many before it.
    BehindMany,
    /// This seat waited for it.
    Wakes(u32),
}

#[derive(Debug, Default)]
struct Spill {
    messages: VecDeque<Entry>,
    /// When receives were posted for which no message was sent yet.
    pledges: VecDeque<Time>,
}

/// The channels to some ranks.
pub(super) struct Queues {
    pub(super) channels: Large<Channel>,
    /// When the first message of each channel was sent, if somebody wants to see it.
    sent: Vec<Time>,
    spills: Vec<Spill>,
    unused: Vec<u32>,
    /// Messages on one channel that are many.
    many: usize,
}

impl Queues {
    /// The channels of a program whose ranks have so many operations each, about; does somebody look?
    pub(super) fn new(channels: Large<Channel>, operations: usize, looks: bool) -> Self {
        let many = (operations / LONG).clamp(SOME, MANY);
        let sent = vec![Time::ZERO; if looks { channels.len() } else { 0 }];
        Self { channels, sent, spills: Vec::new(), unused: Vec::new(), many }
    }

    /// A message is sent.
    #[inline]
    pub(super) fn put(&mut self, at: usize, entry: Entry) -> Put {
        let channel = &mut self.channels[at];
        if channel.state & FULL != 0 {
            let many = self.many;
            let messages = &mut self.spill(at).messages;
            messages.push_back(entry);
            return if messages.len() < many { Put::Waits } else { Put::BehindMany };
        }
        let put = if channel.state & WANTED != 0 { Put::Wakes(channel.bytes as u32) } else { Put::Waits };
        channel.state = channel.state & !WANTED | FULL;
        channel.arrival = entry.arrival;
        channel.bytes = entry.bytes;
        if let Some(sent) = self.sent.get_mut(at) {
            *sent = entry.sent;
        }
        put
    }

    #[cold]
    fn spill(&mut self, at: usize) -> &mut Spill {
        let channel = &mut self.channels[at];
        if channel.spill == NONE {
            channel.spill = self.unused.pop().unwrap_or_else(|| {
                self.spills.push(Spill::default());
                self.spills.len() as u32 - 1
            });
        }
        &mut self.spills[channel.spill as usize]
    }

    /// Takes the first message.
    #[inline]
    pub(super) fn take(&mut self, at: usize) -> Option<Entry> {
        let channel = &mut self.channels[at];
        if channel.state & FULL == 0 {
            return None;
        }
        let sent = self.sent.get(at).copied().unwrap_or_default();
        let first = Entry { arrival: channel.arrival, bytes: channel.bytes, sent };
        channel.taken = channel.taken.wrapping_add(1);
        if channel.spill == NONE {
            channel.state &= !FULL;
        } else {
            self.refill(at);
        }
        Some(first)
    }

    fn refill(&mut self, at: usize) {
        let channel = &mut self.channels[at];
        let spill = &mut self.spills[channel.spill as usize];
        let Some(next) = spill.messages.pop_front() else {
            channel.state &= !FULL;
            return;
        };
        channel.arrival = next.arrival;
        channel.bytes = next.bytes;
        if let Some(sent) = self.sent.get_mut(at) {
            *sent = next.sent;
        }
        if spill.messages.is_empty() && spill.pledges.is_empty() {
            self.unused.push(channel.spill);
            channel.spill = NONE;
        }
    }

    /// The receiver waits for the next message; there is none.
    #[inline]
    pub(super) fn want(&mut self, at: usize, who: u32) {
        let channel = &mut self.channels[at];
        channel.state |= WANTED;
        channel.bytes = who.into();
    }

    /// The message that a receive would get which is the `nth` from now on.
    pub(super) fn look(&self, at: usize, nth: u32) -> Option<Entry> {
        let channel = &self.channels[at];
        if channel.state & FULL == 0 {
            return None;
        }
        if nth == 0 {
            let sent = self.sent.get(at).copied().unwrap_or_default();
            return Some(Entry { arrival: channel.arrival, bytes: channel.bytes, sent });
        }
        self.spills.get(channel.spill as usize)?.messages.get(nth as usize - 1).copied()
    }

    /// It is known now when that message comes.
    pub(super) fn settle(&mut self, at: usize, nth: u32, entry: Entry) {
        let channel = &mut self.channels[at];
        if nth == 0 {
            channel.arrival = entry.arrival;
            channel.bytes = entry.bytes;
        } else if let Some(spill) = self.spills.get_mut(channel.spill as usize)
            && let Some(place) = spill.messages.get_mut(nth as usize - 1)
        {
            *place = entry;
        }
    }

    /// A receive was posted before its message was sent.
    pub(super) fn pledge(&mut self, at: usize, posted: Time) {
        self.spill(at).pledges.push_back(posted);
    }

    /// When the receive was posted that the next message meets, if it was.
    pub(super) fn pledged(&mut self, at: usize) -> Option<Time> {
        let spill = self.channels[at].spill;
        self.spills.get_mut(spill as usize)?.pledges.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_messages_are_noticed_and_come_in_their_order() {
        let mut queues = Queues::new(Large::filled(Channel::new(0, false), 1), 0, false);
        queues.want(0, 5);
        let entry = |nth: u64| Entry { arrival: Time::from_picos(nth), bytes: nth, sent: Time::ZERO };
        let count = SOME as u64 + 3;
        let puts: Vec<Put> = (0..count).map(|nth| queues.put(0, entry(nth))).collect();
        assert_eq!(puts[0], Put::Wakes(5));
        assert!(puts[1..SOME].iter().all(|put| *put == Put::Waits));
        assert!(puts[SOME..].iter().all(|put| *put == Put::BehindMany));
        assert!((0..count).all(|nth| queues.take(0).is_some_and(|entry| entry.bytes == nth)));
        assert!(queues.take(0).is_none());
    }
}
