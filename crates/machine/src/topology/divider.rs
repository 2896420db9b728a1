//! Division by a number that is known beforehand: routes divide at every hop, and hardware divides slowly.

/// Divides by one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Divider {
    /// 2^64 / by rounded up; 0 for a power of two, which is shifted.
    magic: u64,
    shift: u32,
    by: u32,
}

impl Divider {
    /// `by` is not 0.
    pub fn new(by: u32) -> Self {
        let by = by.max(1);
        let magic = if by.is_power_of_two() { 0 } else { u64::MAX / u64::from(by) + 1 };
        Self { magic, shift: by.trailing_zeros(), by }
    }

    /// What is divided by.
    #[inline]
    pub fn by(self) -> u32 {
        self.by
    }

    /// The quotient, exact for every number of 32 bits (Lemire, Kaser and Kurz 2019).
    #[inline]
    pub fn quotient(self, n: u32) -> u32 {
        if self.magic == 0 {
            n >> self.shift
        } else {
            ((u128::from(self.magic) * u128::from(n)) >> 64) as u32
        }
    }

    /// Quotient and remainder.
    #[inline]
    pub fn split(self, n: u32) -> (u32, u32) {
        let quotient = self.quotient(n);
        (quotient, n - quotient * self.by)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Divider;

    proptest! {
        #[test]
        fn divides(n: u32, by in 1..=u32::MAX, small in 1_u32..100) {
            for by in [by, small, u32::MAX, 1 << 31] {
                for n in [n, u32::MAX, by, by - 1] {
                    prop_assert_eq!(Divider::new(by).split(n), (n / by, n % by));
                }
            }
        }
    }
}
