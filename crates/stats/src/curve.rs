//! Validated points of a curve, with the weights of relative residuals.

use crate::error::Error;
use crate::summary::median_in_place;

/// Time against size: ascending distinct sizes, positive times, and the weight 1/time of each
/// point.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) weight: Vec<f64>,
}

impl Curve {
    /// Sorts by size and merges equal sizes by the median of their times. O(n log n).
    pub(crate) fn new(points: &[(f64, f64)]) -> Result<Self, Error> {
        check(points)?;
        let mut sorted = points.to_vec();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let merged = sorted.chunk_by(|a, b| a.0 >= b.0).map(merge);
        let (x, y): (Vec<f64>, Vec<f64>) = merged.unzip();
        let weight = y.iter().map(|y| 1.0 / y).collect();
        Ok(Self { x, y, weight })
    }

    pub(crate) fn len(&self) -> usize {
        self.x.len()
    }

    /// Returns the points whose index `keep` accepts.
    pub(crate) fn filter(&self, keep: impl Fn(usize) -> bool) -> Self {
        let pick = |values: &[f64]| (0..values.len()).filter(|&k| keep(k)).map(|k| values[k]).collect();
        Self { x: pick(&self.x), y: pick(&self.y), weight: pick(&self.weight) }
    }
}

/// Checks that sizes and times are finite, sizes not negative, times positive.
pub(crate) fn check(points: &[(f64, f64)]) -> Result<(), Error> {
    if points.is_empty() {
        return Err(Error::Empty);
    }
    points.iter().enumerate().try_for_each(|(index, &(x, y))| check_point(index, x, y))
}

fn check_point(index: usize, x: f64, y: f64) -> Result<(), Error> {
    match () {
        () if !x.is_finite() || !y.is_finite() => Err(Error::NotFinite { index }),
        () if x < 0.0 => Err(Error::Negative { index, value: x }),
        () if y < 0.0 => Err(Error::Negative { index, value: y }),
        // Subnormal times would overflow the weight.
        () if y < f64::MIN_POSITIVE => Err(Error::Zero { index }),
        () => Ok(()),
    }
}

fn merge(same: &[(f64, f64)]) -> (f64, f64) {
    let mut times: Vec<f64> = same.iter().map(|p| p.1).collect();
    (same[0].0, median_in_place(&mut times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_and_merges() {
        let curve = Curve::new(&[(4.0, 1.0), (0.0, 2.0), (4.0, 9.0), (4.0, 3.0), (-0.0, 4.0)]).unwrap();
        assert_eq!(curve.x, [0.0, 4.0]);
        assert_eq!(curve.y, [3.0, 3.0]);
    }

    #[test]
    fn bad_points_are_named() {
        assert!(matches!(Curve::new(&[]), Err(Error::Empty)));
        assert!(matches!(Curve::new(&[(1.0, 1.0), (f64::NAN, 1.0)]), Err(Error::NotFinite { index: 1 })));
        assert!(matches!(Curve::new(&[(-1.0, 1.0)]), Err(Error::Negative { .. })));
        assert!(matches!(Curve::new(&[(1.0, 0.0)]), Err(Error::Zero { index: 0 })));
    }
}
