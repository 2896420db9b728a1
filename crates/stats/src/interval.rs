//! Confidence intervals, the non-parametric interval of the median, and the stop rule built on it.

use crate::normal::upper_tail;
use std::fmt;

/// Two-sided 97.5 % point of the normal distribution, as rounded in the rank formula.
const Z95: f64 = 1.96;

/// Sample size from which on the normal approximation of the ranks is used.
const LARGE: usize = 30;

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Returns half the distance between the ends.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Returns whether `value` lies inside, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Returns half the width relative to `centre`: 0 for a point, infinite for a wider interval
    /// around 0.
    pub fn relative_half_width(&self, centre: f64) -> f64 {
        if self.high <= self.low { 0.0 } else { self.half_width() / centre.abs() }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.low, self.high)
    }
}

/// Returns the ranks (from 1) of the order statistics that enclose the median with 95 % confidence,
/// and the confidence reached.
///
/// The number of values below the median is binomial with p = 1/2, whatever the distribution. From
/// 30 values on its normal approximation gives the ranks (Le Boudec, "Performance Evaluation of
/// Computer and Communication Systems", 2010, section 2.2; Hoefler & Belli, SC'15); below, the
/// binomial itself does. Fewer than 6 values admit no 95 % interval: then the ranks are first and
/// last, with the lower confidence that they have. No value gives `(0, 0, 0.0)`. O(1).
pub fn median_interval_ranks(n: usize) -> (usize, usize, f64) {
    match n {
        0 => (0, 0, 0.0),
        1..LARGE => binomial_ranks(n),
        _ => normal_ranks(n),
    }
}

/// Stops measuring when the interval of the median is narrow enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopRule {
    /// Relative half-width of the 95 % interval of the median to reach: 0.01 is 1 %.
    pub relative: f64,
    /// Least number of samples (and never fewer than 6, see [`median_interval_ranks`]).
    pub min_samples: usize,
}

impl Default for StopRule {
    fn default() -> Self {
        Self { relative: 0.01, min_samples: 10 }
    }
}

impl StopRule {
    /// Returns whether the samples suffice; `false` when one of them is NaN.
    ///
    /// Three selections (quickselect, with the worst-case guarantee of the standard library)
    /// instead of a sort: O(n). Called after each doubling of the samples, or each tenth more, the
    /// whole run stays O(n).
    pub fn reached(&self, samples: &[f64]) -> bool {
        let (low, high, confidence) = median_interval_ranks(samples.len());
        if samples.len() < self.min_samples || confidence < 0.95 || samples.iter().any(|v| v.is_nan()) {
            return false;
        }
        let (interval, median) = select_interval(&mut samples.to_vec(), low, high);
        interval.relative_half_width(median) <= self.relative
    }
}

/// Returns interval and median by selection; `low < high` are ranks from 1.
fn select_interval(values: &mut [f64], low: usize, high: usize) -> (Interval, f64) {
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, upper, above) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    let high = nth(above, high.saturating_sub(middle + 2)).unwrap_or(upper);
    let lower = if even { below.iter().copied().fold(f64::NEG_INFINITY, f64::max) } else { upper };
    let low = nth(below, low.saturating_sub(1)).unwrap_or(upper);
    (Interval { low, high }, f64::midpoint(lower, upper))
}

fn nth(values: &mut [f64], index: usize) -> Option<f64> {
    (index < values.len()).then(|| *values.select_nth_unstable_by(index, f64::total_cmp).1)
}

/// Returns the closest pair of symmetric ranks whose tails together hold at most 5 % of
/// Binomial(n, 1/2).
fn binomial_ranks(n: usize) -> (usize, usize, f64) {
    let mut term = 0.5_f64.powi(n as i32);
    let mut tail = term;
    let mut low = 1;
    while low < n {
        term *= (n - low + 1) as f64 / low as f64;
        if 2.0 * (tail + term) > 0.05 {
            break;
        }
        tail += term;
        low += 1;
    }
    (low, n + 1 - low, 1.0 - 2.0 * tail)
}

fn normal_ranks(n: usize) -> (usize, usize, f64) {
    let count = n as f64;
    let spread = Z95 * count.sqrt();
    let low = ((count - spread) / 2.0).floor();
    let high = 1.0 + f64::midpoint(count, spread).ceil();
    // P(low <= B < high) for B binomial, with the continuity correction.
    let standard = |b: f64| (b - count / 2.0) / (count.sqrt() / 2.0);
    let confidence = upper_tail(standard(low - 0.5)) - upper_tail(standard(high - 0.5));
    (low as usize, high as usize, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Summary;
    use panto_random::SplitMix64;

    #[test]
    fn small_ranks_are_those_of_the_tables() {
        // Conover, "Practical Nonparametric Statistics", and any table of sign-test intervals.
        for (n, low, high) in
            [(6, 1, 6), (8, 1, 8), (9, 2, 8), (10, 2, 9), (15, 4, 12), (20, 6, 15), (25, 8, 18)]
        {
            let (l, h, confidence) = median_interval_ranks(n);
            assert_eq!((l, h), (low, high), "n = {n}");
            assert!(confidence >= 0.95);
        }
        assert!((median_interval_ranks(6).2 - 0.96875).abs() < 1e-12);
    }

    #[test]
    fn tiny_samples_tell_their_true_confidence() {
        assert_eq!(median_interval_ranks(0), (0, 0, 0.0));
        for (n, truth) in [(1, 0.0), (2, 0.5), (3, 0.75), (5, 0.9375)] {
            let (low, high, confidence) = median_interval_ranks(n);
            assert_eq!((low, high), (1, n));
            assert!((confidence - truth).abs() < 1e-12);
        }
    }

    #[test]
    fn large_ranks_follow_the_formula() {
        assert_eq!(median_interval_ranks(30).0, 9);
        assert_eq!(median_interval_ranks(30).1, 22);
        let (low, high, confidence) = median_interval_ranks(1000);
        assert_eq!((low, high), (469, 532));
        assert!((0.95..0.97).contains(&confidence));
    }

    #[test]
    fn the_interval_covers_the_median_as_often_as_it_says() {
        let mut rng = SplitMix64::new(11);
        for n in [6, 17, 29, 30, 100] {
            let hits = (0..2000).filter(|_| covers(&mut rng, n)).count();
            let promised = median_interval_ranks(n).2;
            assert!((hits as f64 / 2000.0 - promised).abs() < 0.015, "n = {n}: {hits} of 2000, {promised}");
        }
    }

    fn covers(rng: &mut SplitMix64, n: usize) -> bool {
        // Exponential with median ln 2: skewed as timings are.
        let sample: Vec<f64> = (0..n).map(|_| -(1.0 - rng.unit()).ln()).collect();
        Summary::of(&sample).unwrap().interval.contains(std::f64::consts::LN_2)
    }

    #[test]
    fn stop_rule_agrees_with_the_sorted_summary() {
        let mut rng = SplitMix64::new(12);
        for n in 6..200 {
            let sample: Vec<f64> = (0..n).map(|_| 100.0 + 10.0 * rng.unit()).collect();
            let width = Summary::of(&sample).unwrap().relative_half_width();
            let rule = |relative| StopRule { relative, min_samples: 6 };
            assert!(rule(width * 1.0001).reached(&sample), "n = {n}");
            assert!(!rule(width * 0.9999).reached(&sample), "n = {n}");
        }
    }

    #[test]
    fn stop_rule_refuses_what_it_cannot_judge() {
        let rule = StopRule { relative: 1.0, min_samples: 0 };
        assert!(!rule.reached(&[]));
        assert!(!rule.reached(&[1.0; 5]));
        assert!(rule.reached(&[1.0; 6]));
        assert!(rule.reached(&[0.0; 6]));
        assert!(!rule.reached(&[f64::NAN; 10]));
        assert!(!StopRule::default().reached(&[1.0; 9]));
    }
}
