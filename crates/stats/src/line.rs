//! Straight lines: least absolute deviations, least squares, Theil-Sen.

use crate::curve::Curve;
use crate::error::Error;
use crate::lad::Solver;
use crate::summary::median_in_place;

/// The line `intercept + slope * x`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Line {
    /// Value at 0.
    pub intercept: f64,
    /// Growth per unit of x.
    pub slope: f64,
}

impl Line {
    /// Returns the value at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// A least-squares line with the standard errors of its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastSquares {
    /// The line.
    pub line: Line,
    /// Standard error of the intercept; 0 for two points.
    pub intercept_error: f64,
    /// Standard error of the slope; 0 for two points.
    pub slope_error: f64,
    /// Standard deviation of the residuals with n - 2 degrees of freedom; 0 for two points.
    pub residual: f64,
}

/// Returns the line with the least sum of absolute relative residuals `|y - line| / y`, not
/// negative between the first and the last x: a [`crate::Segmentation`] with one segment. Sizes
/// must not be negative, times must be positive; points of equal size count once, with their median
/// time. Typically O(n log n).
pub fn least_absolute(points: &[(f64, f64)]) -> Result<Line, Error> {
    let curve = Curve::new(points)?;
    if curve.len() < 2 {
        return Err(Error::TooFew { needed: 2, got: curve.len() });
    }
    Ok(Solver::default().solve(&curve, 0..curve.len(), (0, curve.len() - 1)).line)
}

/// Returns the line of ordinary least squares (Legendre 1805). Centred sums, so that clock readings
/// far from zero do not cancel. O(n).
pub fn least_squares(points: &[(f64, f64)]) -> Result<LeastSquares, Error> {
    require_two_sizes(points)?;
    let n = points.len() as f64;
    let mean_x = points.iter().map(|p| p.0).sum::<f64>() / n;
    let mean_y = points.iter().map(|p| p.1).sum::<f64>() / n;
    let sxx: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    let sxy: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let slope = sxy / sxx;
    let line = Line { intercept: mean_y - slope * mean_x, slope };
    let squares: f64 = points.iter().map(|p| ((p.1 - mean_y) - slope * (p.0 - mean_x)).powi(2)).sum();
    let residual = if points.len() > 2 { (squares / (n - 2.0)).sqrt() } else { 0.0 };
    Ok(LeastSquares {
        line,
        intercept_error: residual * (1.0 / n + mean_x * mean_x / sxx).sqrt(),
        slope_error: residual / sxx.sqrt(),
        residual,
    })
}

/// Returns the Theil-Sen line: its slope is the median of the slopes of all pairs of points.
///
/// Theil (1950); Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63
/// (1968). Breakdown point 29 %, unweighted: a cross-check of the other fits. O(n^2) time and
/// space.
pub fn theil_sen(points: &[(f64, f64)]) -> Result<Line, Error> {
    require_two_sizes(points)?;
    let mut slopes = Vec::with_capacity(points.len() * (points.len() - 1) / 2);
    for (i, a) in points.iter().enumerate() {
        let apart = points[i + 1..].iter().filter(|b| (b.0 - a.0).abs() > 0.0);
        slopes.extend(apart.map(|b| (b.1 - a.1) / (b.0 - a.0)));
    }
    let slope = median_in_place(&mut slopes);
    let mut rest: Vec<f64> = points.iter().map(|p| p.1 - slope * p.0).collect();
    Ok(Line { intercept: median_in_place(&mut rest), slope })
}

/// Checks that the points are finite and have at least two different x.
fn require_two_sizes(points: &[(f64, f64)]) -> Result<(), Error> {
    let first = points.first().ok_or(Error::Empty)?;
    if let Some(index) = points.iter().position(|p| !p.0.is_finite() || !p.1.is_finite()) {
        return Err(Error::NotFinite { index });
    }
    let apart = points.iter().any(|p| (p.0 - first.0).abs() > 0.0);
    if apart { Ok(()) } else { Err(Error::TooFew { needed: 2, got: 1 }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn exact_lines_are_found_by_all() {
        let points: Vec<(f64, f64)> = (0..20).map(|i| (f64::from(i), 3.0 + 0.5 * f64::from(i))).collect();
        for line in [
            least_squares(&points).unwrap().line,
            theil_sen(&points).unwrap(),
            least_absolute(&points).unwrap(),
        ] {
            near(line.intercept, 3.0);
            near(line.slope, 0.5);
        }
        near(least_squares(&points).unwrap().slope_error, 0.0);
    }

    #[test]
    fn standard_errors_are_those_of_the_textbook() {
        // Worked by hand: x 1..5, y 2 4 5 4 5 has slope 0.6, intercept 2.2, residual variance 2.4 /
        // 3.
        let points = [(1.0, 2.0), (2.0, 4.0), (3.0, 5.0), (4.0, 4.0), (5.0, 5.0)];
        let fit = least_squares(&points).unwrap();
        near(fit.line.slope, 0.6);
        near(fit.line.intercept, 2.2);
        near(fit.residual, 0.8_f64.sqrt());
        near(fit.slope_error, 0.08_f64.sqrt());
        near(fit.intercept_error, (0.8_f64 * (0.2 + 0.9)).sqrt());
    }

    #[test]
    fn robust_lines_ignore_an_outlier() {
        let mut points: Vec<(f64, f64)> = (1..20).map(|i| (f64::from(i), 3.0 + 0.5 * f64::from(i))).collect();
        points[7].1 = 400.0;
        near(theil_sen(&points).unwrap().slope, 0.5);
        near(least_absolute(&points).unwrap().slope, 0.5);
        assert!((least_squares(&points).unwrap().line.intercept - 3.0).abs() > 1.0);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert_eq!(theil_sen(&[]), Err(Error::Empty));
        assert_eq!(least_squares(&[(1.0, 2.0), (1.0, 3.0)]), Err(Error::TooFew { needed: 2, got: 1 }));
        assert_eq!(least_absolute(&[(1.0, 2.0), (1.0, 3.0)]), Err(Error::TooFew { needed: 2, got: 1 }));
        assert_eq!(theil_sen(&[(1.0, 2.0), (f64::NAN, 3.0)]), Err(Error::NotFinite { index: 1 }));
    }
}
