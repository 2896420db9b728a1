//! Channels between two ranks: unmatched messages and posted receives, first in first out.
//!
//! A message is matched when it is sent, when its receive is posted, or, on an ordered rank, when
//! it arrives; until then it waits here.

use panto_machine::Transit;
use panto_units::Time;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::message::{Message, NONE, Request, UNKNOWN};
use super::types::MatchSpec;
use crate::slab::Slab;
use panto_memory::HugeVec;
use panto_memory::prefetch;

/// A FIFO list threaded through the `next` fields of its elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    pub(super) head: u32,
    tail: u32,
}

/// An element of a [`List`].
pub(super) trait Linked {
    fn next(&self) -> u32;
    fn set_next(&mut self, next: u32);
}

impl Linked for Message {
    fn next(&self) -> u32 {
        self.next
    }

    fn set_next(&mut self, next: u32) {
        self.next = next;
    }
}

impl Linked for Request {
    fn next(&self) -> u32 {
        self.next
    }

    fn set_next(&mut self, next: u32) {
        self.next = next;
    }
}

impl List {
    const EMPTY: Self = Self { head: NONE, tail: NONE };

    pub(super) fn push<T: Linked>(&mut self, slots: &mut Slab<T>, id: u32) {
        slots[id].set_next(NONE);
        if self.head == NONE {
            self.head = id;
        } else {
            slots[self.tail].set_next(id);
        }
        self.tail = id;
    }

    /// Removes `id`; `before` is its predecessor, or `NONE`.
    pub(super) fn unlink<T: Linked>(&mut self, slots: &mut Slab<T>, before: u32, id: u32) {
        let next = slots[id].next();
        if before == NONE {
            self.head = next;
        } else {
            slots[before].set_next(next);
        }
        if self.tail == id {
            self.tail = before;
        }
    }

    /// Returns the predecessor and the id of the first element for which `fits` holds.
    #[inline]
    pub(super) fn find<T: Linked>(
        self,
        slots: &Slab<T>,
        mut fits: impl FnMut(u32, &T) -> bool,
    ) -> Option<(u32, u32)> {
        let (mut before, mut id) = (NONE, self.head);
        while id != NONE {
            let item = &slots[id];
            if fits(id, item) {
                return Some((before, id));
            }
            (before, id) = (id, item.next());
        }
        None
    }

    /// Removes an element wherever it is in the list.
    pub(super) fn remove<T: Linked>(&mut self, slots: &mut Slab<T>, id: u32) {
        if let Some((before, id)) = self.find(slots, |other, _| other == id) {
            self.unlink(slots, before, id);
        }
    }
}

/// A channel from one rank to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Channel {
    /// Messages that no receive has matched.
    pub(super) messages: List,
    /// Posted receives that no message has matched.
    pub(super) posted: List,
    /// The uncontended time of the last message: the next one is often as long.
    last: Transit,
    last_bytes: u64,
}

/// Sources of a rank that are searched linearly: with the length these fill one cache line.
const INLINE_SOURCES: usize = 6;

/// The channels to one rank, each with its source, in the order of their first use. Those of a rank
/// with few sources are one cache line.
type Inbox = SmallVec<[(u32, u32); INLINE_SOURCES]>;

/// All channels that were used so far.
pub(super) struct Channels {
    inboxes: HugeVec<Inbox>,
    /// Channels by [`key`], for the sources of a rank after the first [`INLINE_SOURCES`].
    find: FxHashMap<u64, u32>,
    all: HugeVec<Channel>,
}

impl Channels {
    pub(super) fn new(ranks: usize) -> Self {
        Self {
            inboxes: HugeVec::filled(Inbox::new(), ranks),
            find: FxHashMap::default(),
            all: HugeVec::new(),
        }
    }

    /// Adds a rank without channels, whose number follows those of all others.
    pub(super) fn add_rank(&mut self) {
        self.inboxes.push(Inbox::new());
    }

    /// Returns the channel from one rank to another, and creates it at its first use.
    #[inline]
    pub(super) fn between(&mut self, from: u32, to: u32) -> u32 {
        self.find(from, to).unwrap_or_else(|| self.open(from, to))
    }

    /// Returns the channel from one rank to another if it was used before.
    #[inline]
    pub(super) fn find(&self, from: u32, to: u32) -> Option<u32> {
        let inbox = &self.inboxes[to as usize];
        let first = inbox.iter().take(INLINE_SOURCES).find(|(source, _)| *source == from);
        match first {
            Some((_, channel)) => Some(*channel),
            None if inbox.len() <= INLINE_SOURCES => None,
            None => self.find.get(&key(from, to)).copied(),
        }
    }

    #[cold]
    fn open(&mut self, from: u32, to: u32) -> u32 {
        let channel = self.all.len() as u32;
        self.all.push(Channel::NEW);
        let inbox = &mut self.inboxes[to as usize];
        inbox.push((from, channel));
        if inbox.len() > INLINE_SOURCES {
            self.find.insert(key(from, to), channel);
        }
        channel
    }

    /// All channels to a rank.
    pub(super) fn to(&self, rank: u32) -> impl Iterator<Item = u32> {
        self.inboxes[rank as usize].iter().map(|(_, channel)| *channel)
    }

    pub(super) fn view(&self, id: u32) -> &Channel {
        &self.all[id as usize]
    }

    /// Prefetches a channel.
    #[inline]
    pub(super) fn prefetch(&self, id: u32) {
        prefetch(self.all.get(id as usize));
    }

    #[inline]
    pub(super) fn get(&mut self, id: u32) -> &mut Channel {
        &mut self.all[id as usize]
    }
}

fn key(from: u32, to: u32) -> u64 {
    u64::from(to) << 32 | u64::from(from)
}

impl Channel {
    const NEW: Self = Self {
        messages: List::EMPTY,
        posted: List::EMPTY,
        last: Transit { leaves: Time::ZERO, arrives: Time::ZERO },
        last_bytes: u64::MAX,
    };

    /// Returns the uncontended time of a message, computed by `compute` unless the last message had
    /// the same length. All calls for one channel must be about the same network.
    #[inline]
    pub(super) fn transit(&mut self, bytes: u64, compute: impl FnOnce() -> Transit) -> Transit {
        if self.last_bytes != bytes {
            (self.last, self.last_bytes) = (compute(), bytes);
        }
        self.last
    }

    /// Removes the first posted receive that accepts a message with this tag.
    #[inline]
    pub(super) fn take_posted(&mut self, requests: &mut Slab<Request>, tag: u32) -> Option<u32> {
        let (before, id) = self.posted.find(requests, |_, request| request.spec().accepts_tag(tag))?;
        self.posted.unlink(requests, before, id);
        Some(id)
    }

    /// Removes the first message that `spec` accepts.
    #[inline]
    pub(super) fn take_message(&mut self, messages: &mut Slab<Message>, spec: MatchSpec) -> Option<u32> {
        let (before, id) = self.messages.find(messages, |_, message| spec.accepts_tag(message.tag))?;
        self.messages.unlink(messages, before, id);
        Some(id)
    }

    /// The first message that `spec` accepts, whether or not it has arrived.
    pub(super) fn first(&self, messages: &Slab<Message>, spec: MatchSpec) -> Option<u32> {
        self.messages.find(messages, |_, message| spec.accepts_tag(message.tag)).map(|(_, id)| id)
    }

    /// The first message that `spec` accepts, if it has arrived by then: later messages must not
    /// overtake it.
    pub(super) fn peek(&self, messages: &Slab<Message>, spec: MatchSpec, by: Time) -> Option<u32> {
        let id = self.first(messages, spec)?;
        let arrival = messages[id].arrival;
        (arrival != UNKNOWN && arrival <= by).then_some(id)
    }
}
