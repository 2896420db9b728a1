//! Segmented regression: exact, with least absolute relative residuals and a penalty for each
//! segment.

use crate::curve::Curve;
use crate::error::Error;
use crate::fit::Fit;
use crate::noise::noise;
use crate::partition::{Partition, partitions};

/// Penalty of a further segment in units of noise, times ln n; see [`Segmentation::fit`].
const PENALTY: f64 = 2.0;

/// Segmented regression: how to divide a curve of time against size into straight segments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segmentation {
    /// Least number of distinct sizes in a segment, at least 2.
    pub min_points: usize,
    /// Largest number of segments, at least 1.
    pub max_segments: usize,
    /// Relative deviations of this size are never taken for structure, however clean the data.
    pub noise_floor: f64,
    /// Largest contribution of an outlier to the choice of breakpoints, as a share of the penalty
    /// of a segment. Below 1 a single one does not justify a segment, above 0.5 four in a row do;
    /// infinity counts all residuals in full.
    pub cap: f64,
    /// Resamples for the intervals of the parameters.
    pub resamples: usize,
    /// Seed of the resampling.
    pub seed: u64,
}

impl Default for Segmentation {
    fn default() -> Self {
        Self {
            min_points: 3,
            max_segments: 8,
            noise_floor: 0.001,
            cap: 0.75,
            resamples: 400,
            seed: 0x7061_6e74,
        }
    }
}

impl Segmentation {
    /// Returns the optimal segmentation of points (size, time), and the optimal line of each
    /// segment.
    ///
    /// A line minimises the sum of `|y - line| / y`: relative, because a microsecond matters in a
    /// latency and not in a transfer of a megabyte; absolute, because an outlier must not bend the
    /// line. It is not negative on its segment. Lines need not meet (a protocol switch is a jump)
    /// and may fall (it may pay). Points of equal size count once, with their median time.
    ///
    /// The number k of segments minimises `cost / noise + 2 (k - 1) ln n`. With Laplace noise of
    /// known scale the first term is the negative log-likelihood, and Schwarz's criterion (BIC)
    /// would charge half of ln n for each parameter, here three per segment (line and breakpoint).
    /// A breakpoint chosen from n places gains more by chance than an ordinary parameter does
    /// (Zhang & Siegmund, "A modified Bayes information criterion", Biometrics 63, 2007), so the
    /// charge is a third more. The noise is estimated from neighbouring points and not from the
    /// residuals: those of an overfitted curve are small, and would favour it.
    ///
    /// In simulations one line with 3 % of normal noise gets a second segment in one or two curves
    /// of a hundred, also when every twentieth point is an outlier. A jump of 20 % over the last
    /// four sizes, or a slope steeper by 30 %, is found from 16 to 24 sizes on; in fewer sizes only
    /// sometimes, for one tilted line can fit both parts. A hump of four sizes in the middle needs
    /// two breakpoints: at this noise 100 sizes show it in two curves of three, at 2 % 48 suffice.
    /// (400 curves each of 6 to 100 sizes, evenly spread in the logarithm. Random sizes lie close
    /// together by chance, and lines through such pairs are free to tilt: then 8 to 20 sizes give a
    /// false segment in four of a hundred.)
    ///
    /// O(n^3) at worst for n distinct sizes, O(n^2) lines; memory O(n^2).
    pub fn fit(&self, points: &[(f64, f64)]) -> Result<Fit, Error> {
        let curve = self.curve(points)?;
        let noise = noise([&curve], self.noise_floor);
        let best = self.best_partition(&curve, penalty(noise, curve.len()));
        Ok(self.assemble(&curve, &best, noise))
    }

    /// Returns the points as a curve, if they and the settings allow a fit.
    pub(crate) fn curve(&self, points: &[(f64, f64)]) -> Result<Curve, Error> {
        self.check()?;
        let curve = Curve::new(points)?;
        if curve.len() < self.min_points {
            return Err(Error::TooFew { needed: self.min_points, got: curve.len() });
        }
        Ok(curve)
    }

    /// Returns the partition of least penalised cost; the fewest segments among equals.
    pub(crate) fn best_partition(&self, curve: &Curve, penalty: f64) -> Partition {
        let candidates = partitions(curve, self.min_points, self.max_segments, self.cap * penalty);
        let fewest_first = candidates.into_iter();
        fewest_first
            .reduce(|best, p| if p.penalised(penalty) < best.penalised(penalty) { p } else { best })
            .unwrap_or_default()
    }

    fn check(&self) -> Result<(), Error> {
        if self.min_points < 2 {
            return Err(Error::Setting { name: "min_points", rule: "must be at least 2" });
        }
        if self.max_segments < 1 {
            return Err(Error::Setting { name: "max_segments", rule: "must be at least 1" });
        }
        if !(self.noise_floor > 0.0 && self.noise_floor.is_finite()) {
            return Err(Error::Setting { name: "noise_floor", rule: "must be positive" });
        }
        if self.cap.is_nan() || self.cap <= 0.0 {
            return Err(Error::Setting { name: "cap", rule: "must be positive" });
        }
        Ok(())
    }
}

/// Returns the penalty of a segment for `n` sizes; see [`Segmentation::fit`].
pub(crate) fn penalty(noise: f64, n: usize) -> f64 {
    noise * PENALTY * (n as f64).ln()
}
