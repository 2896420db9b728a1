//! States and messages.

use panto_units::Time;

/// What a rank did, or waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// The program's own work.
    Compute,
    /// Its part of messages: overheads of sending and receiving, looking for messages.
    Message,
    /// Copies and reductions of collectives.
    Combine,
    /// Moved bytes without the other rank, or read and wrote files.
    Access,
    /// Waited for somebody else's deed, if it is known whose.
    Wait(Option<Cause>),
}

/// What a rank waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cause {
    /// Whose deed ended it.
    pub rank: u32,
    /// When that rank did it, by its clock.
    pub at: Time,
}

/// An interval of a rank. Those of one rank do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    /// What it did.
    pub what: What,
    /// In which call: a number in [`About::calls`](crate::About::calls).
    pub call: Option<u32>,
    /// When it began.
    pub from: Time,
    /// When it ended.
    pub to: Time,
}

/// A message that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Message {
    /// Who sent it.
    pub from: u32,
    /// Who received it.
    pub to: u32,
    /// How long it was.
    pub bytes: u64,
    /// What tells it from others between the same ranks: communicator and tag, as a number.
    pub class: u32,
    /// What it was for: a number in [`About::lanes`](crate::About::lanes).
    pub lane: u16,
    /// When the sender let it go.
    pub sent: Time,
    /// When its bytes were there.
    pub arrived: Time,
    /// When the receiver's call had it.
    pub received: Time,
}

impl State {
    /// How long it took.
    pub fn length(&self) -> Time {
        self.to.since(self.from)
    }
}

impl Message {
    /// Its first moment. Clocks of different hosts may disagree, so this need not be when it was sent.
    pub fn first(&self) -> Time {
        self.sent.min(self.arrived).min(self.received)
    }

    /// Its last moment.
    pub fn last(&self) -> Time {
        self.sent.max(self.arrived).max(self.received)
    }
}
