//! States and messages.

use panto_units::Time;

/// The kind of a state: what a rank did, or waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateKind {
    /// The program's own computation.
    Compute,
    /// Overheads of sending and receiving, and polls for messages.
    Message,
    /// Copies and reductions of collectives.
    Combine,
    /// One-sided access to memory of other ranks, or access to files.
    Access,
    /// Waiting for another rank, if it is known for which.
    Wait(Option<Cause>),
}

/// What ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cause {
    /// The rank whose operation ended it.
    pub rank: u32,
    /// When that rank carried it out, by its own clock.
    pub at: Time,
}

/// A state: an interval of a rank. The states of one rank do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    /// What the rank did.
    pub kind: StateKind,
    /// The call during which it did that: a number in
    /// [`TimelineInfo::calls`](crate::TimelineInfo::calls).
    pub call: Option<u32>,
    /// The beginning.
    pub from: Time,
    /// The end.
    pub to: Time,
}

/// A message that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Message {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The length, in bytes.
    pub bytes: u64,
    /// What distinguishes it from others between the same ranks: communicator and tag, as a number.
    pub class: u32,
    /// The kind of message: a number in
    /// [`TimelineInfo::message_kinds`](crate::TimelineInfo::message_kinds).
    pub kind: u16,
    /// When it left the sender.
    pub sent: Time,
    /// When all its bytes had arrived.
    pub arrived: Time,
    /// When the receiver's call had it.
    pub received: Time,
}

impl State {
    /// Returns the duration.
    pub fn length(&self) -> Time {
        self.to.since(self.from)
    }
}

impl Message {
    /// Returns its first moment. Clocks of different hosts may disagree, so this need not be when
    /// it was sent.
    pub fn first(&self) -> Time {
        self.sent.min(self.arrived).min(self.received)
    }

    /// Returns its last moment.
    pub fn last(&self) -> Time {
        self.sent.max(self.arrived).max(self.received)
    }
}
