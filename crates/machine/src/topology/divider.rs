//! Division by an invariant: routes divide at every hop, and a hardware division is slow.

/// A divisor with its precomputed reciprocal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Divider {
    /// 2^64 / divisor, rounded up; 0 for a power of two, which shifts instead.
    reciprocal: u64,
    shift: u32,
    divisor: u32,
}

impl Divider {
    /// Creates a divider by a number that is not 0.
    pub fn new(divisor: u32) -> Self {
        let divisor = divisor.max(1);
        let reciprocal = if divisor.is_power_of_two() { 0 } else { u64::MAX / u64::from(divisor) + 1 };
        Self { reciprocal, shift: divisor.trailing_zeros(), divisor }
    }

    /// The divisor.
    #[inline]
    pub fn divisor(self) -> u32 {
        self.divisor
    }

    /// The quotient, exact for every 32-bit number (Lemire, Kaser and Kurz 2019).
    #[inline]
    pub fn quotient(self, n: u32) -> u32 {
        if self.reciprocal == 0 {
            n >> self.shift
        } else {
            ((u128::from(self.reciprocal) * u128::from(n)) >> 64) as u32
        }
    }

    /// The quotient and the remainder.
    #[inline]
    pub fn split(self, n: u32) -> (u32, u32) {
        let quotient = self.quotient(n);
        (quotient, n - quotient * self.divisor)
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
