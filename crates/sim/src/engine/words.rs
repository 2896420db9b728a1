//! The words between the engine and those who drive it.

use panto_schedule::Collective;
use panto_units::Time;

/// Names a message until its receive is complete.
pub type MessageId = u32;

/// Names an operation that somebody may wait for.
pub type RequestId = u32;

/// Names the way from one rank to another.
pub type ChannelId = u32;

/// How a send behaves (P3). The driver resolves what a standard send means on its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Complete at once.
    Buffered,
    /// Complete when the message has arrived.
    NoSpace,
    /// Complete when the receive is complete; the notification is free.
    Synchronous,
    /// Asks the other side's system for a buffer first and is given one; complete when the data has left.
    Handshake,
    /// Asks first, and is answered when the receive is posted; complete when the data has left.
    Rendezvous,
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
    pub carried: u64,
    /// The collective that it belongs to: there may be a network of its own for it.
    pub operation: Option<Collective>,
    /// How the send behaves.
    pub manner: Manner,
    /// Is it carried beside all networks, at once?
    pub aside: bool,
}

/// Which messages a receive or a probe accepts; `None` is a wild card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selector {
    /// The sending rank.
    pub source: Option<u32>,
    /// The tag. The wild card leaves out those from the reserved tag on.
    pub tag: Option<u32>,
}

/// Which messages a receive or a probe accepts, where tags are told by a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Within {
    /// The sending rank; `None` is a wild card.
    pub source: Option<u32>,
    /// The first tag,
    pub first: u32,
    /// and the last.
    pub last: u32,
}

/// How a message that was received came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Journey {
    /// What the sender's clock was when it sent.
    pub sent: Time,
    /// When its bytes were there.
    pub arrived: Time,
}

/// What a send had to wait for, if it waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// The receive, which was posted then.
    Receiver(Time),
    /// The network, since the sender sent.
    Network(Time),
}

/// What an envelope tells the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// Who sent it.
    pub source: u32,
    /// Its tag.
    pub tag: u32,
    /// Its bytes.
    pub bytes: u64,
}

/// What became of a complete request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// When it was complete.
    pub at: Time,
    /// The message.
    pub label: Label,
    /// Did the message come, or ask for a buffer, before its receive was posted?
    pub unexpected: bool,
}

/// What the driver must do with the bytes of a message; the engine knows none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// They belong to this receive.
    Receive(MessageId, RequestId),
    /// They go to the handler of this rank, which runs now.
    Handler(MessageId, u32, Label, Time),
    /// Nobody wants them: the send was cancelled.
    Drop(MessageId),
}

/// Why a rank cannot go on, for the report of a deadlock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stuck {
    /// It is done.
    Done,
    /// It waits for one of these.
    Waits(Vec<Waiting>),
}

/// What somebody waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// A message.
    Message(Selector),
    /// A rank that should receive so many bytes with this tag.
    Receiver(u32, u64, u32),
}

impl Selector {
    /// The same as a range, where wild cards leave out `reserved` and all tags beyond.
    #[inline]
    pub(super) fn within(self, reserved: u32) -> Within {
        let (first, last) = self.tag.map_or((0, reserved.saturating_sub(1)), |tag| (tag, tag));
        Within { source: self.source, first, last }
    }
}

impl Within {
    /// Messages of one sender with one tag.
    #[inline]
    pub fn one(source: u32, tag: u32) -> Self {
        Self { source: Some(source), first: tag, last: tag }
    }

    #[inline]
    pub(super) fn accepts(self, source: u32, tag: u32) -> bool {
        self.source.is_none_or(|wanted| wanted == source) && self.accepts_tag(tag)
    }

    #[inline]
    pub(super) fn accepts_tag(self, tag: u32) -> bool {
        self.first <= tag && tag <= self.last
    }

    /// As it is told to whoever asks: several tags are any.
    pub(super) fn selector(self) -> Selector {
        Selector { source: self.source, tag: (self.first == self.last).then_some(self.first) }
    }
}
