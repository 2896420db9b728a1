//! One operation of a rank, packed into 16 bytes: reading operations is what limits a fast
//! simulation.

use std::fmt;

use panto_calls::SendMode;
use panto_units::Time;

/// Direction of one-sided communication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RemoteAccess {
    /// Bytes go from the calling rank to the other.
    Put,
    /// A request goes to the other rank, and the bytes come back.
    Get,
}

/// An operation of a rank.
///
/// *Channels* are indices of [`Program::channels`](super::Program::channels), *wildcards* of
/// [`Program::wildcards`](super::Program::wildcards) and *calls* of
/// [`Program::calls`](super::Program::calls); *slots* are the rank's own places for requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Computes, for this time on the machine where it was traced.
    Compute(Time),
    /// Computes for the next time of the rank's list ([`Code::times`](super::Code::times)).
    ComputeListed,
    /// Begins a call of the program after a computation; the operations that follow belong to it.
    Call {
        /// The function.
        call: u32,
        /// The computation before it.
        before: Time,
    },
    /// Begins a call after a computation for the next time of the rank's list.
    CallListed {
        /// The function.
        call: u32,
    },
    /// Sends, and blocks until the send completes.
    Send {
        /// The send mode.
        mode: SendMode,
        /// The channel to send on.
        channel: u32,
        /// Size in bytes.
        bytes: u64,
    },
    /// Receives the next message of a channel, blocking.
    Receive {
        /// The channel to receive from.
        channel: u32,
    },
    /// Starts a send.
    StartSend {
        /// The send mode.
        mode: SendMode,
        /// The slot of the request.
        slot: u32,
        /// The channel to send on.
        channel: u32,
        /// Size in bytes.
        bytes: u64,
    },
    /// Posts a receive for the next message of a channel.
    StartReceive {
        /// The slot of the request.
        slot: u32,
        /// The channel to receive from.
        channel: u32,
    },
    /// Posts a receive for the first message that a wildcard accepts (`--wildcards rematch`).
    StartWildcard {
        /// The slot of the request.
        slot: u32,
        /// What is accepted.
        wildcard: u32,
        /// Whether the rank waits for it at once, so that posting takes no time of its own.
        blocks: bool,
    },
    /// Blocks until a request completes; its slot is free then.
    Wait {
        /// The slot of the request.
        slot: u32,
    },
    /// Gives up a request without waiting for it; its slot is free when it completes.
    Free {
        /// The slot of the request.
        slot: u32,
    },
    /// Blocks until the next message of a channel has arrived, without receiving it.
    Probe {
        /// The channel to look at.
        channel: u32,
    },
    /// Blocks until a message has arrived that a wildcard accepts, without receiving it.
    ProbeWildcard {
        /// What is accepted.
        wildcard: u32,
    },
    /// Polls for completion without success.
    Poll {
        /// How many times.
        times: u64,
    },
    /// Copies memory.
    Copy {
        /// Size in bytes.
        bytes: u64,
    },
    /// Reduces memory with an operator.
    Reduce {
        /// Size in bytes.
        bytes: u64,
    },
    /// Moves bytes over a channel without the other rank's participation.
    Remote {
        /// The direction.
        access: RemoteAccess,
        /// The channel from this rank to the other.
        channel: u32,
        /// Size in bytes.
        bytes: u64,
    },
    /// Reads or writes a file.
    File {
        /// Size in bytes.
        bytes: u64,
    },
    /// Executes the operations from an index of the rank's code to the next [`Op::End`] repeatedly.
    Repeat {
        /// Index of the first operation.
        at: u32,
        /// How many times; never 0.
        times: u64,
    },
    /// Ends the rank's main part, or a loop body.
    End,
}

/// An [`Op`], packed.
///
/// ```text
/// head   63..32 channel, wildcard, call, index   31..6 slot   5..0 kind
/// value  63..0  bytes, picoseconds, times
/// ```
///
/// Each send mode and each direction of one-sided communication is a kind of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PackedOp {
    head: u64,
    value: u64,
}

const _: () = assert!(size_of::<PackedOp>() == 16);

/// Bits of the kind.
const KIND_BITS: u32 = 6;
/// Bits of the slot.
const SLOT_BITS: u32 = 26;

/// Maximum number of request slots of a rank.
pub const MAX_SLOTS: u32 = 1 << SLOT_BITS;

/// The kinds of operations.
mod kind {
    pub const COMPUTE: u64 = 0;
    pub const COMPUTE_LISTED: u64 = 1;
    pub const CALL: u64 = 2;
    pub const CALL_LISTED: u64 = 3;
    /// The first of four kinds, one for each send mode.
    pub const SEND: u64 = 4;
    /// The first of four kinds, one for each send mode.
    pub const START_SEND: u64 = 8;
    pub const RECEIVE: u64 = 12;
    pub const START_RECEIVE: u64 = 13;
    pub const START_WILDCARD: u64 = 14;
    pub const WAIT: u64 = 15;
    pub const FREE: u64 = 16;
    pub const PROBE: u64 = 17;
    pub const PROBE_WILDCARD: u64 = 18;
    pub const POLL: u64 = 19;
    pub const COPY: u64 = 20;
    pub const REDUCE: u64 = 21;
    pub const REMOTE_PUT: u64 = 22;
    pub const REMOTE_GET: u64 = 23;
    pub const FILE: u64 = 24;
    pub const REPEAT: u64 = 25;
    pub const END: u64 = 26;
}

impl PackedOp {
    const fn pack(kind: u64, slot: u32, number: u32, value: u64) -> Self {
        debug_assert!(slot < MAX_SLOTS);
        Self { head: kind | (slot as u64) << KIND_BITS | (number as u64) << (KIND_BITS + SLOT_BITS), value }
    }

    /// Returns a hash whose highest bits depend on all bits of the operation.
    #[inline]
    pub(crate) fn hash(self) -> u64 {
        // Fibonacci hashing: multiplying by 2^64 / golden ratio spreads keys over the highest bits.
        (self.head.rotate_left(29) ^ self.value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Returns the channel, wildcard, call or index of an operation; meaningless if it has none.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        (self.head >> (KIND_BITS + SLOT_BITS)) as u32
    }

    /// Returns the operation with other numbers of its channel, wildcard or call.
    pub(crate) fn renumbered(
        self,
        channel: impl FnOnce(u32) -> u32,
        wildcard: impl FnOnce(u32) -> u32,
        call: impl FnOnce(u32) -> u32,
    ) -> Self {
        let number = match self.head & ((1 << KIND_BITS) - 1) {
            kind::CALL | kind::CALL_LISTED => call(self.number()),
            kind::SEND..kind::START_WILDCARD | kind::PROBE | kind::REMOTE_PUT | kind::REMOTE_GET => {
                channel(self.number())
            }
            kind::START_WILDCARD | kind::PROBE_WILDCARD => wildcard(self.number()),
            _ => return self,
        };
        let below = (1 << (KIND_BITS + SLOT_BITS)) - 1;
        Self { head: self.head & below | u64::from(number) << (KIND_BITS + SLOT_BITS), ..self }
    }

    /// Returns the channel of a send or receive.
    #[inline]
    pub(crate) fn channel(self) -> Option<u32> {
        let kind = self.head & ((1 << KIND_BITS) - 1);
        (kind::SEND..kind::START_WILDCARD).contains(&kind).then(|| self.number())
    }

    /// Returns whether it is [`Op::End`].
    #[inline]
    pub(crate) fn is_end(self) -> bool {
        self.head & ((1 << KIND_BITS) - 1) == kind::END
    }

    /// Returns the operation.
    #[inline]
    pub fn unpack(self) -> Op {
        let slot = (self.head >> KIND_BITS) as u32 & (MAX_SLOTS - 1);
        let number = (self.head >> (KIND_BITS + SLOT_BITS)) as u32;
        let (channel, wildcard, call) = (number, number, number);
        let (bytes, times, time) = (self.value, self.value, Time::from_picos(self.value));
        match self.head & ((1 << KIND_BITS) - 1) {
            kind::COMPUTE => Op::Compute(time),
            kind::COMPUTE_LISTED => Op::ComputeListed,
            kind::CALL => Op::Call { call, before: time },
            kind::CALL_LISTED => Op::CallListed { call },
            kind @ kind::SEND..kind::START_SEND => {
                Op::Send { mode: send_mode(kind - kind::SEND), channel, bytes }
            }
            kind @ kind::START_SEND..kind::RECEIVE => {
                Op::StartSend { mode: send_mode(kind - kind::START_SEND), slot, channel, bytes }
            }
            kind::RECEIVE => Op::Receive { channel },
            kind::START_RECEIVE => Op::StartReceive { slot, channel },
            kind::START_WILDCARD => Op::StartWildcard { slot, wildcard, blocks: self.value != 0 },
            kind::WAIT => Op::Wait { slot },
            kind::FREE => Op::Free { slot },
            kind::PROBE => Op::Probe { channel },
            kind::PROBE_WILDCARD => Op::ProbeWildcard { wildcard },
            kind::POLL => Op::Poll { times },
            kind::COPY => Op::Copy { bytes },
            kind::REDUCE => Op::Reduce { bytes },
            kind::REMOTE_PUT => Op::Remote { access: RemoteAccess::Put, channel, bytes },
            kind::REMOTE_GET => Op::Remote { access: RemoteAccess::Get, channel, bytes },
            kind::FILE => Op::File { bytes },
            kind::REPEAT => Op::Repeat { at: number, times },
            _ => Op::End,
        }
    }
}

impl From<Op> for PackedOp {
    #[inline]
    fn from(op: Op) -> Self {
        match op {
            Op::Compute(time) => Self::pack(kind::COMPUTE, 0, 0, time.as_picos()),
            Op::ComputeListed => Self::pack(kind::COMPUTE_LISTED, 0, 0, 0),
            Op::Call { call, before } => Self::pack(kind::CALL, 0, call, before.as_picos()),
            Op::CallListed { call } => Self::pack(kind::CALL_LISTED, 0, call, 0),
            Op::Send { mode, channel, bytes } => Self::pack(kind::SEND + mode as u64, 0, channel, bytes),
            Op::Receive { channel } => Self::pack(kind::RECEIVE, 0, channel, 0),
            Op::StartSend { mode, slot, channel, bytes } => {
                Self::pack(kind::START_SEND + mode as u64, slot, channel, bytes)
            }
            Op::StartReceive { slot, channel } => Self::pack(kind::START_RECEIVE, slot, channel, 0),
            Op::StartWildcard { slot, wildcard, blocks } => {
                Self::pack(kind::START_WILDCARD, slot, wildcard, blocks.into())
            }
            Op::Wait { slot } => Self::pack(kind::WAIT, slot, 0, 0),
            Op::Free { slot } => Self::pack(kind::FREE, slot, 0, 0),
            Op::Probe { channel } => Self::pack(kind::PROBE, 0, channel, 0),
            Op::ProbeWildcard { wildcard } => Self::pack(kind::PROBE_WILDCARD, 0, wildcard, 0),
            Op::Poll { times } => Self::pack(kind::POLL, 0, 0, times),
            Op::Copy { bytes } => Self::pack(kind::COPY, 0, 0, bytes),
            Op::Reduce { bytes } => Self::pack(kind::REDUCE, 0, 0, bytes),
            Op::Remote { access: RemoteAccess::Put, channel, bytes } => {
                Self::pack(kind::REMOTE_PUT, 0, channel, bytes)
            }
            Op::Remote { access: RemoteAccess::Get, channel, bytes } => {
                Self::pack(kind::REMOTE_GET, 0, channel, bytes)
            }
            Op::File { bytes } => Self::pack(kind::FILE, 0, 0, bytes),
            Op::Repeat { at, times } => Self::pack(kind::REPEAT, 0, at, times),
            Op::End => Self::pack(kind::END, 0, 0, 0),
        }
    }
}

/// Returns the send mode that [`PackedOp::from`] added to a kind.
#[inline]
fn send_mode(number: u64) -> SendMode {
    match number {
        0 => SendMode::Standard,
        1 => SendMode::Buffered,
        2 => SendMode::Synchronous,
        _ => SendMode::Ready,
    }
}

impl fmt::Debug for PackedOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.unpack().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_survives_packing() {
        let (slot, channel, bytes, wildcard) = (MAX_SLOTS - 1, u32::MAX, u64::MAX, 7);
        let time = Time::from_picos(u64::MAX);
        let sends = SendMode::ALL.map(|mode| Op::Send { mode, channel, bytes });
        let started = SendMode::ALL.map(|mode| Op::StartSend { mode, slot, channel, bytes });
        let others = [
            Op::Compute(time),
            Op::ComputeListed,
            Op::Call { call: 9, before: time },
            Op::CallListed { call: 9 },
            Op::Receive { channel },
            Op::StartReceive { slot, channel },
            Op::StartWildcard { slot, wildcard, blocks: true },
            Op::Wait { slot },
            Op::Free { slot },
            Op::Probe { channel },
            Op::ProbeWildcard { wildcard },
            Op::Poll { times: 3 },
            Op::Copy { bytes },
            Op::Reduce { bytes },
            Op::Remote { access: RemoteAccess::Put, channel, bytes },
            Op::Remote { access: RemoteAccess::Get, channel, bytes },
            Op::File { bytes },
            Op::Repeat { at: 5, times: 6 },
            Op::End,
        ];
        for op in sends.into_iter().chain(started).chain(others) {
            assert_eq!(PackedOp::from(op).unpack(), op);
        }
    }
}
