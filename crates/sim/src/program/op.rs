//! One operation of a rank, in sixteen bytes: a plain stream of them is what limits a fast simulation.

use std::fmt;

use panto_units::Time;

/// When a send may end, as the program asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sending {
    /// As the machine likes.
    Standard,
    /// At once: the message was copied.
    Buffered,
    /// When the receive is complete.
    Synchronous,
    /// The receive was posted before.
    Ready,
}

/// Which way bytes go in one-sided communication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the rank that asks to the other.
    There,
    /// A question, and the bytes come back.
    Back,
}

/// What a rank does. *Channels* are numbers in [`Program::channels`](super::Program::channels), *slots* the rank's own places for requests,
/// *picks* numbers in [`Program::picks`](super::Program::picks).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// Computes for so long on the machine where it was traced.
    Compute(Time),
    /// Computes for the next time of the rank's list.
    ComputeListed,
    /// A call of the program begins, after a computation: what follows is done for it. The call is a number in
    /// [`Program::calls`](super::Program::calls).
    Call {
        /// Which function.
        call: u32,
        /// The computation before it.
        before: Time,
    },
    /// The same, with the next time of the rank's list.
    CallListed {
        /// Which function.
        call: u32,
    },
    /// Sends, and waits until that may end.
    Send {
        /// When it may end.
        sending: Sending,
        /// Where it goes.
        channel: u32,
        /// How long it is.
        bytes: u64,
    },
    /// Receives the next message of a channel.
    Receive {
        /// Where it comes from.
        channel: u32,
    },
    /// Starts to send.
    StartSend {
        /// When it may end.
        sending: Sending,
        /// The place of the request.
        slot: u32,
        /// Where it goes.
        channel: u32,
        /// How long it is.
        bytes: u64,
    },
    /// Starts to receive the next message of a channel.
    StartReceive {
        /// The place of the request.
        slot: u32,
        /// Where it comes from.
        channel: u32,
    },
    /// Starts to receive whatever comes first of what the pick accepts (`--wildcards rematch`).
    StartPick {
        /// The place of the request.
        slot: u32,
        /// What it accepts.
        pick: u32,
    },
    /// Waits until what was started is complete; its place is free then.
    Wait {
        /// The place of the request.
        slot: u32,
    },
    /// Nobody will wait for what was started; its place is free when it is complete.
    Free {
        /// The place of the request.
        slot: u32,
    },
    /// Waits until the next message of a channel is there, and leaves it there.
    Probe {
        /// Where it comes from.
        channel: u32,
    },
    /// Waits until something is there that the pick accepts, and leaves it there.
    ProbePick {
        /// What it accepts.
        pick: u32,
    },
    /// Looks so many times whether something is there, and hears no.
    Poll {
        /// How often.
        times: u64,
    },
    /// Copies so many bytes.
    Copy {
        /// How many.
        bytes: u64,
    },
    /// Combines so many bytes with others.
    Reduce {
        /// How many.
        bytes: u64,
    },
    /// Moves bytes over a channel without the other rank.
    Remote {
        /// There or back.
        way: Way,
        /// From this rank to the other.
        channel: u32,
        /// How many.
        bytes: u64,
    },
    /// Reads or writes so many bytes of a file.
    File {
        /// How many.
        bytes: u64,
    },
    /// Does the operations from a place of the rank's code to the next [`Act::End`] so many times.
    Repeat {
        /// The place.
        at: u32,
        /// How often; never 0.
        times: u64,
    },
    /// The end of the rank's main part, or of what is repeated.
    End,
}

/// An [`Act`], packed.
///
/// ```text
/// head   63..32 channel, pick, call, place   31..6 slot   5..0 kind
/// value  63..0  bytes, picoseconds, times
/// ```
///
/// Where a kind has variants (how a send ends, which way bytes go), each is a kind of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Op {
    head: u64,
    value: u64,
}

const _: () = assert!(size_of::<Op>() == 16);

const KIND_BITS: u32 = 6;
const SLOT_BITS: u32 = 26;

/// The most places for requests that a rank has.
pub const MOST_SLOTS: u32 = 1 << SLOT_BITS;

mod kind {
    pub const COMPUTE: u64 = 0;
    pub const COMPUTE_LISTED: u64 = 1;
    pub const CALL: u64 = 2;
    pub const CALL_LISTED: u64 = 3;
    /// And three more, by how it ends.
    pub const SEND: u64 = 4;
    /// And three more, by how it ends.
    pub const START_SEND: u64 = 8;
    pub const RECEIVE: u64 = 12;
    pub const START_RECEIVE: u64 = 13;
    pub const START_PICK: u64 = 14;
    pub const WAIT: u64 = 15;
    pub const FREE: u64 = 16;
    pub const PROBE: u64 = 17;
    pub const PROBE_PICK: u64 = 18;
    pub const POLL: u64 = 19;
    pub const COPY: u64 = 20;
    pub const REDUCE: u64 = 21;
    pub const REMOTE_THERE: u64 = 22;
    pub const REMOTE_BACK: u64 = 23;
    pub const FILE: u64 = 24;
    pub const REPEAT: u64 = 25;
    pub const END: u64 = 26;
}

impl Op {
    const fn pack(kind: u64, slot: u32, number: u32, value: u64) -> Self {
        debug_assert!(slot < MOST_SLOTS);
        Self { head: kind | (slot as u64) << KIND_BITS | (number as u64) << (KIND_BITS + SLOT_BITS), value }
    }

    /// The channel of an operation that has one; of others some number.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        (self.head >> (KIND_BITS + SLOT_BITS)) as u32
    }

    /// The channel of a send or receive.
    #[inline]
    pub(crate) fn channel(self) -> Option<u32> {
        let kind = self.head & ((1 << KIND_BITS) - 1);
        (kind::SEND..kind::START_PICK).contains(&kind).then(|| self.number())
    }

    /// Is it the end of something?
    #[inline]
    pub(crate) fn is_end(self) -> bool {
        self.head & ((1 << KIND_BITS) - 1) == kind::END
    }

    /// What it is.
    #[inline]
    pub fn act(self) -> Act {
        let slot = (self.head >> KIND_BITS) as u32 & (MOST_SLOTS - 1);
        let number = (self.head >> (KIND_BITS + SLOT_BITS)) as u32;
        let (channel, pick, call) = (number, number, number);
        let (bytes, times, time) = (self.value, self.value, Time::from_picos(self.value));
        match self.head & ((1 << KIND_BITS) - 1) {
            kind::COMPUTE => Act::Compute(time),
            kind::COMPUTE_LISTED => Act::ComputeListed,
            kind::CALL => Act::Call { call, before: time },
            kind::CALL_LISTED => Act::CallListed { call },
            kind @ kind::SEND..kind::START_SEND => {
                Act::Send { sending: Sending::from_number(kind - kind::SEND), channel, bytes }
            }
            kind @ kind::START_SEND..kind::RECEIVE => Act::StartSend {
                sending: Sending::from_number(kind - kind::START_SEND),
                slot,
                channel,
                bytes,
            },
            kind::RECEIVE => Act::Receive { channel },
            kind::START_RECEIVE => Act::StartReceive { slot, channel },
            kind::START_PICK => Act::StartPick { slot, pick },
            kind::WAIT => Act::Wait { slot },
            kind::FREE => Act::Free { slot },
            kind::PROBE => Act::Probe { channel },
            kind::PROBE_PICK => Act::ProbePick { pick },
            kind::POLL => Act::Poll { times },
            kind::COPY => Act::Copy { bytes },
            kind::REDUCE => Act::Reduce { bytes },
            kind::REMOTE_THERE => Act::Remote { way: Way::There, channel, bytes },
            kind::REMOTE_BACK => Act::Remote { way: Way::Back, channel, bytes },
            kind::FILE => Act::File { bytes },
            kind::REPEAT => Act::Repeat { at: number, times },
            _ => Act::End,
        }
    }
}

impl From<Act> for Op {
    #[inline]
    fn from(act: Act) -> Self {
        match act {
            Act::Compute(time) => Self::pack(kind::COMPUTE, 0, 0, time.as_picos()),
            Act::ComputeListed => Self::pack(kind::COMPUTE_LISTED, 0, 0, 0),
            Act::Call { call, before } => Self::pack(kind::CALL, 0, call, before.as_picos()),
            Act::CallListed { call } => Self::pack(kind::CALL_LISTED, 0, call, 0),
            Act::Send { sending, channel, bytes } => {
                Self::pack(kind::SEND + sending as u64, 0, channel, bytes)
            }
            Act::Receive { channel } => Self::pack(kind::RECEIVE, 0, channel, 0),
            Act::StartSend { sending, slot, channel, bytes } => {
                Self::pack(kind::START_SEND + sending as u64, slot, channel, bytes)
            }
            Act::StartReceive { slot, channel } => Self::pack(kind::START_RECEIVE, slot, channel, 0),
            Act::StartPick { slot, pick } => Self::pack(kind::START_PICK, slot, pick, 0),
            Act::Wait { slot } => Self::pack(kind::WAIT, slot, 0, 0),
            Act::Free { slot } => Self::pack(kind::FREE, slot, 0, 0),
            Act::Probe { channel } => Self::pack(kind::PROBE, 0, channel, 0),
            Act::ProbePick { pick } => Self::pack(kind::PROBE_PICK, 0, pick, 0),
            Act::Poll { times } => Self::pack(kind::POLL, 0, 0, times),
            Act::Copy { bytes } => Self::pack(kind::COPY, 0, 0, bytes),
            Act::Reduce { bytes } => Self::pack(kind::REDUCE, 0, 0, bytes),
            Act::Remote { way: Way::There, channel, bytes } => {
                Self::pack(kind::REMOTE_THERE, 0, channel, bytes)
            }
            Act::Remote { way: Way::Back, channel, bytes } => {
                Self::pack(kind::REMOTE_BACK, 0, channel, bytes)
            }
            Act::File { bytes } => Self::pack(kind::FILE, 0, 0, bytes),
            Act::Repeat { at, times } => Self::pack(kind::REPEAT, 0, at, times),
            Act::End => Self::pack(kind::END, 0, 0, 0),
        }
    }
}

impl Sending {
    #[inline]
    fn from_number(number: u64) -> Self {
        match number {
            0 => Self::Standard,
            1 => Self::Buffered,
            2 => Self::Synchronous,
            _ => Self::Ready,
        }
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.act().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out() {
        let (slot, channel, bytes, pick) = (MOST_SLOTS - 1, u32::MAX, u64::MAX, 7);
        let time = Time::from_picos(u64::MAX);
        let sendings = [Sending::Standard, Sending::Buffered, Sending::Synchronous, Sending::Ready];
        let sends = sendings.map(|sending| Act::Send { sending, channel, bytes });
        let started = sendings.map(|sending| Act::StartSend { sending, slot, channel, bytes });
        let others = [
            Act::Compute(time),
            Act::ComputeListed,
            Act::Call { call: 9, before: time },
            Act::CallListed { call: 9 },
            Act::Receive { channel },
            Act::StartReceive { slot, channel },
            Act::StartPick { slot, pick },
            Act::Wait { slot },
            Act::Free { slot },
            Act::Probe { channel },
            Act::ProbePick { pick },
            Act::Poll { times: 3 },
            Act::Copy { bytes },
            Act::Reduce { bytes },
            Act::Remote { way: Way::There, channel, bytes },
            Act::Remote { way: Way::Back, channel, bytes },
            Act::File { bytes },
            Act::Repeat { at: 5, times: 6 },
            Act::End,
        ];
        for act in sends.into_iter().chain(started).chain(others) {
            assert_eq!(Op::from(act).act(), act);
        }
    }
}
