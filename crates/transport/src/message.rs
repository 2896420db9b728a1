//! The words of message passing: tags, modes, what a receive wants and what it got.

use std::fmt;

/// The type of a message (C15). Receives match by it.
pub type Tag = u32;

/// The largest tag that every MPI must support.
pub const MAX_TAG: Tag = 32_767;

/// The tag of all messages of blocking collectives. Messages between two ranks stay in order, and all ranks run
/// the same collectives in the same order, so one tag is enough. Only a [`Want`] that names it accepts it.
pub const COLLECTIVE_TAG: Tag = MAX_TAG;

/// From this tag on all belong to collectives: those that run beside other work have one each, by their
/// [`Lane`](crate::Lane).
pub const FIRST_COLLECTIVE_TAG: Tag = COLLECTIVE_TAG - 15;

/// How a send behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As the transport likes best; see [`StandardSend`](crate::StandardSend).
    Standard,
    /// Completes at once: the message is copied.
    Buffered,
    /// Completes when the matching receive has taken the message.
    Synchronous,
    /// Promises that the receive is posted already.
    Ready,
}

impl Mode {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Standard, Self::Buffered, Self::Synchronous, Self::Ready];
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Standard => "standard",
            Self::Buffered => "buffered",
            Self::Synchronous => "synchronous",
            Self::Ready => "ready",
        })
    }
}

/// Which messages a receive or a probe accepts; `None` is a wild card.
///
/// The wild card for tags leaves out those from [`FIRST_COLLECTIVE_TAG`] on: as in MPI, no receive takes a collective's
/// messages by accident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Want {
    /// The sender.
    pub source: Option<usize>,
    /// The tag.
    pub tag: Option<Tag>,
}

impl Want {
    /// Exactly this sender and tag.
    pub fn new(source: usize, tag: Tag) -> Self {
        Self { source: Some(source), tag: Some(tag) }
    }

    /// This tag from anybody: the only selection that CoMet's message layer had.
    pub fn tag(tag: Tag) -> Self {
        Self { source: None, tag: Some(tag) }
    }

    /// Anything from this sender.
    pub fn from(source: usize) -> Self {
        Self { source: Some(source), tag: None }
    }

    /// Anything at all.
    pub fn any() -> Self {
        Self::default()
    }

    /// Does a message with this envelope match?
    #[inline]
    pub fn accepts(self, message: Status) -> bool {
        self.source.is_none_or(|source| source == message.source)
            && self.tag.map_or(message.tag < FIRST_COLLECTIVE_TAG, |tag| tag == message.tag)
    }
}

impl fmt::Display for Want {
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

/// The envelope of a message that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// Who sent it.
    pub source: usize,
    /// Its tag.
    pub tag: Tag,
    /// Its bytes.
    pub len: usize,
}
