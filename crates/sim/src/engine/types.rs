//! The types that the engine and its drivers exchange.

use super::buffers::SpaceWait;
use panto_schedule::Collective;
use panto_units::Time;

/// Identifies a message until its receive is complete.
pub type MessageId = u32;

/// Identifies a send or receive that can be waited for.
pub type RequestId = u32;

/// Identifies the channel from one rank to another.
pub type ChannelId = u32;

/// When a send completes (P3). The driver decides what a standard send means on its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendProtocol {
    /// Complete at once.
    Buffered,
    /// Complete when the message has room in a finite buffer ([`SendBuffer`]).
    ///
    /// [`SendBuffer`]: panto_machine::SendBuffer
    LimitedBuffer,
    /// Complete when the message has arrived.
    NoSpace,
    /// Complete when the message has arrived and its receive is posted; the notification takes no
    /// time.
    Synchronous,
    /// Sends a request to send, which the receiving system always grants with a buffer; complete
    /// when the data has left.
    Handshake,
    /// Complete at once, while the sending system carries out a [`SendProtocol::Handshake`] from a
    /// buffer.
    BufferedHandshake,
    /// Sends a request to send, which is cleared when the receive is posted; complete when the data
    /// has left.
    Rendezvous,
}

impl SendProtocol {
    /// Returns whether the send is complete at once.
    #[inline]
    pub fn is_buffered(self) -> bool {
        matches!(self, Self::Buffered | Self::BufferedHandshake)
    }

    /// Returns whether the receiving system grants a buffer before the data is sent.
    #[inline]
    pub fn is_handshake(self) -> bool {
        matches!(self, Self::Handshake | Self::BufferedHandshake)
    }
}

/// A message that a rank sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    /// The receiving rank.
    pub to: u32,
    /// The tag.
    pub tag: u32,
    /// Bytes that the receiver gets.
    pub bytes: u64,
    /// Bytes that the network carries.
    pub network_bytes: u64,
    /// The collective that the message belongs to, which may have a network of its own.
    pub collective: Option<Collective>,
    /// When the send completes.
    pub protocol: SendProtocol,
    /// Whether the message bypasses all networks and arrives at once.
    pub bypass: bool,
}

/// Which messages a receive or a probe accepts, in MPI's terms; `None` is a wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selector {
    /// The sending rank.
    pub source: Option<u32>,
    /// The tag. A wildcard excludes the reserved tag and all above it.
    pub tag: Option<u32>,
}

/// Which messages a receive or a probe accepts, with a range of tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchSpec {
    /// The sending rank; `None` is a wildcard.
    pub source: Option<u32>,
    /// The first tag of the range.
    pub first_tag: u32,
    /// The last tag of the range, inclusive.
    pub last_tag: u32,
}

/// The times of a message that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageTimes {
    /// The sender's clock at the send.
    pub sent: Time,
    /// The arrival of the last byte.
    pub arrived: Time,
}

/// What a send waited for, if it waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendWait {
    /// The receive, posted at this time.
    Receiver(Time),
    /// The network, since the send at this time.
    Network(Time),
}

/// What a receiver learns of a message, as from `MPI_Status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageInfo {
    /// The sending rank.
    pub source: u32,
    /// The tag.
    pub tag: u32,
    /// The length in bytes.
    pub bytes: u64,
}

/// The result of a complete request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The time of completion.
    pub at: Time,
    /// The message.
    pub message: MessageInfo,
    /// Whether the message, or its request for a buffer, arrived before its receive was posted.
    pub unexpected: bool,
}

/// What the driver must do with the bytes of a message, which the engine does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Copy them to the buffer of this receive.
    Receive(MessageId, RequestId),
    /// Pass them to the handler of this rank, which runs at this time.
    Handler(MessageId, u32, MessageInfo, Time),
    /// Discard them: the send was cancelled.
    Drop(MessageId),
}

/// What a blocked rank waits for, for the report of a deadlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockedOn {
    /// A message.
    Message(Selector),
    /// A matching receive.
    Receiver {
        /// The rank that should receive.
        rank: u32,
        /// The length of the message in bytes.
        bytes: u64,
        /// The tag of the message.
        tag: u32,
    },
    /// Space in the buffers of a receiver.
    Space {
        /// The rank that should receive earlier messages.
        rank: u32,
        /// The length of the message and the space.
        wait: SpaceWait,
    },
}

impl Selector {
    /// Returns the selector as a range of tags, where a wildcard excludes `reserved` and above.
    #[inline]
    pub(super) fn spec(self, reserved: u32) -> MatchSpec {
        let (first_tag, last_tag) = self.tag.map_or((0, reserved.saturating_sub(1)), |tag| (tag, tag));
        MatchSpec { source: self.source, first_tag, last_tag }
    }
}

impl MatchSpec {
    /// Messages of one sender with one tag.
    #[inline]
    pub fn exact(source: u32, tag: u32) -> Self {
        Self { source: Some(source), first_tag: tag, last_tag: tag }
    }

    #[inline]
    pub(super) fn accepts(self, source: u32, tag: u32) -> bool {
        self.source.is_none_or(|wanted| wanted == source) && self.accepts_tag(tag)
    }

    #[inline]
    pub(super) fn accepts_tag(self, tag: u32) -> bool {
        self.first_tag <= tag && tag <= self.last_tag
    }

    /// Returns the selector for reports; a range of several tags becomes a wildcard.
    pub(super) fn selector(self) -> Selector {
        Selector { source: self.source, tag: (self.first_tag == self.last_tag).then_some(self.first_tag) }
    }
}
