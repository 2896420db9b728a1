//! Intervals of lines by resampling residuals (Efron & Tibshirani 1993, chapter 9).

use crate::bootstrap::percentiles;
use crate::curve::Curve;
use crate::interval::Interval;
use crate::lad::Solver;
use crate::line::Line;
use panto_random::SplitMix64;
use std::ops::Range;

/// A residual bootstrap: the lines of a finished fit, with all that is needed to resample it with
/// other noise.
pub(crate) struct ResidualBootstrap<'a> {
    curve: &'a Curve,
    /// Relative residuals of the whole fit, enlarged for the parameters spent.
    residuals: Vec<f64>,
    resamples: usize,
}

impl<'a> ResidualBootstrap<'a> {
    /// Pools the relative residuals of all segments, since a segment of three points has one that
    /// is not zero. Each line passes through two of its points, so the residuals are enlarged by n
    /// / (n - 2 k).
    pub(crate) fn new(curve: &'a Curve, parts: &[(Range<usize>, Line)], resamples: usize) -> Self {
        let n = curve.len() as f64;
        let enlarge = n / (n - 2.0 * parts.len() as f64).max(1.0);
        let one = |k: usize, line: &Line| enlarge * curve.weight[k] * (curve.y[k] - line.at(curve.x[k]));
        let residuals =
            parts.iter().flat_map(|(range, line)| range.clone().map(move |k| one(k, line))).collect();
        Self { curve, residuals, resamples }
    }

    /// Returns 95 % intervals of intercept and slope of one segment, given its ends.
    ///
    /// Residuals are resampled, not points (Efron & Tibshirani, "An Introduction to the Bootstrap",
    /// 1993, chapter 9): the sizes were chosen by the experimenter, and resampling points of a
    /// short segment would often leave no two different sizes. The intervals are percentiles,
    /// widened to contain the estimate where they do not. In simulation (one line, 30 sizes, 3 %
    /// noise) they contain the truth in 92 to 93 of a hundred cases. O(resamples * n), from the
    /// known line as the start of each search.
    pub(crate) fn intervals(
        &self,
        range: Range<usize>,
        line: Line,
        rng: &mut SplitMix64,
    ) -> (Interval, Interval) {
        let mut copy = self.part(range.clone());
        let mut solver = Solver::default();
        let ends = (0, range.len() - 1);
        let (mut intercepts, mut slopes) = (Vec::new(), Vec::new());
        for _ in 0..self.resamples {
            self.draw(&mut copy, range.start, line, rng);
            let found = solver.solve(&copy, 0..range.len(), ends).line;
            intercepts.push(found.intercept);
            slopes.push(found.slope);
        }
        (around(intercepts, line.intercept), around(slopes, line.slope))
    }

    fn part(&self, range: Range<usize>) -> Curve {
        Curve {
            x: self.curve.x[range.clone()].to_vec(),
            y: self.curve.y[range.clone()].to_vec(),
            weight: self.curve.weight[range].to_vec(),
        }
    }

    fn draw(&self, copy: &mut Curve, offset: usize, line: Line, rng: &mut SplitMix64) {
        for k in 0..copy.x.len() {
            let noise = self.residuals[rng.index(self.residuals.len())];
            copy.y[k] = (line.at(copy.x[k]) + noise * self.curve.y[offset + k]).max(0.0);
        }
    }
}

/// Returns the central 95 % of the estimates, widened to contain the estimate itself.
pub(crate) fn around(mut estimates: Vec<f64>, centre: f64) -> Interval {
    let found = percentiles(&mut estimates, 0.95).unwrap_or(Interval { low: centre, high: centre });
    Interval { low: found.low.min(centre), high: found.high.max(centre) }
}
