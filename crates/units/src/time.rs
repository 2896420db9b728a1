//! The time type of transports and the simulator.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// A point in time or a duration, in whole picoseconds: the unit of the simulator, so that measured
/// and simulated times compare without rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Time(u64);

impl Time {
    /// The start of time, and the zero duration.
    pub const ZERO: Self = Self(0);

    /// Creates a time from picoseconds.
    pub const fn from_picos(picos: u64) -> Self {
        Self(picos)
    }

    /// Creates a time from nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos * 1_000)
    }

    /// Returns the time in picoseconds.
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// Returns the time in nanoseconds.
    pub fn as_nanos(self) -> f64 {
        self.0 as f64 * 1e-3
    }

    /// Returns the time in seconds.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 * 1e-12
    }

    /// Returns the sum, or the largest time on overflow.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns the duration since `earlier`, or zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl From<Duration> for Time {
    fn from(duration: Duration) -> Self {
        Self(duration.as_secs() * 1_000_000_000_000 + u64::from(duration.subsec_nanos()) * 1_000)
    }
}

impl From<Time> for Duration {
    /// Rounds up to whole nanoseconds, so that a wait is never too short.
    fn from(time: Time) -> Self {
        Self::from_nanos(time.0.div_ceil(1_000))
    }
}

impl Add for Time {
    type Output = Self;
    /// Saturates at the largest time.
    fn add(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl Sub for Time {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_nanos() {
            ns if ns < 1e3 => write!(f, "{ns:.1}ns"),
            ns if ns < 1e6 => write!(f, "{:.2}us", ns * 1e-3),
            ns if ns < 1e9 => write!(f, "{:.2}ms", ns * 1e-6),
            ns => write!(f, "{:.2}s", ns * 1e-9),
        }
    }
}
