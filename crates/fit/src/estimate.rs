//! One figure from many estimates of it: the weighted median.

use panto_stats::{Bootstrap, Interval};

/// A figure with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// The 95 % confidence interval.
    pub interval: Interval,
}

impl Estimate {
    /// Returns the estimate clamped to zero: a difference that noise makes negative is none.
    pub fn not_negative(self) -> Self {
        let Interval { low, high } = self.interval;
        Self { value: self.value.max(0.0), interval: Interval { low: low.max(0.0), high: high.max(0.0) } }
    }

    /// Returns the estimate scaled by a factor.
    pub fn times(self, factor: f64) -> Self {
        let Interval { low, high } = self.interval;
        Self { value: self.value * factor, interval: Interval { low: low * factor, high: high * factor } }
    }
}

/// Relative difference below which estimates count as equal: times are whole picoseconds.
const ROUNDING: f64 = 1e-5;

/// Returns the weighted median of estimates `(value, weight)`, or `None` without any positive
/// weight. With the weight 1 / noise it minimises the sum of absolute residuals in units of noise.
/// The interval is that of a bootstrap over the estimates. O(n log n), times the resamples of the
/// bootstrap.
pub fn weighted_median(estimates: &[(f64, f64)]) -> Option<Estimate> {
    let mut sorted: Vec<(f64, f64)> = estimates.iter().copied().filter(|(_, weight)| *weight > 0.0).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let value = middle(sorted.iter().copied())?;
    let places: Vec<f64> = (0..sorted.len()).map(|index| index as f64).collect();
    let redrawn = |drawn: &mut [f64]| {
        drawn.sort_by(f64::total_cmp);
        middle(drawn.iter().map(|place| sorted[*place as usize])).unwrap_or(value)
    };
    let same = sorted.first().zip(sorted.last()).is_some_and(|(a, b)| b.0 - a.0 <= ROUNDING * value.abs());
    let interval = if same { None } else { Bootstrap::default().interval(&places, redrawn).ok() };
    Some(Estimate { value, interval: interval.unwrap_or(Interval { low: value, high: value }) })
}

/// Returns the first value at which half of the weight is reached.
fn middle(sorted: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let half = sorted.clone().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let mut values = sorted.skip_while(|(_, weight)| {
        sum += weight;
        sum < half * (1.0 - 1e-12)
    });
    values.next().map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_count() {
        let found = weighted_median(&[(1.0, 1.0), (2.0, 10.0), (900.0, 1.0)]).unwrap();
        assert!((found.value - 2.0).abs() < 1e-12 && found.interval.contains(2.0));
        assert_eq!(
            weighted_median(&[(5.0, 0.1), (5.0, 3.0)]).unwrap().interval,
            Interval { low: 5.0, high: 5.0 }
        );
        assert_eq!(weighted_median(&[(5.0, 0.0)]), None);
    }
}
