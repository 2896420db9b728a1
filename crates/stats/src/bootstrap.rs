//! Percentile bootstrap, over samples or over launches (Efron & Tibshirani 1993).

use crate::error::{Error, require_finite};
use crate::interval::Interval;
use crate::medians::Medians;
use crate::summary::{interpolate, median_in_place};
use panto_random::SplitMix64;

/// Percentile bootstrap intervals of any statistic, reproducible by their seed.
///
/// Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13. O(resamples)
/// evaluations of the statistic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// Number of resamples, at least 1.
    pub resamples: usize,
    /// Confidence of the interval, between 0 and 1.
    pub confidence: f64,
    /// Seed of the resampling.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { resamples: 1000, confidence: 0.95, seed: 0x626f_6f74 }
    }
}

impl Bootstrap {
    /// Returns the interval of `statistic` of one sample of independent values. The closure may
    /// reorder its argument.
    pub fn interval(&self, sample: &[f64], statistic: impl Fn(&mut [f64]) -> f64) -> Result<Interval, Error> {
        self.interval_by_group(&[sample], statistic)
    }

    /// Returns the interval of `statistic` of values in groups, such as the launches of a program.
    ///
    /// Values of one launch share its memory layout and placement, so they vary less than launches
    /// do. Groups are resampled with replacement and kept whole, which comes closest to the true
    /// variance (a cluster bootstrap; Davison & Hinkley, "Bootstrap Methods and their Application",
    /// 1997, section 3.8). With a single group its values are resampled, and the interval holds for
    /// this launch only.
    pub fn interval_by_group<G: AsRef<[f64]>>(
        &self,
        groups: &[G],
        statistic: impl Fn(&mut [f64]) -> f64,
    ) -> Result<Interval, Error> {
        let source = Source::new(groups)?;
        self.run(|rng, buffer| {
            source.draw(rng, buffer);
            statistic(buffer)
        })
    }

    /// Returns the interval of `median(b) / median(a)`. O(n log n + resamples), see `medians.rs`.
    pub fn median_ratio(&self, a: &[f64], b: &[f64]) -> Result<Interval, Error> {
        let (below, above) = (Medians::of(a)?, Medians::of(b)?);
        self.run(|rng, buffer| {
            let denominator = below.draw(rng, buffer);
            above.draw(rng, buffer) / denominator
        })
    }

    /// Returns the interval of `median(b) / median(a)`, both resampled by group; see
    /// [`Bootstrap::interval_by_group`].
    pub fn median_ratio_by_group<G: AsRef<[f64]>>(&self, a: &[G], b: &[G]) -> Result<Interval, Error> {
        let (below, above) = (Source::new(a)?, Source::new(b)?);
        self.run(|rng, buffer| {
            below.draw(rng, buffer);
            let denominator = median_in_place(buffer);
            above.draw(rng, buffer);
            median_in_place(buffer) / denominator
        })
    }

    fn run(
        &self,
        mut replicate: impl FnMut(&mut SplitMix64, &mut Vec<f64>) -> f64,
    ) -> Result<Interval, Error> {
        if self.resamples < 1 {
            return Err(Error::Setting { name: "resamples", rule: "must be at least 1" });
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(Error::Setting { name: "confidence", rule: "must lie between 0 and 1" });
        }
        let mut rng = SplitMix64::new(self.seed);
        let mut buffer = Vec::new();
        let mut estimates: Vec<f64> = (0..self.resamples).map(|_| replicate(&mut rng, &mut buffer)).collect();
        percentiles(&mut estimates, self.confidence)
    }
}

/// Returns the central range of the estimates that contains the share `confidence` of them.
pub(crate) fn percentiles(estimates: &mut [f64], confidence: f64) -> Result<Interval, Error> {
    require_finite(estimates, 1)?;
    estimates.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Ok(Interval { low: interpolate(estimates, tail), high: interpolate(estimates, 1.0 - tail) })
}

/// The values that resamples are drawn from.
struct Source<'a> {
    groups: Vec<&'a [f64]>,
}

impl<'a> Source<'a> {
    /// Drops empty groups; at least one value must remain.
    fn new<G: AsRef<[f64]>>(groups: &'a [G]) -> Result<Self, Error> {
        let groups: Vec<&[f64]> = groups.iter().map(AsRef::as_ref).filter(|g| !g.is_empty()).collect();
        if groups.is_empty() {
            return Err(Error::Empty);
        }
        groups.iter().try_for_each(|g| require_finite(g, 1))?;
        Ok(Self { groups })
    }

    fn draw(&self, rng: &mut SplitMix64, buffer: &mut Vec<f64>) {
        buffer.clear();
        if let [only] = self.groups[..] {
            buffer.extend((0..only.len()).map(|_| only[rng.index(only.len())]));
        } else {
            let n = self.groups.len();
            (0..n).for_each(|_| buffer.extend_from_slice(self.groups[rng.index(n)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(values: &mut [f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let sample: Vec<f64> = (0..50).map(f64::from).collect();
        let run = |seed| Bootstrap { seed, ..Bootstrap::default() }.interval(&sample, mean).unwrap();
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn the_interval_of_the_mean_is_the_textbook_one() {
        let mut rng = SplitMix64::new(41);
        let sample: Vec<f64> = (0..400).map(|_| 10.0 + rng.normal()).collect();
        let interval = Bootstrap::default().interval(&sample, mean).unwrap();
        assert!((interval.half_width() - 1.96 / 20.0).abs() < 0.015, "{interval}");
        assert!(interval.contains(10.0));
    }

    #[test]
    fn covers_the_ratio_of_medians() {
        let mut rng = SplitMix64::new(42);
        let boot = Bootstrap { resamples: 300, ..Bootstrap::default() };
        let hits = (0..300)
            .filter(|_| {
                let a: Vec<f64> = (0..40).map(|_| 1.0 + rng.unit()).collect();
                let b: Vec<f64> = (0..40).map(|_| 2.0 + 2.0 * rng.unit()).collect();
                boot.median_ratio(&a, &b).unwrap().contains(2.0)
            })
            .count();
        assert!((276..=297).contains(&hits), "{hits} of 300");
    }

    #[test]
    fn launches_that_differ_widen_the_interval() {
        let mut rng = SplitMix64::new(43);
        let launches: Vec<Vec<f64>> = (0..8)
            .map(|_| {
                let level = 100.0 + 10.0 * rng.unit();
                (0..50).map(|_| level + rng.unit()).collect()
            })
            .collect();
        let boot = Bootstrap::default();
        let by_launch = boot.interval_by_group(&launches, median_in_place).unwrap();
        let pooled = boot.interval(&launches.concat(), median_in_place).unwrap();
        assert!(by_launch.half_width() > 2.0 * pooled.half_width(), "{by_launch} against {pooled}");
    }

    #[test]
    fn bad_input_is_an_error() {
        let boot = Bootstrap::default();
        assert_eq!(boot.interval(&[], mean), Err(Error::Empty));
        assert_eq!(boot.interval(&[f64::NAN], mean), Err(Error::NotFinite { index: 0 }));
        assert!(boot.median_ratio(&[0.0], &[1.0]).is_err());
        assert!(Bootstrap { resamples: 0, ..boot }.interval(&[1.0], mean).is_err());
        assert!(Bootstrap { confidence: 1.0, ..boot }.interval(&[1.0], mean).is_err());
    }
}
