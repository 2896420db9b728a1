//! Medians of bootstrap resamples in O(1) each, by the distribution of order statistics.

use crate::error::{Error, require_finite};
use crate::summary::median_in_place;
use panto_random::SplitMix64;

/// Sample size up to which a resample is drawn value by value. The generator for larger ones needs
/// both parameters above 1.
const SMALL: usize = 16;

/// Medians of bootstrap resamples of one sample, drawn without the resamples.
///
/// The ranks of `n` drawn values are `n` uniform numbers, and the k-th smallest of these has the
/// Beta distribution with k and n + 1 - k (David & Nagaraja, "Order Statistics", 2003, section
/// 2.3). So one random number finds the median of a resample in the sorted sample: O(1) each after
/// one sort, with exactly the distribution of drawing all values.
pub(crate) struct Medians {
    sorted: Vec<f64>,
}

impl Medians {
    /// Sorts the values. O(n log n).
    pub(crate) fn of(sample: &[f64]) -> Result<Self, Error> {
        require_finite(sample, 1)?;
        let mut sorted = sample.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Ok(Self { sorted })
    }

    /// Draws the median of one resample. The buffer is reused from draw to draw.
    pub(crate) fn draw(&self, rng: &mut SplitMix64, buffer: &mut Vec<f64>) -> f64 {
        let n = self.sorted.len();
        if n <= SMALL {
            buffer.clear();
            buffer.extend((0..n).map(|_| self.sorted[rng.index(n)]));
            return median_in_place(buffer);
        }
        let below = (n - 1) / 2;
        let lower = beta(rng, (below + 1) as f64, (n - below) as f64);
        if n % 2 == 1 {
            return self.at(lower);
        }
        // The next larger of the n / 2 values that are left above it.
        let rest = (n / 2) as f64;
        let upper = lower + (1.0 - lower) * (1.0 - (1.0 - rng.unit()).powf(rest.recip()));
        f64::midpoint(self.at(lower), self.at(upper))
    }

    /// Returns the value at a place between 0 and 1.
    fn at(&self, place: f64) -> f64 {
        let n = self.sorted.len();
        self.sorted[((place * n as f64) as usize).min(n - 1)]
    }
}

/// Draws a number of the Beta distribution; both parameters are above 1.
///
/// Algorithm BB of Cheng, "Generating beta variates with nonintegral shape parameters", Comm. ACM
/// 21 (1978): rejection from a log-logistic density, about one and a half tries whatever the
/// parameters.
fn beta(rng: &mut SplitMix64, a: f64, b: f64) -> f64 {
    let (least, most) = (a.min(b), a.max(b));
    let sum = a + b;
    let scale = ((sum - 2.0) / (2.0 * a * b - sum)).sqrt();
    let steepness = least + scale.recip();
    loop {
        let (first, second) = (1.0 - rng.unit(), 1.0 - rng.unit());
        let odds = scale * (first / (1.0 - first).max(f64::MIN_POSITIVE)).ln();
        let tried = least * odds.exp();
        let density = steepness * odds - 4.0_f64.ln() + sum * (sum / (most + tried)).ln();
        if density >= (first * first * second).ln() {
            let share = tried / (most + tried);
            return if a <= b { share } else { 1.0 - share };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the Kolmogorov-Smirnov distance of two samples.
    fn distance(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
        a.sort_by(f64::total_cmp);
        b.sort_by(f64::total_cmp);
        let share = |all: &[f64], value: f64| all.partition_point(|v| *v <= value) as f64 / all.len() as f64;
        let apart = |value: &f64| (share(&a, *value) - share(&b, *value)).abs();
        a.iter().chain(&b).map(apart).fold(0.0, f64::max)
    }

    #[test]
    fn medians_are_as_likely_as_those_of_drawn_resamples() {
        for n in [1, 2, 5, 16, 17, 18, 40, 101] {
            let mut rng = SplitMix64::new(n as u64);
            let sample: Vec<f64> = (0..n).map(|_| rng.unit() * rng.unit()).collect();
            let medians = Medians::of(&sample).unwrap();
            let mut buffer = Vec::new();
            let quick: Vec<f64> = (0..4000).map(|_| medians.draw(&mut rng, &mut buffer)).collect();
            let mut slow = || {
                let mut drawn: Vec<f64> = (0..n).map(|_| sample[rng.index(n)]).collect();
                median_in_place(&mut drawn)
            };
            let slow: Vec<f64> = (0..4000).map(|_| slow()).collect();
            // 1.63 sqrt(2 / 4000) is exceeded once in a hundred times by equal distributions.
            assert!(distance(quick, slow) < 0.0365, "n = {n}");
        }
    }

    #[test]
    fn beta_has_its_mean_and_variance() {
        let mut rng = SplitMix64::new(7);
        for (a, b) in [(9.0, 9.0), (9.0, 10.0), (20.0, 9.5), (500_000.0, 500_001.0)] {
            let draws: Vec<f64> = (0..20_000).map(|_| beta(&mut rng, a, b)).collect();
            let mean = draws.iter().sum::<f64>() / 20_000.0;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
            let truth = a * b / ((a + b).powi(2) * (a + b + 1.0));
            assert!((mean - a / (a + b)).abs() < 4.0 * (truth / 20_000.0).sqrt(), "{a} {b}: {mean}");
            assert!((variance / truth - 1.0).abs() < 0.05, "{a} {b}: {variance} and {truth}");
        }
    }
}
