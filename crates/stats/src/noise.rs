//! Noise of a curve from second differences, without a model of the curve.

use crate::curve::Curve;
use crate::summary::median_in_place;

/// Ratio of mean and median absolute deviation of normal noise: 0.7979 / 0.6745.
const MEAN_OVER_MEDIAN: f64 = 1.183;

/// Estimates the mean absolute relative noise of curves without a model of them; never below
/// `floor`.
///
/// Each inner point is compared with the straight line between its two neighbours, and the
/// difference divided by what its variance grows to (Gasser, Sroka & Jennen-Steinmetz, "Residual
/// variance and residual pattern in nonlinear regression", Biometrika 73, 1986). The median of
/// these pseudo-residuals is taken, so that breakpoints and outliers, each of which spoils three of
/// them, do not count as noise. O(n).
///
/// The median of a few values is often too small by chance, and noise would then look like
/// structure; so the estimate is enlarged for short curves. The factor 3 was chosen by simulation
/// among 1.5, 2 and 3: with it, false segments stay at or below about 2 % from 6 evenly spread
/// points to 100.
///
/// Several curves are assumed to be equally noisy.
pub(crate) fn noise<'a>(curves: impl IntoIterator<Item = &'a Curve>, floor: f64) -> f64 {
    let inner = |curve: &'a Curve| (1..curve.len().saturating_sub(1)).map(|i| pseudo_residual(curve, i));
    let mut pseudo: Vec<f64> = curves.into_iter().flat_map(inner).collect();
    if pseudo.is_empty() {
        return floor;
    }
    let caution = 1.0 + 3.0 / (pseudo.len() as f64).sqrt();
    (median_in_place(&mut pseudo) * MEAN_OVER_MEDIAN * caution).max(floor)
}

fn pseudo_residual(curve: &Curve, i: usize) -> f64 {
    let share = (curve.x[i + 1] - curve.x[i]) / (curve.x[i + 1] - curve.x[i - 1]);
    let (left, right) = (share * curve.y[i - 1], (1.0 - share) * curve.y[i + 1]);
    let spread = (curve.y[i].powi(2) + left.powi(2) + right.powi(2)).sqrt();
    (curve.y[i] - left - right).abs() / spread
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;

    fn curve(noise: f64) -> Curve {
        let mut rng = SplitMix64::new(91);
        let line = |x: f64| 5.0 + 0.1 * x;
        let points: Vec<(f64, f64)> =
            (0..400).map(|i| f64::from(i * i)).map(|x| (x, line(x) * (1.0 + noise * rng.normal()))).collect();
        Curve::new(&points).unwrap()
    }

    #[test]
    fn measures_normal_noise() {
        // Mean absolute deviation 0.8 of the standard deviation, times the caution of 1.15 for 398
        // values.
        let found = noise([&curve(0.03)], 0.001);
        assert!((found / (0.03 * 0.798 * 1.15) - 1.0).abs() < 0.1, "{found}");
    }

    #[test]
    fn ignores_breaks_and_outliers() {
        let clean = noise([&curve(0.03)], 0.001);
        let mut broken = curve(0.03);
        broken.y[100..200].iter_mut().for_each(|y| *y *= 1.5);
        (0..400).step_by(40).for_each(|i| broken.y[i] *= 3.0);
        assert!((noise([&broken], 0.001) / clean - 1.0).abs() < 0.25);
    }

    #[test]
    fn has_a_floor() {
        assert!((noise([&curve(0.0)], 0.001) - 0.001).abs() < 1e-12);
        assert!((noise([&Curve::new(&[(1.0, 1.0)]).unwrap()], 0.001) - 0.001).abs() < 1e-12);
    }
}
