//! What can be observed of a simulation.
//!
//! An [`Observer`] is a type parameter of both engines, not a trait object: with [`NoObserver`] the
//! compiler removes the calls, and the engines keep nothing that only an observer would need.

use panto_units::Time;

use crate::engine::MessageInfo;
use crate::network::PacketCounts;

/// What a rank's processor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Activity {
    /// The program's own computation.
    Compute,
    /// Messages: overheads of sending, receiving and polling.
    Message,
    /// Copies and reductions of collectives.
    Combine,
    /// One-sided communication, and files.
    Access,
}

/// What ended a wait: an action of another rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// The sender of the message, or the receiver that had not posted its receive. A rank or a
    /// helper.
    pub rank: u32,
    /// When that rank acted, by its clock. The time from then to the end of the wait is the
    /// network's.
    pub at: Time,
}

/// A message that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceivedMessage {
    /// Its channel.
    pub channel: u32,
    /// Its size in bytes.
    pub bytes: u64,
    /// The sender's clock when it sent the message.
    pub sent: Time,
    /// When all of its bytes had arrived.
    pub arrived: Time,
}

/// The slot that [`Observer::matched`] gets for a probe, which has none.
pub const PROBED: u32 = u32::MAX;

/// Sees what happens in a simulation.
///
/// What one rank does is reported in the order in which it does it. There is no order between
/// ranks.
pub trait Observer {
    /// Whether anything is observed. If not, the engines do not keep what could be seen.
    const ENABLED: bool = true;

    /// A call begins at `at`; `call` is an index of
    /// [`Program::calls`](crate::program::Program::calls).
    #[inline]
    fn call(&mut self, _rank: u32, _call: u32, _at: Time) {}

    /// The rank's processor worked.
    #[inline]
    fn worked(&mut self, _rank: u32, _activity: Activity, _from: Time, _to: Time) {}

    /// For `time` of the work reported last, the processor worked for other ranks that share it.
    /// Never called with zero.
    #[inline]
    fn shared(&mut self, _rank: u32, _activity: Activity, _time: Time) {}

    /// The rank waited. Never called for an empty interval.
    #[inline]
    fn waited(&mut self, _rank: u32, _from: Time, _to: Time, _cause: Cause) {}

    /// The rank received a message.
    #[inline]
    fn received(&mut self, _rank: u32, _message: ReceivedMessage) {}

    /// A receive with wildcards, whose request is in this slot, or a probe ([`PROBED`]) matched a
    /// message. It may be reported more than once.
    #[inline]
    fn matched(&mut self, _rank: u32, _slot: u32, _message: MessageInfo) {}

    /// The run has ended, after these packets have arrived on random routes.
    fn ended(&mut self, _packets: PacketCounts) {}
}

/// Observes nothing, at no cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const ENABLED: bool = false;
}

/// Forwards to a borrowed observer.
impl<A: Observer> Observer for &mut A {
    const ENABLED: bool = A::ENABLED;

    #[inline]
    fn call(&mut self, rank: u32, call: u32, at: Time) {
        (**self).call(rank, call, at);
    }

    #[inline]
    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        (**self).worked(rank, activity, from, to);
    }

    #[inline]
    fn shared(&mut self, rank: u32, activity: Activity, time: Time) {
        (**self).shared(rank, activity, time);
    }

    #[inline]
    fn waited(&mut self, rank: u32, from: Time, to: Time, cause: Cause) {
        (**self).waited(rank, from, to, cause);
    }

    #[inline]
    fn received(&mut self, rank: u32, message: ReceivedMessage) {
        (**self).received(rank, message);
    }

    #[inline]
    fn matched(&mut self, rank: u32, slot: u32, message: MessageInfo) {
        (**self).matched(rank, slot, message);
    }

    fn ended(&mut self, packets: PacketCounts) {
        (**self).ended(packets);
    }
}
