//! Where the time of a simulation went (P14).
//!
//! [`Totals`] sees a simulation and adds up. The critical path is found backwards, from the rank that ended last: to what it waited for
//! last, from there to what that rank waited for, and so on to the beginning. [`Waits`] keeps what is needed for that. What ranks did on
//! the path is seen in a second run of the same simulation by [`Shares`]: it gives the same, and so nothing else needs to be kept.

mod path;
mod shares;
mod sum;
mod totals;

pub use path::{Path, Segment, Waits};
pub use shares::{Share, Shares};
pub use sum::Sum;
pub use totals::{CallTotals, RankTotals, Totals};

use panto_units::Time;

use crate::observe::{Activity, Cause, Observer, Passed};

/// Time by what was done in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// The program's own work.
    pub compute: Sum,
    /// Its part of messages.
    pub message: Sum,
    /// Copies and reductions.
    pub combine: Sum,
    /// One-sided communication and files.
    pub access: Sum,
    /// Waiting.
    pub waited: Sum,
    /// Ready to work, while the processor did so for other ranks.
    pub shared: Sum,
}

impl Spent {
    /// Adds the time of an activity.
    #[inline]
    pub fn add(&mut self, activity: Activity, time: Time) {
        *self.of(activity) += time;
    }

    /// A part of the time of an activity was the processor's work for other ranks.
    #[inline]
    pub fn share(&mut self, activity: Activity, time: Time) {
        *self.of(activity) -= time;
        self.shared += time;
    }

    #[inline]
    fn of(&mut self, activity: Activity) -> &mut Sum {
        match activity {
            Activity::Compute => &mut self.compute,
            Activity::Message => &mut self.message,
            Activity::Combine => &mut self.combine,
            Activity::Access => &mut self.access,
        }
    }

    /// Adds what another has.
    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.compute, other.compute),
            (&mut self.message, other.message),
            (&mut self.combine, other.combine),
            (&mut self.access, other.access),
            (&mut self.waited, other.waited),
            (&mut self.shared, other.shared),
        ] {
            *sum += more;
        }
    }

    /// What was done for messages: all but computation and waiting.
    pub fn communicated(&self) -> Sum {
        self.message + self.combine + self.access
    }

    /// When the processor worked.
    pub fn busy(&self) -> Sum {
        self.compute + self.communicated()
    }

    /// All of it.
    pub fn total(&self) -> Sum {
        self.busy() + self.waited + self.shared
    }
}

/// Two who see the same.
impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline]
    fn call(&mut self, rank: u32, call: u32, at: Time) {
        self.0.call(rank, call, at);
        self.1.call(rank, call, at);
    }

    #[inline]
    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        self.0.worked(rank, activity, from, to);
        self.1.worked(rank, activity, from, to);
    }

    #[inline]
    fn shared(&mut self, rank: u32, activity: Activity, time: Time) {
        self.0.shared(rank, activity, time);
        self.1.shared(rank, activity, time);
    }

    #[inline]
    fn waited(&mut self, rank: u32, from: Time, to: Time, cause: Cause) {
        self.0.waited(rank, from, to, cause);
        self.1.waited(rank, from, to, cause);
    }

    #[inline]
    fn received(&mut self, rank: u32, message: Passed) {
        self.0.received(rank, message);
        self.1.received(rank, message);
    }
}

/// Perhaps nobody looks.
impl<A: Observer> Observer for Option<A> {
    #[inline]
    fn call(&mut self, rank: u32, call: u32, at: Time) {
        if let Some(observer) = self {
            observer.call(rank, call, at);
        }
    }

    #[inline]
    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        if let Some(observer) = self {
            observer.worked(rank, activity, from, to);
        }
    }

    #[inline]
    fn shared(&mut self, rank: u32, activity: Activity, time: Time) {
        if let Some(observer) = self {
            observer.shared(rank, activity, time);
        }
    }

    #[inline]
    fn waited(&mut self, rank: u32, from: Time, to: Time, cause: Cause) {
        if let Some(observer) = self {
            observer.waited(rank, from, to, cause);
        }
    }

    #[inline]
    fn received(&mut self, rank: u32, message: Passed) {
        if let Some(observer) = self {
            observer.received(rank, message);
        }
    }
}
