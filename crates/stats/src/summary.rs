//! Summary of one sample: quantiles, median with interval, mean, deviation.

use crate::error::{Error, require_finite, require_times};
use crate::interval::{Interval, median_interval_ranks};

/// Summary of one sample of times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Number of values.
    pub n: usize,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation with n - 1; 0 for a single value.
    pub std_dev: f64,
    /// Median.
    pub median: f64,
    /// Non-parametric 95 % interval of the median, see [`median_interval_ranks`].
    pub interval: Interval,
    /// Confidence of the interval: about 0.95, less below 6 values.
    pub confidence: f64,
    /// First quartile.
    pub q1: f64,
    /// Third quartile.
    pub q3: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Median absolute deviation from the median, not scaled to a standard deviation.
    pub mad: f64,
}

impl Summary {
    /// Summarises times: finite, none negative, in any order. One sort: O(n log n).
    pub fn of(values: &[f64]) -> Result<Self, Error> {
        require_times(values)?;
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Ok(Self::of_sorted(&sorted))
    }

    /// Returns half the width of the interval relative to the median.
    pub fn relative_half_width(&self) -> f64 {
        self.interval.relative_half_width(self.median)
    }

    fn of_sorted(sorted: &[f64]) -> Self {
        let n = sorted.len();
        let (low, high, confidence) = median_interval_ranks(n);
        let (mean, std_dev) = moments(sorted);
        let median = interpolate(sorted, 0.5);
        Self {
            n,
            min: sorted[0],
            max: sorted[n - 1],
            mean,
            std_dev,
            median,
            interval: Interval { low: sorted[low - 1], high: sorted[high - 1] },
            confidence,
            q1: interpolate(sorted, 0.25),
            q3: interpolate(sorted, 0.75),
            p95: interpolate(sorted, 0.95),
            p99: interpolate(sorted, 0.99),
            mad: mad_of_sorted(sorted, median),
        }
    }
}

/// Returns the quantile `q` in 0..=1 of values in ascending order, interpolated between neighbours.
///
/// Definition 7 of Hyndman & Fan, "Sample quantiles in statistical packages", Am. Statistician 50
/// (1996), the default of R and `NumPy`. O(1) beside the check of the input.
pub fn quantile(sorted: &[f64], q: f64) -> Result<f64, Error> {
    require_finite(sorted, 1)?;
    if !(0.0..=1.0).contains(&q) {
        return Err(Error::Setting { name: "q", rule: "must lie between 0 and 1" });
    }
    if !sorted.is_sorted() {
        return Err(Error::Setting { name: "sorted", rule: "must be in ascending order" });
    }
    Ok(interpolate(sorted, q))
}

/// Returns the median of finite values in any order, by selection. O(n).
pub fn median(values: &[f64]) -> Result<f64, Error> {
    require_finite(values, 1)?;
    Ok(median_in_place(&mut values.to_vec()))
}

/// Returns the median of a non-empty slice, whose order is lost.
pub(crate) fn median_in_place(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = if even { below.iter().copied().fold(f64::NEG_INFINITY, f64::max) } else { upper };
    f64::midpoint(lower, upper)
}

/// Returns the [`quantile`] of a sorted, non-empty slice.
pub(crate) fn interpolate(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor();
    let low = sorted[below as usize];
    let high = sorted[place.ceil() as usize];
    low + (high - low) * (place - below)
}

/// Returns mean and standard deviation in one pass (Welford, Technometrics 4, 1962): no
/// cancellation of large squares.
fn moments(values: &[f64]) -> (f64, f64) {
    let (mut mean, mut squares) = (0.0, 0.0);
    for (i, value) in values.iter().enumerate() {
        let delta = value - mean;
        mean += delta / (i + 1) as f64;
        squares += delta * (value - mean);
    }
    let freedom = values.len().saturating_sub(1).max(1);
    (mean, (squares / freedom as f64).sqrt())
}

/// Returns the median absolute deviation. Deviations grow away from the median on both sides, so
/// the two sides merge without a second sort: O(n).
fn mad_of_sorted(sorted: &[f64], median: f64) -> f64 {
    let split = sorted.partition_point(|v| *v < median);
    let mut left = sorted[..split].iter().rev().map(|v| median - v).peekable();
    let mut right = sorted[split..].iter().map(|v| v - median).peekable();
    let mut merged = std::iter::from_fn(|| match (left.peek(), right.peek()) {
        (Some(l), Some(r)) if l <= r => left.next(),
        (Some(_), None) => left.next(),
        _ => right.next(),
    });
    let n = sorted.len();
    let lower = merged.nth((n - 1) / 2).unwrap_or(0.0);
    let upper = if n.is_multiple_of(2) { merged.next().unwrap_or(lower) } else { lower };
    f64::midpoint(lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn one_to_ten() {
        let values: Vec<f64> = (1..=10).rev().map(f64::from).collect();
        let s = Summary::of(&values).unwrap();
        near(s.median, 5.5);
        near(s.mean, 5.5);
        near(s.std_dev, (55.0_f64 / 6.0).sqrt());
        near(s.q1, 3.25);
        near(s.q3, 7.75);
        near(s.p95, 9.55);
        near(s.mad, 2.5);
        assert_eq!((s.n, s.min, s.max), (10, 1.0, 10.0));
        assert_eq!(s.interval, Interval { low: 2.0, high: 9.0 });
        near(s.relative_half_width(), 3.5 / 5.5);
    }

    #[test]
    fn a_single_value() {
        let s = Summary::of(&[3.0]).unwrap();
        assert_eq!((s.median, s.std_dev, s.mad, s.confidence), (3.0, 0.0, 0.0, 0.0));
        assert_eq!(s.interval, Interval { low: 3.0, high: 3.0 });
        near(s.relative_half_width(), 0.0);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert_eq!(Summary::of(&[]), Err(Error::Empty));
        assert_eq!(Summary::of(&[f64::INFINITY]), Err(Error::NotFinite { index: 0 }));
        assert!(matches!(Summary::of(&[1.0, -1.0]), Err(Error::Negative { index: 1, .. })));
        assert!(quantile(&[1.0], 1.5).is_err());
        assert!(quantile(&[2.0, 1.0], 0.5).is_err());
        assert!(median(&[f64::NAN]).is_err());
    }

    #[test]
    fn merging_gives_the_same_deviation_as_sorting() {
        let mut rng = SplitMix64::new(5);
        for n in 1..60 {
            let mut values: Vec<f64> = (0..n).map(|_| (rng.unit() * 20.0).floor()).collect();
            let centre = median(&values).unwrap();
            let deviations: Vec<f64> = values.iter().map(|v| (v - centre).abs()).collect();
            values.sort_unstable_by(f64::total_cmp);
            near(mad_of_sorted(&values, centre), median(&deviations).unwrap());
        }
    }
}
