//! Messages and requests, as the engine keeps them.

use panto_units::Time;

use super::words::{Label, Manner, Selector};

/// No message, no request, no channel.
pub(super) const NONE: u32 = u32::MAX;

/// A moment that is not known yet.
pub(super) const UNKNOWN: Time = Time::from_picos(u64::MAX);

/// How far a message is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The sender asks.
    Request,
    /// The receiver has not answered yet.
    Asked,
    /// The receiver answers.
    Grant,
    /// The bytes are on their way,
    Data,
    /// or there.
    Arrived,
}

#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) tag: u32,
    /// The sender's count of messages: what was sent later matches later.
    pub(super) number: u32,
    pub(super) bytes: u64,
    pub(super) carried: u64,
    pub(super) channel: u32,
    /// The next in the channel.
    pub(super) next: u32,
    /// The sender's request, if it is not complete.
    pub(super) send: u32,
    /// The receive that it was matched with.
    pub(super) receive: u32,
    /// When the receiver's side can know of it; in the end, when its bytes are there.
    pub(super) came: Time,
    /// When the receiver's system chose where the bytes go, if that was before they came.
    pub(super) asked: Time,
    pub(super) manner: Manner,
    pub(super) phase: Phase,
    pub(super) wire: u8,
    /// Has it arrived, where messages are taken in the order of their arrival?
    pub(super) arrived: bool,
    /// Is there an event for its arrival?
    pub(super) expected: bool,
    /// Was the send cancelled?
    pub(super) cancelled: bool,
}

impl Message {
    pub(super) fn label(&self) -> Label {
        Label { source: self.from, tag: self.tag, bytes: self.bytes }
    }

    /// Did the bytes go to a buffer of the system, because the receive was posted too late?
    pub(super) fn is_unexpected(&self, posted: Time) -> bool {
        match self.manner {
            Manner::Rendezvous => false,
            Manner::Handshake => self.asked < posted,
            Manner::Buffered | Manner::NoSpace | Manner::Synchronous => self.came < posted,
        }
    }

    /// The place in the order of arrivals.
    pub(super) fn order(&self) -> (Time, u32, u32) {
        (self.came, self.from, self.number)
    }
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Send,
    Receive,
    /// A receive that a handler makes for its message.
    Handler,
}

#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) rank: u32,
    /// The next receive of the same channel.
    pub(super) next: u32,
    /// What a receive accepts; of a send, to whom. `NONE` is a wild card.
    pub(super) source: u32,
    pub(super) tag: u32,
    /// The message: of a send from the start, of a receive from its match on.
    pub(super) message: u32,
    /// When a receive was posted,
    pub(super) posted: Time,
    /// and as which of its rank's.
    pub(super) number: u32,
    pub(super) complete: Time,
    /// What came, or was sent.
    pub(super) label: Label,
    pub(super) unexpected: bool,
    pub(super) kind: Kind,
    /// Nobody will ask for it any more.
    pub(super) abandoned: bool,
}

// About one line of the cache each, also in a slab: the engine touches little else.
const _: () = assert!(size_of::<Option<Message>>() <= 72 && size_of::<Option<Request>>() <= 64);

impl Request {
    pub(super) fn new(kind: Kind, rank: u32, selector: Selector, posted: Time) -> Self {
        Self {
            rank,
            next: NONE,
            source: selector.source.unwrap_or(NONE),
            tag: selector.tag.unwrap_or(NONE),
            message: NONE,
            posted,
            number: 0,
            complete: UNKNOWN,
            label: Label { source: 0, tag: 0, bytes: 0 },
            unexpected: false,
            kind,
            abandoned: false,
        }
    }

    #[inline]
    pub(super) fn selector(&self) -> Selector {
        let known = |number: u32| (number != NONE).then_some(number);
        Selector { source: known(self.source), tag: known(self.tag) }
    }
}
