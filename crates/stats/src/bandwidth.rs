//! Peak bandwidth and the sizes that reach shares of it (Hockney's n½).

use crate::curve::Curve;
use crate::error::Error;

/// Bandwidth figures of a curve of time against size.
///
/// The half-performance size is n½ of Hockney ("The communication challenge for MPP", Parallel
/// Computing 20, 1994), read off the measurements instead of computed from two fitted parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bandwidth {
    /// Largest ratio of size to time, in the units of the input.
    pub peak: f64,
    /// Measured size that reaches the peak (the smallest of several).
    pub peak_size: f64,
    /// Smallest size that reaches half of the peak.
    pub half_size: f64,
    /// Smallest size that reaches nine tenths of the peak.
    pub ninety_size: f64,
}

impl Bandwidth {
    /// Computes the figures from points (size, time) in any order. Points of equal size count once
    /// with their median time; size 0 does not count. O(n log n).
    pub fn of(points: &[(f64, f64)]) -> Result<Self, Error> {
        let (rates, (peak_size, peak)) = rates(points)?;
        let size_at = |share: f64| first_reaching(&rates, share * peak);
        Ok(Self { peak, peak_size, half_size: size_at(0.5), ninety_size: size_at(0.9) })
    }

    /// Returns the smallest size that reaches this share of the peak, from the points of
    /// [`Bandwidth::of`]; the size of the peak for shares above 1.
    pub fn size_reaching(points: &[(f64, f64)], share: f64) -> Result<f64, Error> {
        let (rates, (_, peak)) = rates(points)?;
        Ok(first_reaching(&rates, share.min(1.0) * peak))
    }
}

/// A size, and size over time.
type Rate = (f64, f64);

/// Returns the rates by ascending size, and the largest.
fn rates(points: &[(f64, f64)]) -> Result<(Vec<Rate>, Rate), Error> {
    let curve = Curve::new(points)?;
    let rates: Vec<Rate> =
        curve.x.iter().zip(&curve.y).filter(|p| *p.0 > 0.0).map(|(x, y)| (*x, x / y)).collect();
    let first = rates.first().ok_or(Error::TooFew { needed: 1, got: 0 })?;
    let top = rates.iter().fold(*first, |best, p| if p.1 > best.1 { *p } else { best });
    Ok((rates, top))
}

/// Returns the smallest size that reaches `goal`. Between two measured points the rate is
/// interpolated linearly in the logarithm of the size; below the first nothing is extrapolated.
fn first_reaching(rates: &[Rate], goal: f64) -> f64 {
    let place = rates.iter().position(|p| p.1 >= goal).unwrap_or(rates.len() - 1);
    if place == 0 {
        return rates[0].0;
    }
    let (before, after) = (rates[place - 1], rates[place]);
    let share = (goal - before.1) / (after.1 - before.1);
    (before.0 * (after.0 / before.0).powf(share)).clamp(before.0, after.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hockneys_half_size_is_recovered() {
        // Time = 2 + x / 100: the asymptotic half size is 200; a long curve comes close to the
        // asymptote.
        let points: Vec<(f64, f64)> =
            (0..200).map(|i| 2_f64.powf(f64::from(i) / 6.0)).map(|x| (x, 2.0 + x / 100.0)).collect();
        let found = Bandwidth::of(&points).unwrap();
        assert!((found.peak - 100.0).abs() < 0.01, "{found:?}");
        assert!((found.half_size / 200.0 - 1.0).abs() < 0.01, "{found:?}");
        assert!((found.ninety_size / 1800.0 - 1.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn interpolates_in_the_logarithm() {
        // Rates 1 at size 1 and 4 at size 16: half of the peak is a third of the way, 16^(1/3).
        let found = Bandwidth::of(&[(1.0, 1.0), (16.0, 4.0), (0.0, 1.0)]).unwrap();
        assert!((found.half_size - 16_f64.powf(1.0 / 3.0)).abs() < 1e-9);
        assert!((found.peak_size - 16.0).abs() < 1e-12);
    }

    #[test]
    fn any_share_of_the_peak() {
        let points = [(1.0, 1.0), (16.0, 4.0), (64.0, 16.0)];
        let found = Bandwidth::of(&points).unwrap();
        let reaching = |share| Bandwidth::size_reaching(&points, share).unwrap();
        assert_eq!((reaching(0.5), reaching(0.9)), (found.half_size, found.ninety_size));
        assert_eq!((reaching(0.0), reaching(1.0), reaching(2.0)), (1.0, 16.0, 16.0));
        assert_eq!(Bandwidth::size_reaching(&[], 0.5), Err(Error::Empty));
    }

    #[test]
    fn one_point_and_none() {
        let found = Bandwidth::of(&[(8.0, 2.0)]).unwrap();
        assert!((found.half_size - 8.0).abs() < 1e-12 && (found.peak - 4.0).abs() < 1e-12);
        assert_eq!(Bandwidth::of(&[(0.0, 2.0)]), Err(Error::TooFew { needed: 1, got: 0 }));
        assert_eq!(Bandwidth::of(&[]), Err(Error::Empty));
    }
}
