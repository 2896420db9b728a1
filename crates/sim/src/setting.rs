//! Where a program runs, beside the machine itself.

use std::fmt;

use panto_machine::Machine;
use panto_units::Time;

use crate::engine::Model;

/// How much longer computation takes than where it was traced, in fixed point: every machine gives the same picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace(u64);

/// Binary digits of the fraction.
const FRACTION: u32 = 32;

impl Pace {
    /// As where it was traced.
    pub const SAME: Self = Self(1 << FRACTION);

    /// So many times faster; `None` unless that is a number above a billionth and up to a billion.
    pub fn faster(speed: f64) -> Option<Self> {
        let is_sound = speed > 1e-9 && speed <= 1e9;
        is_sound.then(|| Self((f64::from(2_u32).powi(FRACTION as i32) / speed).round() as u64))
    }

    /// How long something takes.
    #[inline]
    pub fn of(self, time: Time) -> Time {
        if self == Self::SAME {
            return time;
        }
        let exact = (u128::from(self.0) * u128::from(time.as_picos()) + (1 << (FRACTION - 1))) >> FRACTION;
        Time::from_picos(u64::try_from(exact).unwrap_or(u64::MAX))
    }
}

/// What the operating system takes from a rank's computation.
pub trait Noise: fmt::Debug + Sync {
    /// How much longer the rank's `number`-th computation takes, which begins at `at` and would take `time`. The answer depends on nothing
    /// else, so that the order in which ranks are simulated does not matter.
    fn delay(&self, rank: u32, number: u64, at: Time, time: Time) -> Time;
}

/// Where a program runs.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The machine, with the map of ranks to processors.
    pub machine: &'a Machine,
    /// How messages get in each other's way.
    pub model: Model,
    /// How fast each rank computes; one for all if there is one only.
    pub paces: &'a [Pace],
    /// What disturbs computation, if anything.
    pub noise: Option<&'a dyn Noise>,
}

impl Setting<'_> {
    /// How fast a rank computes.
    #[inline]
    pub fn pace(&self, rank: u32) -> Pace {
        match self.paces {
            [] => Pace::SAME,
            [one] => *one,
            all => all[rank as usize],
        }
    }
}
