//! Tags, selectors and envelopes of messages.

use std::fmt;

pub use panto_calls::SendMode;

/// The type of a message (C15), by which receives select.
pub type Tag = u32;

/// The largest tag that every MPI must support (`MPI_TAG_UB` is at least 32767).
pub const MAX_TAG: Tag = 32_767;

/// The tag of all messages of blocking collectives. One suffices: messages between two ranks stay
/// in order, and all ranks run the same collectives in the same order. Only a [`Selector`] that
/// names it accepts it.
pub const COLLECTIVE_TAG: Tag = MAX_TAG;

/// The first of the tags that are reserved for collectives. Each non-blocking collective in flight
/// has one of them, by its [`CollectiveTag`](crate::CollectiveTag).
pub const FIRST_COLLECTIVE_TAG: Tag = COLLECTIVE_TAG - 15;

/// The messages that a receive or a probe accepts; `None` is a wildcard.
///
/// The wildcard for tags excludes those from [`FIRST_COLLECTIVE_TAG`] on: as in MPI, a receive
/// never matches a collective's messages by accident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Selector {
    /// The sending rank.
    pub source: Option<usize>,
    /// The tag.
    pub tag: Option<Tag>,
}

impl Selector {
    /// Selects this source and tag.
    pub fn new(source: usize, tag: Tag) -> Self {
        Self { source: Some(source), tag: Some(tag) }
    }

    /// Selects this tag from any source: the only selection that CoMet's message layer had.
    pub fn tag(tag: Tag) -> Self {
        Self { source: None, tag: Some(tag) }
    }

    /// Selects any tag from this source.
    pub fn source(source: usize) -> Self {
        Self { source: Some(source), tag: None }
    }

    /// Selects any source and tag.
    pub fn any() -> Self {
        Self::default()
    }

    /// Whether a message with this envelope matches.
    #[inline]
    pub fn accepts(self, message: Status) -> bool {
        self.source.is_none_or(|source| source == message.source)
            && self.tag.map_or(message.tag < FIRST_COLLECTIVE_TAG, |tag| tag == message.tag)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Some(rank) => write!(f, "a message from rank {rank}")?,
            None => f.write_str("a message from any rank")?,
        }
        match self.tag {
            Some(tag) => write!(f, " with tag {tag}"),
            None => f.write_str(" with any tag"),
        }
    }
}

/// The envelope of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The sending rank.
    pub source: usize,
    /// The tag.
    pub tag: Tag,
    /// The length in bytes.
    pub len: usize,
}
