//! Messages and requests, as the engine keeps them.

use panto_units::Time;

use super::words::{Label, Manner, Within};

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
#[repr(align(64))]
pub(super) struct Message {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) tag: u32,
    /// The sender's count of messages: what was sent later matches later.
    pub(super) number: u32,
    pub(super) bytes: u64,
    pub(super) channel: u32,
    /// The next in the channel.
    pub(super) next: u32,
    /// The sender's request, if it is not complete.
    pub(super) send: u32,
    /// The receive that it was matched with.
    pub(super) receive: u32,
    /// When the receiver's side can know of it; in the end, when its bytes are there.
    pub(super) came: Time,
    /// The sender's clock when it sent.
    pub(super) sent: Time,
    pub(super) manner: Manner,
    pub(super) phase: Phase,
    pub(super) wire: u8,
    /// Has it arrived, where messages are taken in the order of their arrival?
    pub(super) arrived: bool,
    /// Is there an event for its arrival?
    pub(super) expected: bool,
    /// Was the send cancelled?
    pub(super) cancelled: bool,
    /// Is there something rare about it, in [`Odds`]?
    pub(super) is_odd: bool,
}

/// What is rare about a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Odd {
    /// Bytes that the network carries, if they are not those that the receiver gets.
    pub(super) carried: u64,
    /// When the receiver's system chose where the bytes go, if that was before they came.
    pub(super) asked: Time,
}

/// What is rare about messages, by their numbers: no message needs a second line of the cache because of a few.
#[derive(Debug, Default)]
pub(super) struct Odds(Vec<Odd>);

impl Odds {
    const NONE: Odd = Odd { carried: 0, asked: UNKNOWN };

    pub(super) fn put(&mut self, id: u32, carried: u64) {
        let place = id as usize;
        if self.0.len() <= place {
            self.0.resize(place + 1, Self::NONE);
        }
        self.0[place] = Odd { carried, ..Self::NONE };
    }

    pub(super) fn asked(&mut self, id: u32, at: Time) {
        if let Some(odd) = self.0.get_mut(id as usize) {
            odd.asked = at;
        }
    }

    #[inline]
    pub(super) fn of(&self, id: u32, message: &Message) -> Odd {
        let odd = message.is_odd.then(|| self.0.get(id as usize).copied()).flatten();
        odd.unwrap_or(Odd { carried: message.bytes, ..Self::NONE })
    }
}

impl Message {
    pub(super) fn label(&self) -> Label {
        Label { source: self.from, tag: self.tag, bytes: self.bytes }
    }

    /// Did the bytes go to a buffer of the system, because the receive was posted too late?
    pub(super) fn is_unexpected(&self, posted: Time, asked: Time) -> bool {
        match self.manner {
            Manner::Rendezvous => false,
            Manner::Handshake => asked < posted,
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
#[repr(align(64))]
pub(super) struct Request {
    pub(super) rank: u32,
    /// The next receive of the same channel.
    pub(super) next: u32,
    /// What a receive accepts, and from its match on what it got; of a send, to whom. `NONE` is a wild card.
    pub(super) source: u32,
    pub(super) first_tag: u32,
    pub(super) last_tag: u32,
    /// The message: of a send from the start, of a receive from its match on.
    pub(super) message: u32,
    /// As which of its rank's a receive was posted.
    pub(super) number: u32,
    /// When a receive was posted; of one that is complete, when the bytes were there. When a send was made.
    pub(super) posted: Time,
    pub(super) complete: Time,
    /// How many came, or were sent.
    pub(super) bytes: u64,
    /// Of a receive, from its match on: the sender's clock when it sent. Of a send: when the receive was posted, if that was what
    /// it had to wait for.
    pub(super) cause: Time,
    pub(super) unexpected: bool,
    pub(super) kind: Kind,
    /// Nobody will ask for it any more.
    pub(super) abandoned: bool,
    /// Its rank waits for it, among others.
    pub(super) gathered: bool,
}

// One line of the cache each: the engine touches little else.
const _: () = assert!(size_of::<Message>() == 64 && size_of::<Request>() == 64);

impl Request {
    pub(super) fn new(kind: Kind, rank: u32, within: Within, posted: Time) -> Self {
        Self {
            rank,
            next: NONE,
            source: within.source.unwrap_or(NONE),
            first_tag: within.first,
            last_tag: within.last,
            message: NONE,
            posted,
            number: 0,
            complete: UNKNOWN,
            bytes: 0,
            cause: UNKNOWN,
            unexpected: false,
            kind,
            abandoned: false,
            gathered: false,
        }
    }

    #[inline]
    pub(super) fn within(&self) -> Within {
        let source = (self.source != NONE).then_some(self.source);
        Within { source, first: self.first_tag, last: self.last_tag }
    }

    /// What came, or was sent.
    #[inline]
    pub(super) fn label(&self) -> Label {
        let source = if self.kind == Kind::Send { self.rank } else { self.source };
        Label { source, tag: self.first_tag, bytes: self.bytes }
    }

    /// It has met this message.
    #[inline]
    pub(super) fn meet(&mut self, id: u32, message: &Message) {
        self.message = id;
        (self.source, self.first_tag, self.last_tag) = (message.from, message.tag, message.tag);
        (self.bytes, self.cause) = (message.bytes, message.sent);
    }
}
