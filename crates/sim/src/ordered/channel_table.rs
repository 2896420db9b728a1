//! The program's channels in the terms of the engine.

use panto_schedule::Collective;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::{ChannelId, Engine, MatchSpec, MessageInfo};
use crate::program::{Channel, ChannelKind, Program, Wildcard};
use panto_memory::HugeVec;
use panto_memory::prefetch;

/// A channel of the program in the terms of the engine.
#[derive(Debug, Clone, Copy)]
pub(super) struct EngineChannel {
    /// The engine's channel between the two ranks.
    pub(super) id: ChannelId,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) tag: u32,
    pub(super) kind: ChannelKind,
}

impl EngineChannel {
    /// The messages of the channel.
    #[inline]
    pub(super) fn spec(self) -> MatchSpec {
        MatchSpec::exact(self.from, self.tag)
    }

    #[inline]
    pub(super) fn bypasses_network(self) -> bool {
        self.kind == ChannelKind::Helper
    }

    #[inline]
    pub(super) fn collective(self) -> Option<Collective> {
        self.kind.operation()
    }
}

/// All channels of a program.
///
/// The engine tells channels between two ranks apart by tag. A tag stands for a pair of match key
/// and channel kind, and tags are numbered in the order of these pairs: so the channels of a range
/// of match keys have a range of tags, which is what a receive with wildcards accepts.
pub(super) struct ChannelTable {
    all: HugeVec<EngineChannel>,
    wildcards: Vec<MatchSpec>,
    /// Channels by sender, receiver and tag; empty unless the program has wildcards.
    find: FxHashMap<(u32, u32, u32), u32>,
}

impl ChannelTable {
    pub(super) fn new(program: &Program, engine: &mut Engine) -> Self {
        let mut tags: Vec<(u32, u8)> = program
            .channels
            .iter()
            .map(|channel| (channel.match_key, number(channel.kind)))
            .collect::<FxHashSet<_>>()
            .into_iter()
            .collect();
        tags.sort_unstable();
        let by_tag: FxHashMap<(u32, u8), u32> = tags.iter().copied().zip(0..).collect();
        let mut channel = |channel: &Channel| EngineChannel {
            id: engine.channel(channel.from, channel.to),
            from: channel.from,
            to: channel.to,
            tag: by_tag[&(channel.match_key, number(channel.kind))],
            kind: channel.kind,
        };
        let all = HugeVec::collect(program.channels.iter().map(&mut channel));
        let wildcards = program.wildcards.iter().map(|wildcard| spec(wildcard, &tags)).collect();
        let known = if program.has_wildcards() { &*all } else { &[] };
        let key = |channel: &EngineChannel| (channel.from, channel.to, channel.tag);
        let find = known.iter().zip(0..).map(|(channel, id)| (key(channel), id)).collect();
        Self { all, wildcards, find }
    }

    /// A table without channels, to which they are added as they are used.
    pub(super) fn empty() -> Self {
        Self { all: HugeVec::new(), wildcards: Vec::new(), find: FxHashMap::default() }
    }

    /// Adds a channel whose tag the caller has chosen.
    pub(super) fn add(&mut self, channel: Channel, tag: u32, engine: &mut Engine) {
        let Channel { from, to, kind, .. } = channel;
        self.find.insert((from, to, tag), self.all.len() as u32);
        self.all.push(EngineChannel { id: engine.channel(from, to), from, to, tag, kind });
    }

    /// Adds a wildcard.
    pub(super) fn add_wildcard(&mut self, spec: MatchSpec) {
        self.wildcards.push(spec);
    }

    #[inline]
    pub(super) fn get(&self, channel: u32) -> EngineChannel {
        self.all[channel as usize]
    }

    /// Prefetches a channel.
    #[inline]
    pub(super) fn prefetch(&self, channel: u32) {
        prefetch(self.all.get(channel as usize));
    }

    /// The messages that a wildcard accepts.
    pub(super) fn wildcard(&self, wildcard: u32) -> MatchSpec {
        self.wildcards[wildcard as usize]
    }

    /// The channel of a message that a wildcard received; `None` if the program does not have it.
    pub(super) fn find(&self, to: u32, message: MessageInfo) -> Option<u32> {
        self.find.get(&(message.source, to, message.tag)).copied()
    }
}

/// Returns the tags of a wildcard's match keys. If no channel has such a key, the range is empty.
fn spec(wildcard: &Wildcard, tags: &[(u32, u8)]) -> MatchSpec {
    let before = |key: u32| tags.partition_point(|(other, _)| *other < key) as u32;
    let (first_tag, end) = (before(wildcard.match_keys.start), before(wildcard.match_keys.end));
    match end.checked_sub(1) {
        Some(last_tag) if first_tag <= last_tag => MatchSpec { source: wildcard.from, first_tag, last_tag },
        _ => MatchSpec { source: wildcard.from, first_tag: 1, last_tag: 0 },
    }
}

/// Returns a number for each channel kind.
#[inline]
pub(super) fn number(kind: ChannelKind) -> u8 {
    match kind {
        ChannelKind::PointToPoint => 0,
        ChannelKind::Helper => 1,
        ChannelKind::Collective(collective) => 2 + collective as u8,
    }
}
