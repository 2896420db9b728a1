//! The channels of the program, and the number of messages that each carries.
//!
//! Ranks share the numbers of channels, or each rank has its own until all are
//! [joined](super::channel_join).

use rustc_hash::{FxHashMap, FxHashSet};

use super::channel_join::JoinedNumbers;
use crate::program::{Channel, ChannelKind, Op, Wildcard};

/// The tag of messages that the program does not send itself: those of collectives and helpers.
const NO_TAG: i64 = -1;

/// What identifies a channel. Ranks include helpers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChannelKey {
    /// The sending rank.
    pub from: u32,
    /// The receiving rank.
    pub to: u32,
    /// The communicator.
    pub comm: u32,
    /// The tag; `None` for collectives and helpers.
    pub tag: Option<u32>,
    /// What its messages are for.
    pub kind: ChannelKind,
}

/// A call of a rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallSite {
    /// The number of the call in the rank, from 0.
    pub position: u64,
    /// The number of the called function.
    pub call: u32,
}

/// A count of messages, with the last call that added to it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    /// The number of messages.
    pub number: u64,
    /// The last call.
    pub last: CallSite,
}

/// The messages of a channel.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChannelCounts {
    /// Messages sent.
    pub sends: Count,
    /// Messages received.
    pub receives: Count,
}

/// The channels of a program.
#[derive(Default)]
pub struct Channels {
    /// The numbers of channels: all of them, or those of the last rank that has numbers of its own.
    numbers: FxHashMap<ChannelKey, u32>,
    /// Ranks that have numbers of their own, each with its first one.
    ranks: Vec<(u32, u32)>,
    all: Vec<Channel>,
    counts: Vec<ChannelCounts>,
    /// The communicator and tag of each provisional match key.
    match_keys: Vec<(u32, i64)>,
    match_key_numbers: FxHashMap<(u32, i64), u32>,
    wildcards: Vec<WildcardKey>,
    wildcard_numbers: FxHashMap<WildcardKey, u32>,
    /// Ranks that receive with wildcards, with the communicator.
    wildcard_receivers: FxHashSet<(u32, u32)>,
}

/// What a receive with wildcards accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WildcardKey {
    /// The sending rank; `None` is a wildcard.
    pub from: Option<u32>,
    /// The communicator.
    pub comm: u32,
    /// The tag; `None` is a wildcard.
    pub tag: Option<u32>,
}

impl Channels {
    /// Returns the number of a channel, and creates it at its first use.
    #[inline]
    pub fn number(&mut self, key: ChannelKey) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let match_key = self.match_key(key.comm, key.tag.map_or(NO_TAG, i64::from));
        let number = self.push(Channel { from: key.from, to: key.to, match_key, kind: key.kind });
        self.numbers.insert(key, number);
        number
    }

    /// Begins a rank that numbers its channels for itself.
    pub fn begin_rank(&mut self, rank: u32) {
        self.numbers.clear();
        self.ranks.push((rank, self.all.len() as u32));
    }

    /// Returns the channels of each rank that [numbers its own](Self::begin_rank).
    pub fn by_rank(&self) -> impl Iterator<Item = (u32, &[Channel])> {
        let ends = self.ranks.iter().skip(1).map(|(_, first)| *first as usize).chain([self.all.len()]);
        self.ranks.iter().zip(ends).map(|((rank, first), end)| (*rank, &self.all[*first as usize..end]))
    }

    /// Appends a channel; returns its number.
    pub fn push(&mut self, channel: Channel) -> u32 {
        let number = self.all.len() as u32;
        self.all.push(channel);
        self.counts.push(ChannelCounts::default());
        number
    }

    /// Adds the communicators and tags of other ranks. Returns the number here of each.
    pub fn add_match_keys(&mut self, other: &Self) -> Vec<u32> {
        other.match_keys.iter().map(|(comm, tag)| self.match_key(*comm, *tag)).collect()
    }

    /// Adds the wildcards of other ranks. Returns their numbers here.
    pub fn add_wildcards(&mut self, other: &Self) -> JoinedNumbers {
        self.wildcard_receivers.extend(&other.wildcard_receivers);
        let wildcards = other.wildcards.iter().map(|key| self.wildcard_number(*key)).collect();
        JoinedNumbers { channels: Vec::new(), wildcards }
    }

    fn match_key(&mut self, comm: u32, tag: i64) -> u32 {
        let next = self.match_keys.len() as u32;
        *self.match_key_numbers.entry((comm, tag)).or_insert_with(|| {
            self.match_keys.push((comm, tag));
            next
        })
    }

    /// Returns the number of a wildcard pattern that rank `to` receives with.
    pub fn wildcard(&mut self, to: u32, wildcard_key: WildcardKey) -> u32 {
        self.wildcard_receivers.insert((to, wildcard_key.comm));
        self.wildcard_number(wildcard_key)
    }

    fn wildcard_number(&mut self, wildcard_key: WildcardKey) -> u32 {
        let next = self.wildcards.len() as u32;
        *self.wildcard_numbers.entry(wildcard_key).or_insert_with(|| {
            self.wildcards.push(wildcard_key);
            next
        })
    }

    /// Returns the channels from a number on, each with its communicator and tag.
    pub fn since(&self, number: usize) -> impl Iterator<Item = (Channel, u32, Option<u32>)> {
        self.all[number..].iter().map(|channel| {
            let (comm, tag) = self.match_keys[channel.match_key as usize];
            (*channel, comm, u32::try_from(tag).ok())
        })
    }

    /// Returns all channels.
    pub fn all(&self) -> &[Channel] {
        &self.all
    }

    /// Returns all wildcards.
    pub fn wildcards(&self) -> &[WildcardKey] {
        &self.wildcards
    }

    /// The number of channels.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the message counts of a channel.
    pub fn counts_of(&self, channel: u32) -> &ChannelCounts {
        &self.counts[channel as usize]
    }

    /// The message counts of a channel.
    #[inline]
    pub fn counts(&mut self, channel: u32) -> &mut ChannelCounts {
        &mut self.counts[channel as usize]
    }

    /// Counts further messages of an operation that is repeated, the last of which is of this call.
    /// Those of collectives are not counted: what the members agree on determines them.
    pub fn count_repeated(&mut self, op: Op, messages: u64, site: CallSite) {
        let (channel, is_send) = match op {
            Op::Send { channel, .. } | Op::StartSend { channel, .. } => (channel as usize, true),
            Op::Receive { channel } | Op::StartReceive { channel, .. } => (channel as usize, false),
            _ => return,
        };
        if self.all[channel].kind == ChannelKind::PointToPoint {
            let counts = &mut self.counts[channel];
            let count = if is_send { &mut counts.sends } else { &mut counts.receives };
            count.number += messages;
            count.last = site;
        }
    }

    /// Channels with different numbers of sends and receives, except those from which receives with
    /// wildcards may have taken messages.
    pub fn unbalanced(&self) -> impl Iterator<Item = (u32, Channel, ChannelCounts)> {
        let all = (0..).zip(&self.all).zip(&self.counts);
        let unbalanced = all.filter(|(_, counts)| counts.sends.number != counts.receives.number);
        unbalanced.map(|((number, channel), counts)| (number, *channel, *counts)).filter(|(_, channel, _)| {
            let (comm, _) = self.match_keys[channel.match_key as usize];
            !self.wildcard_receivers.contains(&(channel.to, comm))
        })
    }

    /// The tag of a match key; `None` for collectives and helpers.
    pub fn tag(&self, match_key: u32) -> Option<u32> {
        u32::try_from(self.match_keys[match_key as usize].1).ok()
    }

    /// Renumbers match keys so that those of one communicator are contiguous: a wildcard then
    /// accepts a range.
    pub fn finish(mut self) -> (Vec<Channel>, Vec<Wildcard>) {
        let mut order: Vec<u32> = (0..self.match_keys.len() as u32).collect();
        order.sort_unstable_by_key(|key| self.match_keys[*key as usize]);
        let mut renumbered = vec![0; order.len()];
        (0..).zip(&order).for_each(|(number, key)| renumbered[*key as usize] = number);
        self.all.iter_mut().for_each(|channel| channel.match_key = renumbered[channel.match_key as usize]);
        let sorted: Vec<(u32, i64)> = order.iter().map(|key| self.match_keys[*key as usize]).collect();
        let first_key = |comm: u32, tag: i64| sorted.partition_point(|key| *key < (comm, tag)) as u32;
        let wildcard = |wildcard_key: &WildcardKey| {
            let (first, end) =
                wildcard_key.tag.map_or((0, i64::MAX), |tag| (i64::from(tag), i64::from(tag) + 1));
            Wildcard {
                from: wildcard_key.from,
                match_keys: first_key(wildcard_key.comm, first)..first_key(wildcard_key.comm, end),
            }
        };
        let wildcards = self.wildcards.iter().map(wildcard).collect();
        (self.all, wildcards)
    }
}

impl ChannelCounts {
    /// Adds the counts of other ranks. Only one rank sends on a channel, and only one receives.
    pub fn merge(&mut self, other: &Self) {
        if other.sends.number > 0 {
            self.sends = other.sends;
        }
        if other.receives.number > 0 {
            self.receives = other.receives;
        }
    }
}

impl Count {
    /// Counts a message of this call.
    #[inline]
    pub fn add(&mut self, site: CallSite) {
        self.number += 1;
        self.last = site;
    }

    /// Uncounts a message that was cancelled.
    pub fn remove_one(&mut self) {
        self.number -= 1;
    }
}
