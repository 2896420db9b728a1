//! From one rank to another: messages that no receive has taken, and receives that no message has met.

use panto_machine::Transit;
use panto_units::Time;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::message::{Message, NONE, Request, UNKNOWN};
use super::words::Within;
use crate::large::Large;
use crate::prefetch;
use crate::slots::Slots;

/// A list through `next` fields, first in first out.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    pub(super) head: u32,
    tail: u32,
}

/// What a list runs through.
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

    pub(super) fn push<T: Linked>(&mut self, slots: &mut Slots<T>, id: u32) {
        slots[id].set_next(NONE);
        if self.head == NONE {
            self.head = id;
        } else {
            slots[self.tail].set_next(id);
        }
        self.tail = id;
    }

    /// Takes `id` out; `before` is the one that points to it, or `NONE`.
    pub(super) fn unlink<T: Linked>(&mut self, slots: &mut Slots<T>, before: u32, id: u32) {
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

    /// The first that fits, and the one before it.
    #[inline]
    pub(super) fn find<T: Linked>(
        self,
        slots: &Slots<T>,
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

    /// Takes one out, wherever it is.
    pub(super) fn remove<T: Linked>(&mut self, slots: &mut Slots<T>, id: u32) {
        if let Some((before, id)) = self.find(slots, |place, _| place == id) {
            self.unlink(slots, before, id);
        }
    }
}

/// From one rank to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Channel {
    pub(super) messages: List,
    pub(super) posted: List,
    /// What the last message took, where nobody is in its way: the next one is often as long.
    last: Transit,
    last_bytes: u64,
}

/// Sources of a rank that are found by looking at each.
const FEW: usize = 6;

/// The channels to one rank, each with its source, in the order of their first use. Those of a rank with few sources are one
/// line of the cache.
type Inbox = SmallVec<[(u32, u32); FEW]>;

/// All channels that were ever used.
pub(super) struct Channels {
    inboxes: Large<Inbox>,
    /// Where there are many sources, those after the first few.
    find: FxHashMap<u64, u32>,
    all: Large<Channel>,
}

impl Channels {
    pub(super) fn new(ranks: usize) -> Self {
        Self { inboxes: Large::filled(Inbox::new(), ranks), find: FxHashMap::default(), all: Large::new() }
    }

    /// The channel from one rank to another.
    #[inline]
    pub(super) fn between(&mut self, from: u32, to: u32) -> u32 {
        self.find(from, to).unwrap_or_else(|| self.open(from, to))
    }

    /// The same, if it was ever used.
    #[inline]
    pub(super) fn find(&self, from: u32, to: u32) -> Option<u32> {
        let inbox = &self.inboxes[to as usize];
        let first = inbox.iter().take(FEW).find(|(source, _)| *source == from);
        match first {
            Some((_, channel)) => Some(*channel),
            None if inbox.len() <= FEW => None,
            None => self.find.get(&key(from, to)).copied(),
        }
    }

    #[cold]
    fn open(&mut self, from: u32, to: u32) -> u32 {
        let channel = self.all.len() as u32;
        self.all.push(Channel::NEW);
        let inbox = &mut self.inboxes[to as usize];
        inbox.push((from, channel));
        if inbox.len() > FEW {
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

    /// The channel will be needed soon.
    #[inline]
    pub(super) fn touch(&self, id: u32) {
        prefetch::soon(self.all.get(id as usize));
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

    /// The time of so many bytes, asked for only if the last message was not as long. The caller sees to it that a channel
    /// means one network.
    #[inline]
    pub(super) fn transit(&mut self, bytes: u64, ask: impl FnOnce() -> Transit) -> Transit {
        if self.last_bytes != bytes {
            (self.last, self.last_bytes) = (ask(), bytes);
        }
        self.last
    }

    /// Takes out the first posted receive that accepts a message with this tag.
    #[inline]
    pub(super) fn take_posted(&mut self, requests: &mut Slots<Request>, tag: u32) -> Option<u32> {
        let (before, id) = self.posted.find(requests, |_, request| request.within().accepts_tag(tag))?;
        self.posted.unlink(requests, before, id);
        Some(id)
    }

    /// Takes out the first message that is accepted.
    #[inline]
    pub(super) fn take_message(&mut self, messages: &mut Slots<Message>, within: Within) -> Option<u32> {
        let (before, id) = self.messages.find(messages, |_, message| within.accepts_tag(message.tag))?;
        self.messages.unlink(messages, before, id);
        Some(id)
    }

    /// The first message that is accepted, come or not.
    pub(super) fn first(&self, messages: &Slots<Message>, within: Within) -> Option<u32> {
        self.messages.find(messages, |_, message| within.accepts_tag(message.tag)).map(|(_, id)| id)
    }

    /// The first message that is accepted, if it has come by then: a later one may not overtake it.
    pub(super) fn peek(&self, messages: &Slots<Message>, within: Within, by: Time) -> Option<u32> {
        let id = self.first(messages, within)?;
        let came = messages[id].came;
        (came != UNKNOWN && came <= by).then_some(id)
    }
}
