//! A virtual clock that is not read exactly, to try out what measures with it.

use std::cell::Cell;

use panto_units::Time;

/// How inexactly ranks read the virtual clock: an interval between two readings is off by a random factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClockNoise {
    pub(super) seed: u64,
    /// The standard deviation of the factor.
    pub(super) relative: f64,
    /// The share of intervals that are several times too long.
    pub(super) outliers: f64,
}

/// An outlier is from twice to ten times too long.
const OUTLIER: (f64, f64) = (2.0, 8.0);

/// The clock of one rank, as the rank reads it.
///
/// It is right when the rank has last waited for a moment or done something aside, because that is how ranks agree on the time;
/// from there on it is wrong by a factor for each interval that the rank looks at. So what is measured is off, and what serves
/// the measurement is not.
pub(super) struct Noise {
    how: ClockNoise,
    state: Cell<u64>,
    /// The last reading: when it was, and what it said.
    last: Cell<Option<(Time, Time)>>,
}

impl Noise {
    pub(super) fn new(noise: ClockNoise, rank: u32) -> Self {
        // An odd constant keeps ranks apart: the golden ratio in 64 bits, as splitmix64 has it.
        let state = noise.seed ^ (u64::from(rank) + 1).wrapping_mul(GOLDEN);
        Self { how: noise, state: Cell::new(state), last: Cell::new(None) }
    }

    /// What the rank reads at this time.
    pub(super) fn read(&self, time: Time) -> Time {
        let reading = match self.last.get() {
            None => time,
            Some((before, said)) if before == time => said,
            Some((before, said)) => {
                let interval = time.since(before).as_picos() as f64 * self.factor();
                said.saturating_add(Time::from_picos(interval.round() as u64))
            }
        };
        self.last.set(Some((time, reading)));
        reading
    }

    /// The rank knows the time again.
    pub(super) fn set_right(&self) {
        self.last.set(None);
    }

    fn factor(&self) -> f64 {
        // Four uniform numbers make a bell that ends at 3.5 standard deviations: no factor is negative.
        let bell = (0..4).map(|_| self.unit()).sum::<f64>() - 2.0;
        let factor = 1.0 + self.how.relative * bell * 3_f64.sqrt();
        let (least, more) = OUTLIER;
        if self.unit() < self.how.outliers { factor * (least + more * self.unit()) } else { factor }
    }

    /// From 0 to 1, by splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
    fn unit(&self) -> f64 {
        let state = self.state.get().wrapping_add(GOLDEN);
        self.state.set(state);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(noise: ClockNoise, rank: u32) -> Vec<f64> {
        let clock = Noise::new(noise, rank);
        let micro = |micros: u64| Time::from_nanos(micros * 1_000);
        (0..4_000)
            .map(|sample| {
                clock.set_right();
                let start = clock.read(micro(sample * 100));
                clock.read(micro(sample * 100 + 50)).since(start).as_nanos() / 50_000.0
            })
            .collect()
    }

    #[test]
    fn intervals_are_off_by_as_much_as_was_asked_for() {
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
    fn a_clock_that_was_set_right_is_right() {
        let clock = Noise::new(ClockNoise { seed: 1, relative: 0.2, outliers: 1.0 }, 0);
        assert_eq!(clock.read(Time::from_nanos(1_000)), Time::from_nanos(1_000));
        let wrong = clock.read(Time::from_nanos(2_000));
        assert_ne!(wrong, Time::from_nanos(2_000));
        assert_eq!(clock.read(Time::from_nanos(2_000)), wrong, "no time has passed");
        clock.set_right();
        assert_eq!(clock.read(Time::from_nanos(3_000)), Time::from_nanos(3_000));
    }
}
