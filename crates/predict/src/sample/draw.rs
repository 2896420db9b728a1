//! Draws figures from their intervals.

use panto_stats::Rng;

use super::Figure;

/// 95 % of a normal distribution lie within so many standard deviations of its mean.
const WIDTH: f64 = 1.959_963_984_540_054;

/// One machine of those that may be.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draw {
    /// The logarithm of each figure.
    pub(super) logs: Vec<f64>,
}

impl Draw {
    /// The figures.
    pub(super) fn values(&self) -> Vec<f64> {
        self.logs.iter().map(|log| log.exp()).collect()
    }
}

/// So many machines. The first of a thousand are the same as the first of a hundred.
pub(super) fn draws(figures: &[Figure], count: usize, seed: u64) -> Vec<Draw> {
    let mut rng = Rng::new(seed);
    let mut one = || Draw { logs: figures.iter().map(|figure| log_of(figure, normal(&mut rng))).collect() };
    (0..count).map(|_| one()).collect()
}

fn log_of(figure: &Figure, normal: f64) -> f64 {
    let (low, high) = (figure.low.ln(), figure.high.ln());
    f64::midpoint(low, high) + normal * (high - low) / (2.0 * WIDTH)
}

/// A standard normal number, by the method of Box and Muller (1958).
fn normal(rng: &mut Rng) -> f64 {
    let (distance, angle) = (1.0 - rng.unit(), rng.unit());
    (-2.0 * distance.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// Pearson's; 0 where one of both does not vary.
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
        let mut rng = Rng::new(1);
        let numbers: Vec<f64> = (0..100_000).map(|_| normal(&mut rng)).collect();
        let share = |within: f64| numbers.iter().filter(|n| n.abs() < within).count() as f64 / 1e5;
        assert!((share(1.0) - 0.6827).abs() < 0.005 && (share(WIDTH) - 0.95).abs() < 0.003);
        assert!(numbers.iter().sum::<f64>().abs() / 1e5 < 0.01);
    }

    #[test]
    fn what_goes_together_correlates() {
        assert!((correlation(&[1.0, 2.0, 4.0], &[3.0, 5.0, 9.0]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        assert!(correlation(&[1.0, 1.0], &[1.0, 2.0]).abs() < 1e-12);
    }
}
