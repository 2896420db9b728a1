//! Sums of time over many ranks.

use std::ops::{Add, AddAssign, SubAssign};

use panto_units::Time;

/// A sum of time over many ranks, in picoseconds: ten thousand ranks have more of it in an hour
/// than virtual time can count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TimeSum(u128);

impl TimeSum {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// Returns the time in seconds.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl From<Time> for TimeSum {
    #[inline]
    fn from(time: Time) -> Self {
        Self(time.as_picos().into())
    }
}

impl Add for TimeSum {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl<T: Into<Self>> AddAssign<T> for TimeSum {
    #[inline]
    fn add_assign(&mut self, more: T) {
        self.0 += more.into().0;
    }
}

impl SubAssign<Time> for TimeSum {
    #[inline]
    fn sub_assign(&mut self, less: Time) {
        self.0 = self.0.saturating_sub(less.as_picos().into());
    }
}

impl std::iter::Sum for TimeSum {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_exceeds_the_range_of_virtual_time() {
        let hour = Time::from_nanos(3_600_000_000_000);
        let sum: TimeSum = (0..10_000).map(|_| TimeSum::from(hour)).sum();
        assert!((sum.as_secs() - 3.6e7).abs() < 1e-3);
        let mut less = sum;
        less -= hour;
        less += hour;
        assert_eq!(less, sum);
    }
}
