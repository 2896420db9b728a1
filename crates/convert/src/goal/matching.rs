//! Matching of sends and receives while schedules are ordered: FIFO by sender and tag, and wildcard
//! receives in the order they were posted.
//!
//! Channels are numbered before, on all cores: each rank numbers the (source, tag) pairs of its
//! receives, then senders look up theirs. While schedules are ordered, a post is one access to an
//! array. Receives of ranks that use wildcards, and sends that no receive names, have no channel
//! number; they are matched by hash maps.

use rustc_hash::FxHashMap;

use super::{Operation, OperationKind, RankSchedule};
use panto_parallel as parallel;

/// The channels in which one rank receives, numbered from 0.
#[derive(Debug, Default)]
pub struct Inbound {
    /// Numbers by (source, tag).
    numbers: FxHashMap<(u32, u32), u32>,
    /// Source of each channel.
    sources: Vec<u32>,
    has_wildcards: bool,
}

/// Channel number of an operation that has none.
pub const NO_CHANNEL: u32 = u32::MAX;

impl Inbound {
    /// Numbers the channels of a rank's receives; `set` stores the number of each receive.
    pub fn new(operations: &[Operation], mut set: impl FnMut(u32, u32)) -> Self {
        let mut inbound = Self::default();
        for (op, operation) in (0..).zip(operations) {
            let OperationKind::Receive { from, tag, .. } = operation.kind else { continue };
            let (Some(from), Some(tag)) = (from, tag) else {
                inbound.has_wildcards = true;
                continue;
            };
            let next = inbound.sources.len() as u32;
            let number = *inbound.numbers.entry((from, tag)).or_insert(next);
            if number == next {
                inbound.sources.push(from);
            }
            set(op, number);
        }
        inbound
    }
}

/// Gives each message the number of its channel among those of all ranks, and returns the channels.
pub fn number_channels(schedules: &mut [RankSchedule], threads: usize) -> Vec<Channel> {
    let inbound: Vec<Inbound> =
        schedules.iter_mut().map(|schedule| std::mem::take(&mut schedule.inbound)).collect();
    let (mut firsts, mut channels) = (Vec::with_capacity(inbound.len()), Vec::new());
    for (to, inbound) in (0..).zip(&inbound) {
        firsts.push(channels.len());
        channels.extend(inbound.sources.iter().map(|from| Channel::new(*from, to)));
    }
    // `NO_CHANNEL` is not a number of a channel; above it, all messages are matched by maps.
    let is_numbered = channels.len() <= NO_CHANNEL as usize;
    let global = |to: usize, number: u32| (firsts[to] as u32) + number;
    parallel::for_each_mut(schedules, threads, |schedule| {
        let (from, graph) = (schedule.rank, &mut schedule.graph);
        for (op, operation) in (0..).zip(&schedule.operations) {
            let (to, number) = match operation.kind {
                OperationKind::Calc(_) => continue,
                OperationKind::Send { to, tag, .. } => {
                    (to as usize, inbound[to as usize].numbers.get(&(from, tag)).copied())
                }
                OperationKind::Receive { .. } => {
                    let number = graph.channel(op);
                    (from as usize, (number != NO_CHANNEL).then_some(number))
                }
            };
            let number = number.filter(|_| is_numbered && !inbound[to].has_wildcards);
            graph.set_channel(op, number.map_or(NO_CHANNEL, |number| global(to, number)));
        }
    });
    channels
}

/// A posted wildcard receive: source, tag (`None` is any), and its operation number.
type WildcardReceive = (Option<u32>, Option<u32>, u32);

/// Unmatched operations of all ranks.
pub struct Unmatched {
    channels: Vec<Channel>,
    /// Operations without a channel number, by destination.
    ranks: Vec<Queues>,
    items: Items,
}

/// Unmatched operations of one destination rank.
#[derive(Default)]
struct Queues {
    /// Channels by (source, tag).
    channels: FxHashMap<(u32, u32), Channel>,
    wild: Vec<WildcardReceive>,
}

/// The unmatched sends or the unmatched receives of a channel: the first of one kind matches the
/// first of the other, so at most one kind is queued.
#[derive(Debug, Clone, Copy)]
pub struct Channel {
    queue: Queue,
    is_sends: bool,
    from: u32,
    to: u32,
}

/// A queue of operations, whose items are in [`Items`].
#[derive(Debug, Clone, Copy)]
pub struct Queue {
    /// First and last item; [`END`] if there is none.
    first: u32,
    last: u32,
}

/// Marks the end of a queue.
const END: u32 = u32::MAX;

/// Items of many queues, as linked lists in one allocation: most queues are empty or short, and
/// the items that are in use stay in cache.
#[derive(Default)]
pub struct Items {
    /// Operation number and next item.
    items: Vec<(u32, u32)>,
    /// First unused item.
    free: Option<u32>,
}

impl Default for Queue {
    fn default() -> Self {
        Self { first: END, last: END }
    }
}

impl Channel {
    fn new(from: u32, to: u32) -> Self {
        Self { queue: Queue::default(), is_sends: false, from, to }
    }
}

impl Items {
    #[inline]
    pub fn push(&mut self, queue: &mut Queue, op: u32) {
        let item = if let Some(item) = self.free.take() {
            let next = self.items[item as usize].1;
            self.free = (next != END).then_some(next);
            self.items[item as usize] = (op, END);
            item
        } else {
            self.items.push((op, END));
            self.items.len() as u32 - 1
        };
        if queue.first == END {
            *queue = Queue { first: item, last: item };
        } else {
            self.items[queue.last as usize].1 = item;
            queue.last = item;
        }
    }

    #[inline]
    pub fn pop(&mut self, queue: &mut Queue) -> Option<u32> {
        if queue.first == END {
            return None;
        }
        let item = queue.first;
        let (op, next) = self.items[item as usize];
        queue.first = next;
        self.items[item as usize].1 = self.free.unwrap_or(END);
        self.free = Some(item);
        Some(op)
    }

    /// Posts a send or a receive in a channel; returns the operation of the other kind that it
    /// matches.
    #[inline]
    fn post(&mut self, channel: &mut Channel, op: u32, is_send: bool) -> Option<u32> {
        if channel.is_sends != is_send
            && let Some(other) = self.pop(&mut channel.queue)
        {
            return Some(other);
        }
        channel.is_sends = is_send;
        self.push(&mut channel.queue, op);
        None
    }
}

impl Unmatched {
    /// Returns empty queues of numbered channels and of this number of ranks.
    pub fn new(channels: Vec<Channel>, ranks: usize) -> Self {
        let queues = std::iter::repeat_with(Queues::default).take(ranks).collect();
        Self { channels, ranks: queues, items: Items::default() }
    }

    /// Posts an operation in a numbered channel; returns the rank and the operation that it
    /// matches, if that is posted.
    #[inline]
    pub fn post(&mut self, channel: u32, op: u32, is_send: bool) -> Option<(u32, u32)> {
        let channel = &mut self.channels[channel as usize];
        let other = self.items.post(channel, op, is_send)?;
        Some((if is_send { channel.to } else { channel.from }, other))
    }

    /// Posts a send without a channel number; returns the receive that it matches, if one is
    /// posted.
    pub fn send(&mut self, from: u32, to: u32, tag: u32, op: u32) -> Option<u32> {
        let queues = &mut self.ranks[to as usize];
        let channel = queues.channels.entry((from, tag)).or_insert_with(|| Channel::new(from, to));
        if !channel.is_sends
            && let Some(receive) = self.items.pop(&mut channel.queue)
        {
            return Some(receive);
        }
        let fits = |(other, wanted, _): &WildcardReceive| {
            other.is_none_or(|other| other == from) && wanted.is_none_or(|wanted| wanted == tag)
        };
        if let Some(place) = queues.wild.iter().position(fits) {
            return Some(queues.wild.remove(place).2);
        }
        self.items.post(channel, op, true)
    }

    /// Posts a receive without a channel number; returns the source rank and the send that it
    /// matches, if one was posted.
    pub fn receive(&mut self, to: u32, from: Option<u32>, tag: Option<u32>, op: u32) -> Option<(u32, u32)> {
        let queues = &mut self.ranks[to as usize];
        if let (Some(from), Some(tag)) = (from, tag) {
            let channel = queues.channels.entry((from, tag)).or_insert_with(|| Channel::new(from, to));
            return self.items.post(channel, op, false).map(|send| (from, send));
        }
        let fits = |(other, sent): &(u32, u32)| {
            from.is_none_or(|from| from == *other) && tag.is_none_or(|tag| tag == *sent)
        };
        // The lowest key, so that the result does not depend on the iteration order of the map.
        let has_send = |channel: &Channel| channel.is_sends && channel.queue.first != END;
        let sends = queues.channels.iter().filter(|(_, channel)| has_send(channel));
        let Some(key) = sends.map(|(key, _)| *key).filter(fits).min() else {
            queues.wild.push((from, tag, op));
            return None;
        };
        let send = queues.channels.get_mut(&key).and_then(|channel| self.items.pop(&mut channel.queue));
        send.map(|send| (key.0, send))
    }

    /// Returns the sends that no receive has matched: source ranks and operation numbers, sorted.
    pub fn unmatched_sends(&self) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        let others = self.ranks.iter().flat_map(|queues| queues.channels.values());
        for channel in self.channels.iter().chain(others).filter(|channel| channel.is_sends) {
            let mut item = channel.queue.first;
            while item != END {
                let (op, next) = self.items.items[item as usize];
                all.push((channel.from, op));
                item = next;
            }
        }
        all.sort_unstable();
        all
    }
}
