//! What can be seen of a simulation, for those who want to know where the time went.

use panto_units::Time;

/// What a rank's processor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Activity {
    /// The program's own work.
    Compute,
    /// Its part of messages: overheads of sending and receiving, looking for messages.
    Message,
    /// Copies and reductions of collectives.
    Combine,
    /// Moves bytes without the other rank, or reads and writes files.
    Access,
}

/// What a rank waited for: somebody else's deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// Whose: the sender of the message, or the receiver that was not ready for it. A rank or a helper.
    pub rank: u32,
    /// When that rank did it, by its clock: the time from then to the end of waiting is the network's.
    pub at: Time,
}

/// A message that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// Its channel.
    pub channel: u32,
    /// How long it was.
    pub bytes: u64,
    /// When the sender's clock let it go.
    pub sent: Time,
    /// When its bytes were there.
    pub arrived: Time,
}

/// Sees what happens. What happens to one rank is seen in its order; ranks are seen in any order. Whoever does not look costs nothing.
pub trait Observer {
    /// Does it look at all? If not, what it could see is not kept.
    const LOOKS: bool = true;

    /// A call begins (a number in [`Program::calls`](crate::program::Program::calls)).
    #[inline]
    fn call(&mut self, _rank: u32, _call: u32, _at: Time) {}

    /// The rank's processor worked.
    #[inline]
    fn worked(&mut self, _rank: u32, _activity: Activity, _from: Time, _to: Time) {}

    /// Of the work that was seen last, the processor did something else for so long: ranks share it. Never for no time.
    #[inline]
    fn shared(&mut self, _rank: u32, _activity: Activity, _time: Time) {}

    /// The rank waited; never for no time.
    #[inline]
    fn waited(&mut self, _rank: u32, _from: Time, _to: Time, _cause: Cause) {}

    /// A rank received a message.
    #[inline]
    fn received(&mut self, _rank: u32, _message: Passed) {}
}

/// Sees nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unseen;

impl Observer for Unseen {
    const LOOKS: bool = false;
}

/// Somebody else's.
impl<A: Observer> Observer for &mut A {
    const LOOKS: bool = A::LOOKS;

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
    fn received(&mut self, rank: u32, message: Passed) {
        (**self).received(rank, message);
    }
}
