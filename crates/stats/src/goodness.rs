//! Goodness of fit: relative residuals about a curve.

use crate::error::Error;
use crate::summary::interpolate;

/// Goodness of fit: the residuals of points about a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Goodness {
    /// Median of the absolute relative residuals.
    pub median: f64,
    /// 95th percentile of the absolute relative residuals.
    pub p95: f64,
    /// Largest absolute relative residual.
    pub worst: f64,
    /// Size of the largest residual.
    pub worst_x: f64,
    /// All residuals, in the order of the points.
    pub residuals: Vec<Residual>,
}

/// A measured point beside its prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Size.
    pub x: f64,
    /// Measured time.
    pub measured: f64,
    /// Predicted time.
    pub predicted: f64,
}

impl Residual {
    /// Returns `predicted / measured - 1`: -0.1 if the prediction is a tenth too low.
    pub fn relative(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

impl Goodness {
    /// Compares points (size, time) with a function of the size. Times must be positive. O(n log
    /// n).
    pub fn of(points: &[(f64, f64)], curve: impl Fn(f64) -> f64) -> Result<Self, Error> {
        let beside = points.iter().map(|&(x, measured)| Residual { x, measured, predicted: curve(x) });
        Self::from_residuals(beside.collect())
    }

    /// Summarises residuals of any model. O(n log n).
    pub fn from_residuals(residuals: Vec<Residual>) -> Result<Self, Error> {
        if residuals.is_empty() {
            return Err(Error::Empty);
        }
        if let Some(index) = residuals.iter().position(|r| r.measured <= 0.0 || r.measured.is_nan()) {
            return Err(Error::Zero { index });
        }
        if let Some(index) = residuals.iter().position(|r| !r.relative().is_finite()) {
            return Err(Error::NotFinite { index });
        }
        let size_of = |r: &Residual| r.relative().abs();
        let first = residuals[0];
        let worst =
            residuals.iter().fold(first, |worst, r| if size_of(r) > size_of(&worst) { *r } else { worst });
        let mut sizes: Vec<f64> = residuals.iter().map(size_of).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        let at = |q| interpolate(&sizes, q);
        Ok(Self { median: at(0.5), p95: at(0.95), worst: size_of(&worst), worst_x: worst.x, residuals })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_relative_to_what_was_measured() {
        let points = [(1.0, 10.0), (2.0, 20.0), (4.0, 50.0)];
        let found = Goodness::of(&points, |x| 10.0 * x).unwrap();
        assert!((found.worst - 0.2).abs() < 1e-12 && (found.worst_x - 4.0).abs() < 1e-12);
        assert!(found.median.abs() < 1e-12 && (found.p95 - 0.18).abs() < 1e-12);
        assert!((found.residuals[2].relative() + 0.2).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_divided_is_an_error() {
        assert_eq!(Goodness::of(&[], |x| x), Err(Error::Empty));
        assert_eq!(Goodness::of(&[(1.0, 0.0)], |x| x), Err(Error::Zero { index: 0 }));
        assert_eq!(Goodness::of(&[(1.0, 1.0)], |_| f64::NAN), Err(Error::NotFinite { index: 0 }));
    }
}
