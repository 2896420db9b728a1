//! The engine's records of messages and requests, one cache line each.

use panto_units::Time;

use super::types::{MatchSpec, MessageInfo, SendProtocol};

/// The absence of a message, request or channel.
pub(super) const NONE: u32 = u32::MAX;

/// A time that is not known yet.
pub(super) const UNKNOWN: Time = Time::from_picos(u64::MAX);

/// The progress of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has no room in a finite buffer.
    AwaitingSpace,
    /// The request to send is in the network.
    RequestToSend,
    /// The request to send has arrived, and the receive is not posted yet.
    AwaitingReceive,
    /// The clear to send is in the network.
    ClearToSend,
    /// The data is in the network.
    Data,
    /// The data has arrived.
    Arrived,
}

#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Message {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) tag: u32,
    /// The sender's count of messages, which gives their order.
    pub(super) number: u32,
    pub(super) bytes: u64,
    pub(super) channel: u32,
    /// The next message of the channel.
    pub(super) next: u32,
    /// The sender's request, while it is incomplete.
    pub(super) send: u32,
    /// The receive that matched it.
    pub(super) receive: u32,
    /// When the receiving side first learns of it (with a rendezvous from the request to send);
    /// finally, when its data has arrived.
    pub(super) arrival: Time,
    /// The sender's clock at the send.
    pub(super) sent: Time,
    pub(super) protocol: SendProtocol,
    pub(super) phase: Phase,
    /// The index of its network, or [`super::sending::NO_NETWORK`].
    pub(super) network: u8,
    /// Whether it has arrived, at a rank that matches in the order of arrival.
    pub(super) arrived: bool,
    /// Whether the event queue has an event for its arrival.
    pub(super) arrival_queued: bool,
    /// Whether the send was cancelled.
    pub(super) cancelled: bool,
    /// Whether [`Extras`] has an entry for it.
    pub(super) has_extra: bool,
    /// Whether it takes space in a finite buffer.
    pub(super) holds_space: bool,
}

/// Fields that few messages need.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extra {
    /// Bytes that the network carries, if they differ from those that the receiver gets.
    pub(super) network_bytes: u64,
    /// When a request for a buffer arrived ([`SendProtocol::Handshake`]): then the receiving system
    /// chose where the data goes.
    pub(super) rts_arrival: Time,
}

/// Fields that few messages need, by message id, so that a [`Message`] fits in one cache line.
#[derive(Debug, Default)]
pub(super) struct Extras(Vec<Extra>);

impl Extras {
    const NONE: Extra = Extra { network_bytes: 0, rts_arrival: UNKNOWN };

    pub(super) fn put(&mut self, id: u32, network_bytes: u64) {
        let index = id as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, Self::NONE);
        }
        self.0[index] = Extra { network_bytes, ..Self::NONE };
    }

    pub(super) fn set_rts_arrival(&mut self, id: u32, at: Time) {
        if let Some(extra) = self.0.get_mut(id as usize) {
            extra.rts_arrival = at;
        }
    }

    #[inline]
    pub(super) fn of(&self, id: u32, message: &Message) -> Extra {
        let extra = message.has_extra.then(|| self.0.get(id as usize).copied()).flatten();
        extra.unwrap_or(Extra { network_bytes: message.bytes, ..Self::NONE })
    }
}

impl Message {
    pub(super) fn info(&self) -> MessageInfo {
        MessageInfo { source: self.from, tag: self.tag, bytes: self.bytes }
    }

    /// Returns whether the data went to a system buffer because the receive was posted too late.
    pub(super) fn is_unexpected(&self, posted: Time, rts_arrival: Time) -> bool {
        match self.protocol {
            SendProtocol::Rendezvous => false,
            SendProtocol::Handshake | SendProtocol::BufferedHandshake => rts_arrival < posted,
            SendProtocol::Buffered
            | SendProtocol::LimitedBuffer
            | SendProtocol::NoSpace
            | SendProtocol::Synchronous => self.arrival < posted,
        }
    }

    /// The key of the order of arrival: time, then sender, then the sender's count.
    pub(super) fn arrival_key(&self) -> (Time, u32, u32) {
        (self.arrival, self.from, self.number)
    }
}

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    Send,
    Receive,
    /// A receive made for a message that goes to a handler.
    Handler,
}

#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Request {
    /// The rank that made the request.
    pub(super) rank: u32,
    /// The next posted receive of the channel.
    pub(super) next: u32,
    /// Of a receive, the source that it accepts (`NONE` is a wildcard), after matching the actual
    /// one; of a send, the destination.
    pub(super) source: u32,
    pub(super) first_tag: u32,
    pub(super) last_tag: u32,
    /// The message; of a receive after matching.
    pub(super) message: u32,
    /// The rank's count of receives, which gives the order of posting.
    pub(super) number: u32,
    /// When the send was made or the receive posted; of a complete receive, when its data arrived.
    pub(super) posted: Time,
    pub(super) complete: Time,
    /// The length of the message in bytes.
    pub(super) bytes: u64,
    /// Of a receive after matching: the sender's clock at the send. Of a send: when the receive was
    /// posted, if the send waited for that.
    pub(super) cause: Time,
    pub(super) unexpected: bool,
    pub(super) kind: RequestKind,
    /// Whether it is released on completion, because the driver will not wait for it.
    pub(super) detached: bool,
    /// Whether its rank waits for it together with others ([`super::Engine::wait_all`]).
    pub(super) in_wait_all: bool,
}

// One cache line each: the engine accesses little else.
const _: () = assert!(size_of::<Message>() == 64 && size_of::<Request>() == 64);

impl Request {
    pub(super) fn new(kind: RequestKind, rank: u32, spec: MatchSpec, posted: Time) -> Self {
        Self {
            rank,
            next: NONE,
            source: spec.source.unwrap_or(NONE),
            first_tag: spec.first_tag,
            last_tag: spec.last_tag,
            message: NONE,
            posted,
            number: 0,
            complete: UNKNOWN,
            bytes: 0,
            cause: UNKNOWN,
            unexpected: false,
            kind,
            detached: false,
            in_wait_all: false,
        }
    }

    #[inline]
    pub(super) fn spec(&self) -> MatchSpec {
        let source = (self.source != NONE).then_some(self.source);
        MatchSpec { source, first_tag: self.first_tag, last_tag: self.last_tag }
    }

    /// The message that was received or sent.
    #[inline]
    pub(super) fn info(&self) -> MessageInfo {
        let source = if self.kind == RequestKind::Send { self.rank } else { self.source };
        MessageInfo { source, tag: self.first_tag, bytes: self.bytes }
    }

    /// Binds a receive to the message that matches it.
    #[inline]
    pub(super) fn bind(&mut self, id: u32, message: &Message) {
        self.message = id;
        (self.source, self.first_tag, self.last_tag) = (message.from, message.tag, message.tag);
        (self.bytes, self.cause) = (message.bytes, message.sent);
    }
}
