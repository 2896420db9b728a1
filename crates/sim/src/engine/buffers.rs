//! Finite buffers: messages that wait for space before they travel.
//!
//! The space is divided into *pools*, each of which one rank takes from: what a receiver reserves
//! for one sender ([`BufferSide::Receiver`]), or what a sender has for all its messages
//! ([`BufferSide::Sender`]). Since only one rank takes, in program order, space that is free now is
//! still free when that rank's clock is later: a message with room goes at once, whatever others do
//! meanwhile. A message without room is *held*, and what happens to it is decided in the order of
//! time, by events at which space is returned:
//!
//! - At a receiver, the k-th held message travels when enough has been returned, first in, first
//!   out. The space of a message is returned when it has been received, and the sender knows that
//!   when an empty message of the receiver would have arrived.
//! - At a sender, a held message travels when it is sent in any case. If space has been returned by
//!   then it is copied and the send is complete; otherwise the send completes when the message has
//!   arrived, which is also when space is returned.
//!
//! Cost: O(log n) for each message that takes space, and one event for each return.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use panto_machine::{BufferSide, SendBuffer};
use panto_units::Time;
use rustc_hash::FxHashMap;

use super::event_queue::Event;
use super::message::{NONE, Phase, RequestKind, UNKNOWN};
use super::sending::NO_NETWORK;
use super::{Engine, RequestId, SendProtocol};

/// The pools of a machine.
#[derive(Debug)]
pub(super) struct Buffers {
    limit: Option<SendBuffer>,
    /// The pool of a sending and a receiving rank; with buffers of the sender, of it alone.
    find: FxHashMap<(u32, u32), u32>,
    pools: Vec<Pool>,
}

/// Space that one rank takes from.
#[derive(Debug)]
struct Pool {
    key: (u32, u32),
    /// Free units.
    free: u64,
    /// Messages without room, in the order of sending.
    held: VecDeque<Held>,
    /// Units that are returned at a time, the earliest first, with the time of posting of the
    /// receive that they waited for, or [`UNKNOWN`].
    returns: BinaryHeap<Reverse<(Time, u64, Time)>>,
}

/// A message without room.
#[derive(Debug, Clone, Copy)]
struct Held {
    message: u32,
    units: u64,
    /// When it enters the network if it has room.
    start: Time,
    /// The sender's clock.
    sent: Time,
}

impl Pool {
    /// Frees what has been returned by `now`. Returns the posting time that belongs to the last.
    fn collect(&mut self, now: Time) -> Time {
        let mut cause = UNKNOWN;
        while let Some(&Reverse((at, units, posted))) = self.returns.peek()
            && at <= now
        {
            self.returns.pop();
            self.free += units;
            cause = posted;
        }
        cause
    }
}

impl Buffers {
    pub(super) fn new(limit: Option<SendBuffer>) -> Self {
        Self { limit, find: FxHashMap::default(), pools: Vec::new() }
    }

    /// The pool that a message takes from, and how much. `None` if it takes nothing: buffers are
    /// unlimited, or it could not fit into all of the space, or it waits for its receive anyway, or
    /// it stays on its rank.
    fn demand(&mut self, from: u32, to: u32, bytes: u64, protocol: SendProtocol) -> Option<(u32, u64)> {
        let limit = self.limit?;
        let key = match limit.side {
            BufferSide::Receiver if from == to => return None,
            BufferSide::Receiver => (from, to),
            BufferSide::Sender if protocol != SendProtocol::LimitedBuffer => return None,
            BufferSide::Sender => (from, NONE),
        };
        let units = limit.units_of(bytes)?;
        let pools = &mut self.pools;
        let pool = *self.find.entry(key).or_insert_with(|| {
            pools.push(Pool { key, free: limit.units(), held: VecDeque::new(), returns: BinaryHeap::new() });
            pools.len() as u32 - 1
        });
        Some((pool, units))
    }

    fn is_at(&self, side: BufferSide) -> bool {
        self.limit.is_some_and(|limit| limit.side == side)
    }
}

/// What a send waits for whose message has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceWait {
    /// The length of the message in bytes.
    pub bytes: u64,
    /// The space of the receiver for this sender in bytes.
    pub space: u64,
}

impl Engine {
    /// Starts the data of a message at `start`, or holds it until it has room.
    pub(super) fn start_data(&mut self, id: u32, start: Time) {
        let message = &self.messages[id];
        let (from, to, bytes, protocol) = (message.from, message.to, message.bytes, message.protocol);
        let sent = message.sent;
        let demand =
            if message.network == NO_NETWORK { None } else { self.buffers.demand(from, to, bytes, protocol) };
        let Some((number, units)) = demand else {
            if protocol == SendProtocol::LimitedBuffer {
                self.without_space(id, sent);
            }
            return self.start_phase(id, start);
        };
        let pool = &mut self.buffers.pools[number as usize];
        if pool.held.is_empty() && pool.free >= units {
            pool.free -= units;
            return self.take_space(id, sent, start);
        }
        pool.held.push_back(Held { message: id, units, start, sent });
        let key = pool.key;
        self.messages[id].phase = Phase::AwaitingSpace;
        if self.buffers.is_at(BufferSide::Sender) {
            self.events.push(sent.max(self.now), Event::Buffer(number), key.0, key.1);
        }
    }

    /// A message that no buffer can hold: its send waits for its arrival if the buffers are the
    /// sender's, and for nothing if they are the receiver's.
    fn without_space(&mut self, id: u32, at: Time) {
        if self.buffers.is_at(BufferSide::Sender) {
            self.messages[id].protocol = SendProtocol::NoSpace;
        } else {
            self.complete_send_of(id, at);
        }
    }

    /// Starts a message that has got its space at `at`.
    fn take_space(&mut self, id: u32, at: Time, start: Time) {
        let message = &mut self.messages[id];
        (message.phase, message.holds_space) = (Phase::Data, true);
        if message.protocol == SendProtocol::LimitedBuffer {
            self.complete_send_of(id, at);
        }
        self.start_phase(id, start.max(at));
    }

    fn complete_send_of(&mut self, id: u32, at: Time) {
        let send = std::mem::replace(&mut self.messages[id].send, NONE);
        self.complete(send, at);
    }

    /// Processes the returns to a pool by now, and the messages that it holds.
    pub(super) fn serve_pool(&mut self, number: u32) {
        let now = self.now;
        let cause = self.buffers.pools[number as usize].collect(now);
        let at_sender = self.buffers.is_at(BufferSide::Sender);
        while let Some(&held) = self.buffers.pools[number as usize].held.front() {
            let Held { message, units, start, sent } = held;
            let pool = &mut self.buffers.pools[number as usize];
            let has_room = pool.free >= units;
            let must_wait = if at_sender { sent > now } else { !has_room };
            if must_wait {
                break;
            }
            pool.held.pop_front();
            if has_room {
                pool.free -= units;
                let at = if at_sender { sent } else { sent.max(now) };
                let send = self.messages[message].send;
                if at > sent && send != NONE && cause != UNKNOWN {
                    self.requests[send].cause = cause;
                }
                self.take_space(message, at, start);
            } else {
                let message_of = &mut self.messages[message];
                (message_of.phase, message_of.protocol) = (Phase::Data, SendProtocol::NoSpace);
                self.start_phase(message, start);
            }
        }
    }

    /// Returns the space of a message that was received at `at`, by a receive posted at `posted`.
    pub(super) fn return_received(&mut self, id: u32, at: Time, posted: Time) {
        let message = &self.messages[id];
        if !message.holds_space || !self.buffers.is_at(BufferSide::Receiver) {
            return;
        }
        let network = self.networks.get(message.network);
        let back = network.transit(network.transfer(message.to, message.from, 0)).arrives;
        let cause = if posted == at { posted } else { UNKNOWN };
        self.return_space(id, at.saturating_add(back), cause);
    }

    /// Returns the space of a message that has arrived, to its sender.
    pub(super) fn return_arrived(&mut self, id: u32, at: Time) {
        if self.messages[id].holds_space && self.buffers.is_at(BufferSide::Sender) {
            self.return_space(id, at, UNKNOWN);
        }
    }

    /// Returns the space of a message whose send was cancelled.
    pub(super) fn return_cancelled(&mut self, id: u32) {
        if !self.messages[id].holds_space {
            return;
        }
        let arrival = self.messages[id].arrival;
        let at = if arrival == UNKNOWN { self.now } else { arrival.max(self.now) };
        self.return_space(id, at, UNKNOWN);
    }

    fn return_space(&mut self, id: u32, at: Time, cause: Time) {
        let message = &mut self.messages[id];
        message.holds_space = false;
        let (from, to, bytes) = (message.from, message.to, message.bytes);
        let demand = self.buffers.demand(from, to, bytes, SendProtocol::LimitedBuffer);
        let Some((number, units)) = demand else { return };
        let pool = &mut self.buffers.pools[number as usize];
        pool.returns.push(Reverse((at, units, cause)));
        self.events.push(at.max(self.now), Event::Buffer(number), pool.key.0, pool.key.1);
    }

    /// Forgets a held message whose send is cancelled. Others may have room then.
    pub(super) fn forget_held(&mut self, id: u32) {
        let message = &mut self.messages[id];
        if message.phase != Phase::AwaitingSpace {
            return;
        }
        message.phase = Phase::Arrived;
        let (from, to, bytes, protocol) = (message.from, message.to, message.bytes, message.protocol);
        let Some((number, _)) = self.buffers.demand(from, to, bytes, protocol) else { return };
        self.buffers.pools[number as usize].held.retain(|held| held.message != id);
        self.serve_pool(number);
    }

    /// Returns what a send waits for whose message has no room in the buffers of its receiver;
    /// `None` if it waits for something else.
    pub fn awaits_space(&self, request: RequestId) -> Option<SpaceWait> {
        let request = &self.requests[request];
        let limit = self.buffers.limit?;
        let is_send = request.kind == RequestKind::Send && request.complete == UNKNOWN;
        let awaits = is_send && self.messages[request.message].phase == Phase::AwaitingSpace;
        awaits.then_some(SpaceWait { bytes: request.bytes, space: limit.units() * limit.unit })
    }
}
