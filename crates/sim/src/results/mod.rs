//! Where the time of a simulation went (P14).
//!
//! [`Totals`] observes a simulation and adds up. [`ActivityLog`] keeps what ranks did and waited
//! for, in a compact form; the [`CriticalPath`] is found in it backwards, when the run has ended.

mod activity_log;
mod critical_path;
mod sum;
mod totals;
mod waits;

pub use activity_log::ActivityLog;
pub use critical_path::{CriticalPath, PathShare};
pub use sum::TimeSum;
pub use totals::{CallTotals, RankTotals, Totals};

use panto_units::Time;

use crate::network::PacketCounts;
use crate::observe::{Activity, Cause, Observer, ReceivedMessage};

/// Time by what was done in it. The fields add up to the rank's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeBreakdown {
    /// The program's own computation.
    pub compute: TimeSum,
    /// Overheads of messages.
    pub message: TimeSum,
    /// Copies and reductions of collectives.
    pub combine: TimeSum,
    /// One-sided communication and files.
    pub access: TimeSum,
    /// Waiting.
    pub waited: TimeSum,
    /// Ready to work, while the processor worked for other ranks.
    pub shared: TimeSum,
}

impl TimeBreakdown {
    /// Adds the time of an activity.
    #[inline]
    pub fn add(&mut self, activity: Activity, time: Time) {
        *self.of(activity) += time;
    }

    /// Moves a part of the time of an activity to [`shared`](Self::shared).
    #[inline]
    pub fn share(&mut self, activity: Activity, time: Time) {
        *self.of(activity) -= time;
        self.shared += time;
    }

    #[inline]
    fn of(&mut self, activity: Activity) -> &mut TimeSum {
        match activity {
            Activity::Compute => &mut self.compute,
            Activity::Message => &mut self.message,
            Activity::Combine => &mut self.combine,
            Activity::Access => &mut self.access,
        }
    }

    /// Adds another breakdown.
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

    /// Returns the processor's time for messages: all its work but computation.
    pub fn communicated(&self) -> TimeSum {
        self.message + self.combine + self.access
    }

    /// Returns the time in which the processor worked.
    pub fn busy(&self) -> TimeSum {
        self.compute + self.communicated()
    }

    /// Returns all time.
    pub fn total(&self) -> TimeSum {
        self.busy() + self.waited + self.shared
    }
}

/// Forwards to two observers.
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
    fn received(&mut self, rank: u32, message: ReceivedMessage) {
        self.0.received(rank, message);
        self.1.received(rank, message);
    }

    fn ended(&mut self, packets: PacketCounts) {
        self.0.ended(packets);
        self.1.ended(packets);
    }
}

/// Forwards to an observer, if there is one.
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
    fn received(&mut self, rank: u32, message: ReceivedMessage) {
        if let Some(observer) = self {
            observer.received(rank, message);
        }
    }

    fn ended(&mut self, packets: PacketCounts) {
        if let Some(observer) = self {
            observer.ended(packets);
        }
    }
}
