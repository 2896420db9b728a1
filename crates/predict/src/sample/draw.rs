//! Draws parameters from their intervals.

use panto_random::SplitMix64;

use super::Figure;

/// Standard deviations from the mean within which 95% of a normal distribution lie.
const WIDTH: f64 = 1.959_963_984_540_054;

/// One sample of the parameters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draw {
    /// The logarithm of each parameter.
    pub(super) logs: Vec<f64>,
}

impl Draw {
    /// Returns the parameters.
    pub(super) fn values(&self) -> Vec<f64> {
        self.logs.iter().map(|log| log.exp()).collect()
    }
}

/// Returns `count` samples; a larger count starts with the same samples.
pub(super) fn draws(figures: &[Figure], count: usize, seed: u64) -> Vec<Draw> {
    let mut rng = SplitMix64::new(seed);
    let mut one = || Draw { logs: figures.iter().map(|figure| log_of(figure, rng.normal())).collect() };
    (0..count).map(|_| one()).collect()
}

fn log_of(figure: &Figure, normal: f64) -> f64 {
    let (low, high) = (figure.low.ln(), figure.high.ln());
    f64::midpoint(low, high) + normal * (high - low) / (2.0 * WIDTH)
}

/// Returns Pearson's correlation coefficient; 0 if one of both is constant.
pub(super) fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(a, b)| of(a - mean_a, b - mean_b)).sum()
    };
    let scale = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    if scale > 0.0 { sum(&|a, b| a * b) / scale } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_are_normal() {
        let mut rng = SplitMix64::new(1);
        let numbers: Vec<f64> = (0..100_000).map(|_| rng.normal()).collect();
        let share = |within: f64| numbers.iter().filter(|n| n.abs() < within).count() as f64 / 1e5;
        assert!((share(1.0) - 0.6827).abs() < 0.005 && (share(WIDTH) - 0.95).abs() < 0.003);
        assert!(numbers.iter().sum::<f64>().abs() / 1e5 < 0.01);
    }

    #[test]
    fn correlation_of_linear_data() {
        assert!((correlation(&[1.0, 2.0, 4.0], &[3.0, 5.0, 9.0]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        assert!(correlation(&[1.0, 1.0], &[1.0, 2.0]).abs() < 1e-12);
    }
}
