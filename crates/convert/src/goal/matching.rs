//! Matching of sends and receives while schedules are ordered: FIFO by sender and tag, and wildcard
//! receives in the order they were posted.

use rustc_hash::FxHashMap;

/// A posted wildcard receive: source, tag (`None` is any), and its operation number.
type WildcardReceive = (Option<u32>, Option<u32>, u32);

/// Unmatched operations of all ranks, by destination.
pub struct Unmatched {
    ranks: Vec<Queues>,
    items: Items,
}

/// Unmatched operations of one destination rank.
#[derive(Default)]
struct Queues {
    /// FIFO channels by (source, tag).
    channels: FxHashMap<(u32, u32), Channel>,
    wild: Vec<WildcardReceive>,
}

/// Queue of the unmatched sends or of the unmatched receives of a channel: the first of one kind
/// matches the first of the other, so at most one kind is queued.
#[derive(Clone, Copy)]
struct Channel {
    /// First and last item; [`END`] if there is none.
    first: u32,
    last: u32,
    is_sends: bool,
}

/// Marks the end of a queue.
const END: u32 = u32::MAX;

/// Items of all queues, as linked lists in one allocation: most queues are empty or short.
#[derive(Default)]
struct Items {
    /// Operation number and next item.
    items: Vec<(u32, u32)>,
    /// First unused item.
    free: Option<u32>,
}

impl Default for Channel {
    fn default() -> Self {
        Self { first: END, last: END, is_sends: false }
    }
}

impl Items {
    #[inline]
    fn push(&mut self, channel: &mut Channel, op: u32, is_sends: bool) {
        let item = if let Some(item) = self.free.take() {
            let next = self.items[item as usize].1;
            self.free = (next != END).then_some(next);
            self.items[item as usize] = (op, END);
            item
        } else {
            self.items.push((op, END));
            self.items.len() as u32 - 1
        };
        if channel.first == END {
            *channel = Channel { first: item, last: item, is_sends };
        } else {
            self.items[channel.last as usize].1 = item;
            channel.last = item;
        }
    }

    #[inline]
    fn pop(&mut self, channel: &mut Channel) -> Option<u32> {
        if channel.first == END {
            return None;
        }
        let item = channel.first;
        let (op, next) = self.items[item as usize];
        channel.first = next;
        self.items[item as usize].1 = self.free.unwrap_or(END);
        self.free = Some(item);
        Some(op)
    }
}

impl Unmatched {
    /// Returns empty queues for this number of destinations.
    pub fn new(ranks: usize) -> Self {
        Self { ranks: std::iter::repeat_with(Queues::default).take(ranks).collect(), items: Items::default() }
    }

    /// Posts a send; returns the receive that it matches, if one is posted.
    #[inline]
    pub fn send(&mut self, from: u32, to: u32, tag: u32, op: u32) -> Option<u32> {
        let queues = &mut self.ranks[to as usize];
        let channel = queues.channels.entry((from, tag)).or_default();
        if !channel.is_sends
            && let Some(receive) = self.items.pop(channel)
        {
            return Some(receive);
        }
        let fits = |(other, wanted, _): &WildcardReceive| {
            other.is_none_or(|other| other == from) && wanted.is_none_or(|wanted| wanted == tag)
        };
        let receive = queues.wild.iter().position(fits).map(|place| queues.wild.remove(place).2);
        if receive.is_none() {
            self.items.push(channel, op, true);
        }
        receive
    }

    /// Posts a receive; returns the source rank and the send that it matches, if one was posted.
    #[inline]
    pub fn receive(&mut self, to: u32, from: Option<u32>, tag: Option<u32>, op: u32) -> Option<(u32, u32)> {
        let queues = &mut self.ranks[to as usize];
        if let (Some(from), Some(tag)) = (from, tag) {
            let channel = queues.channels.entry((from, tag)).or_default();
            let send = if channel.is_sends { self.items.pop(channel) } else { None };
            if send.is_none() {
                self.items.push(channel, op, false);
            }
            return send.map(|send| (from, send));
        }
        let fits = |(other, sent): &(u32, u32)| {
            from.is_none_or(|from| from == *other) && tag.is_none_or(|tag| tag == *sent)
        };
        // The lowest key, so that the result does not depend on the iteration order of the map.
        let sends = queues.channels.iter().filter(|(_, channel)| channel.is_sends && channel.first != END);
        let Some(key) = sends.map(|(key, _)| *key).filter(fits).min() else {
            queues.wild.push((from, tag, op));
            return None;
        };
        let send = queues.channels.get_mut(&key).and_then(|channel| self.items.pop(channel));
        send.map(|send| (key.0, send))
    }

    /// Returns the sends that no receive has matched: source ranks and operation numbers, sorted.
    pub fn unmatched_sends(&self) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        for ((from, _), channel) in self.ranks.iter().flat_map(|queues| &queues.channels) {
            let mut item = if channel.is_sends { channel.first } else { END };
            while item != END {
                let (op, next) = self.items.items[item as usize];
                all.push((*from, op));
                item = next;
            }
        }
        all.sort_unstable();
        all
    }
}
