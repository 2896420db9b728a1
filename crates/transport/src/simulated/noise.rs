//! A virtual clock that is read with noise, to test what measures with it.

use std::cell::{Cell, RefCell};

use panto_random::{GOLDEN_GAMMA, SplitMix64};
use panto_units::Time;

/// The noise of clock readings: an interval between two readings is off by a random factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClockNoise {
    pub(super) seed: u64,
    /// The standard deviation of the factor.
    pub(super) relative: f64,
    /// The share of intervals that are several times too long.
    pub(super) outliers: f64,
}

/// The smallest factor of an outlier, and the range above it: two to ten times too long.
const OUTLIER: (f64, f64) = (2.0, 8.0);

/// The clock of one rank, as the rank reads it.
///
/// It is exact when the rank has last waited for a point in time or communicated out of band,
/// because that is how ranks agree on the time; from then on each interval that the rank observes
/// is off by a factor. So what is measured is noisy, and what serves the measurement is not.
pub(super) struct Noise {
    how: ClockNoise,
    rng: RefCell<SplitMix64>,
    /// The last reading: its true time, and what was read.
    last: Cell<Option<(Time, Time)>>,
}

impl Noise {
    pub(super) fn new(noise: ClockNoise, rank: u32) -> Self {
        let seed = noise.seed ^ (u64::from(rank) + 1).wrapping_mul(GOLDEN_GAMMA);
        Self { how: noise, rng: RefCell::new(SplitMix64::new(seed)), last: Cell::new(None) }
    }

    /// Returns what the rank reads at this time.
    pub(super) fn read(&self, time: Time) -> Time {
        let reading = match self.last.get() {
            None => time,
            Some((before, read)) if before == time => read,
            Some((before, read)) => {
                let interval = time.since(before).as_picos() as f64 * self.factor();
                read.saturating_add(Time::from_picos(interval.round() as u64))
            }
        };
        self.last.set(Some((time, reading)));
        reading
    }

    /// Makes the next reading exact.
    pub(super) fn resynchronise(&self) {
        self.last.set(None);
    }

    fn factor(&self) -> f64 {
        // The sum of four uniform numbers approximates a normal distribution that ends at 3.5
        // standard deviations, so no factor is negative.
        let bell = (0..4).map(|_| self.unit()).sum::<f64>() - 2.0;
        let factor = 1.0 + self.how.relative * bell * 3_f64.sqrt();
        let (least, more) = OUTLIER;
        if self.unit() < self.how.outliers { factor * (least + more * self.unit()) } else { factor }
    }

    /// Draws a number in `[0, 1)`.
    fn unit(&self) -> f64 {
        self.rng.borrow_mut().unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(noise: ClockNoise, rank: u32) -> Vec<f64> {
        let clock = Noise::new(noise, rank);
        let micro = |micros: u64| Time::from_nanos(micros * 1_000);
        (0..4_000)
            .map(|sample| {
                clock.resynchronise();
                let start = clock.read(micro(sample * 100));
                clock.read(micro(sample * 100 + 50)).since(start).as_nanos() / 50_000.0
            })
            .collect()
    }

    #[test]
    fn intervals_have_the_requested_noise() {
        let noise = ClockNoise { seed: 7, relative: 0.02, outliers: 0.01 };
        let factors = intervals(noise, 0);
        let (wild, usual): (Vec<f64>, Vec<f64>) = factors.iter().partition(|factor| **factor > 1.5);
        assert!((20..80).contains(&wild.len()) && wild.iter().all(|factor| *factor < 11.0), "{}", wild.len());
        let mean = usual.iter().sum::<f64>() / usual.len() as f64;
        let deviation =
            (usual.iter().map(|factor| (factor - mean).powi(2)).sum::<f64>() / usual.len() as f64).sqrt();
        assert!((mean - 1.0).abs() < 0.001 && (deviation / 0.02 - 1.0).abs() < 0.1, "{mean} {deviation}");
        assert_eq!(factors, intervals(noise, 0));
        assert_ne!(factors, intervals(noise, 1));
        assert_ne!(factors, intervals(ClockNoise { seed: 8, ..noise }, 0));
    }

    #[test]
    fn a_resynchronised_clock_is_exact() {
        let clock = Noise::new(ClockNoise { seed: 1, relative: 0.2, outliers: 1.0 }, 0);
        assert_eq!(clock.read(Time::from_nanos(1_000)), Time::from_nanos(1_000));
        let wrong = clock.read(Time::from_nanos(2_000));
        assert_ne!(wrong, Time::from_nanos(2_000));
        assert_eq!(clock.read(Time::from_nanos(2_000)), wrong, "no time has passed");
        clock.resynchronise();
        assert_eq!(clock.read(Time::from_nanos(3_000)), Time::from_nanos(3_000));
    }
}
