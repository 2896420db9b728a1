//! Tags of the engine for the communicators and tags of a program that is not known as a whole.
//!
//! A wildcard accepts a range of tags. Where the whole program is known, tags are numbered in the
//! order of communicators. Here each communicator gets a block of numbers, of which the last are
//! those of its collectives, so that a wildcard accepts the others.

use rustc_hash::FxHashMap;

use super::channels::WildcardKey;
use crate::engine::MatchSpec;
use crate::program::ChannelKind;

/// Bits of a number that tell tags of one communicator apart.
const TAG_BITS: u32 = 16;

/// The numbers of a communicator's block that collectives and helpers use, at its end: more than
/// there are kinds of channels.
const RESERVED: u32 = 256;

/// The most distinct tags of one communicator.
pub const MAX_TAGS: u32 = (1 << TAG_BITS) - RESERVED;

/// The numbers of communicators and tags, in the order of their first use.
#[derive(Default)]
pub struct Tags {
    comms: FxHashMap<u32, u32>,
    /// By communicator and tag.
    numbers: FxHashMap<(u32, u32), u32>,
    /// By communicator: its tags in the order of their numbers.
    known: Vec<(u32, Vec<u32>)>,
}

impl Tags {
    /// Returns the first number of a communicator's block; `None` if there are too many.
    fn block(&mut self, comm: u32) -> Option<u32> {
        let next = self.known.len() as u32;
        let block = *self.comms.entry(comm).or_insert(next);
        if block == next {
            self.known.push((comm, Vec::new()));
        }
        (block < 1 << (u32::BITS - TAG_BITS)).then_some(block << TAG_BITS)
    }

    /// Returns the number of a channel's messages; `None` if there are too many.
    pub fn channel(&mut self, comm: u32, tag: Option<u32>, kind: ChannelKind) -> Option<u32> {
        match tag {
            Some(tag) => self.number(comm, tag),
            None => Some(self.block(comm)? + MAX_TAGS + kind_number(kind)),
        }
    }

    fn number(&mut self, comm: u32, tag: u32) -> Option<u32> {
        if let Some(number) = self.numbers.get(&(comm, tag)) {
            return Some(*number);
        }
        let block = self.block(comm)?;
        let known = &mut self.known[(block >> TAG_BITS) as usize].1;
        let number = block + known.len() as u32;
        if known.len() as u32 == MAX_TAGS {
            return None;
        }
        known.push(tag);
        self.numbers.insert((comm, tag), number);
        Some(number)
    }

    /// Returns what a wildcard accepts; `None` if there are too many communicators or tags.
    pub fn wildcard(&mut self, key: WildcardKey) -> Option<MatchSpec> {
        let (first_tag, last_tag) = if let Some(tag) = key.tag {
            let number = self.number(key.comm, tag)?;
            (number, number)
        } else {
            let block = self.block(key.comm)?;
            (block, block + MAX_TAGS - 1)
        };
        Some(MatchSpec { source: key.from, first_tag, last_tag })
    }

    /// Returns the communicator and the tag of a number that [`Tags::channel`] returned for a
    /// point-to-point message.
    pub fn get(&self, number: u32) -> Option<(u32, u32)> {
        let (comm, tags) = self.known.get((number >> TAG_BITS) as usize)?;
        let tag = tags.get((number & ((1 << TAG_BITS) - 1)) as usize)?;
        Some((*comm, *tag))
    }
}

/// Returns a number below [`RESERVED`] for the kind of a channel without tag. One-sided
/// communication has point-to-point channels without tag.
fn kind_number(kind: ChannelKind) -> u32 {
    match kind {
        ChannelKind::PointToPoint => 0,
        ChannelKind::Helper => 1,
        ChannelKind::Collective(collective) => 2 + collective as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_accept_the_tags_of_their_communicator_alone() {
        let mut tags = Tags::default();
        let wanted = tags.wildcard(WildcardKey { from: None, comm: 7, tag: None }).unwrap();
        let own = tags.channel(7, Some(1 << 30), ChannelKind::PointToPoint).unwrap();
        let others = tags.channel(8, Some(1 << 30), ChannelKind::PointToPoint).unwrap();
        let helper = tags.channel(7, None, ChannelKind::Helper).unwrap();
        let accepts = |tag: u32| wanted.first_tag <= tag && tag <= wanted.last_tag;
        assert_eq!([own, others, helper].map(accepts), [true, false, false]);
        assert_eq!(tags.get(own), Some((7, 1 << 30)));
        assert_eq!(tags.get(others), Some((8, 1 << 30)));
    }

    #[test]
    fn there_is_a_limit_of_tags() {
        let mut tags = Tags::default();
        let mut numbers = (0..=MAX_TAGS).map(|tag| tags.channel(0, Some(tag), ChannelKind::PointToPoint));
        assert!(numbers.by_ref().take(MAX_TAGS as usize).all(|number| number.is_some()));
        assert_eq!(numbers.next(), Some(None));
    }
}
