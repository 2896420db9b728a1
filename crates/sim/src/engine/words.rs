//! The words between the engine and those who drive it.

use panto_schedule::Collective;
use panto_units::Time;

/// Names a message until its receive is complete.
pub type MessageId = u32;

/// Names an operation that somebody may wait for.
pub type RequestId = u32;

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
    /// Does it accept a message, where wild cards leave out `reserved` and all tags beyond?
    #[inline]
    pub fn accepts(self, source: u32, tag: u32, reserved: u32) -> bool {
        self.source.is_none_or(|wanted| wanted == source) && self.accepts_tag(tag, reserved)
    }

    #[inline]
    pub(super) fn accepts_tag(self, tag: u32, reserved: u32) -> bool {
        self.tag.map_or(tag < reserved, |wanted| wanted == tag)
    }
}
