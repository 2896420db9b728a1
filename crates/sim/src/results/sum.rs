//! Time of many ranks together.

use std::ops::{Add, AddAssign, SubAssign};

use panto_units::Time;

/// Time of many ranks together, in picoseconds: ten thousand ranks have more of it in an hour than virtual time is long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Sum(u128);

impl Sum {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// In seconds.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl From<Time> for Sum {
    #[inline]
    fn from(time: Time) -> Self {
        Self(time.as_picos().into())
    }
}

impl Add for Sum {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl<T: Into<Self>> AddAssign<T> for Sum {
    #[inline]
    fn add_assign(&mut self, more: T) {
        self.0 += more.into().0;
    }
}

impl SubAssign<Time> for Sum {
    #[inline]
    fn sub_assign(&mut self, less: Time) {
        self.0 = self.0.saturating_sub(less.as_picos().into());
    }
}

impl std::iter::Sum for Sum {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ranks_have_much_time() {
        let hour = Time::from_nanos(3_600_000_000_000);
        let sum: Sum = (0..10_000).map(|_| Sum::from(hour)).sum();
        assert!((sum.as_secs() - 3.6e7).abs() < 1e-3);
        let mut less = sum;
        less -= hour;
        less += hour;
        assert_eq!(less, sum);
    }
}
