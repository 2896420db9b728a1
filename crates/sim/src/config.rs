//! The configuration of a run: machine, network model, computation speeds and noise.

use std::fmt;

use panto_machine::{Machine, Sharing};
use panto_units::Time;

/// Factor by which computation takes longer than on the machine where it was traced.
///
/// It is a fixed-point number, so that every host computes the same picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComputeScale(u64);

/// Bits after the binary point of a [`ComputeScale`].
const FRACTION_BITS: u32 = 32;

impl ComputeScale {
    /// As fast as where it was traced.
    pub const ONE: Self = Self(1 << FRACTION_BITS);

    /// Returns the scale of a processor that is `speed` times as fast; `None` unless `speed` is
    /// above 1e-9 and at most 1e9.
    pub fn from_speed(speed: f64) -> Option<Self> {
        let is_valid = speed > 1e-9 && speed <= 1e9;
        is_valid.then(|| Self((f64::from(2_u32).powi(FRACTION_BITS as i32) / speed).round() as u64))
    }

    /// Returns how many times as fast the processor is.
    pub fn speed(self) -> f64 {
        f64::from(2_u32).powi(FRACTION_BITS as i32) / self.0 as f64
    }

    /// Returns how long a computation takes that took `time` where it was traced, rounded to the
    /// nearest picosecond.
    #[inline]
    pub fn apply(self, time: Time) -> Time {
        if self == Self::ONE {
            return time;
        }
        let exact =
            (u128::from(self.0) * u128::from(time.as_picos()) + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS;
        Time::from_picos(u64::try_from(exact).unwrap_or(u64::MAX))
    }
}

/// Operating-system noise: delays of a rank's computations.
pub trait Noise: fmt::Debug + Sync {
    /// Returns how much longer the rank's `number`-th computation takes, which begins at `at` and
    /// would take `time` without noise.
    ///
    /// The result must depend on the arguments alone, so that the order in which ranks are
    /// simulated does not matter.
    fn delay(&self, rank: u32, number: u64, at: Time, time: Time) -> Time;
}

/// What a program runs on.
#[derive(Debug, Clone, Copy)]
pub struct RunConfig<'a> {
    /// The machine, with the mapping of ranks to processors.
    pub machine: &'a Machine,
    /// What messages share.
    pub sharing: Sharing,
    /// The scale of each rank's computation; one element applies to all ranks, none means
    /// [`ComputeScale::ONE`].
    pub compute_scales: &'a [ComputeScale],
    /// Noise, if any.
    pub noise: Option<&'a dyn Noise>,
}

impl RunConfig<'_> {
    /// Returns the scale of a rank's computation.
    #[inline]
    pub fn compute_scale(&self, rank: u32) -> ComputeScale {
        match self.compute_scales {
            [] => ComputeScale::ONE,
            [one] => *one,
            all => all[rank as usize],
        }
    }
}
