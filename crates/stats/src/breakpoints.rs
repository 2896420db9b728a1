//! Breakpoints: where a segment ends, and the confidence interval of the place.

use crate::curve::Curve;
use crate::fit::Breakpoint;
use crate::interval::Interval;
use crate::lad::{Solver, cost};
use crate::line::Line;
use std::ops::Range;

/// Cost, in units of noise, by which the true breakpoint exceeds the best one in at most 5 % of the
/// cases.
///
/// Half of 7.35, the 95 % point of the likelihood ratio of a threshold (Hansen, "Sample splitting
/// and threshold estimation", Econometrica 68, 2000): its distribution is (1 - exp(-x / 2))^2.
const ALLOWANCE: f64 = 3.675;

/// A range of points and its line.
pub(crate) type FittedRange = (Range<usize>, Line);

/// Finds breakpoints and their intervals.
pub(crate) struct Breaks<'a> {
    pub(crate) curve: &'a Curve,
    pub(crate) min_points: usize,
    /// Largest contribution of one residual, as in the choice of the partition.
    pub(crate) cap: f64,
    pub(crate) noise: f64,
}

impl Breaks<'_> {
    /// Returns the breakpoint between two neighbouring segments.
    pub(crate) fn between(&self, before: &FittedRange, behind: &FittedRange) -> Breakpoint {
        let cut = behind.0.start;
        let (last, first) = (self.curve.x[cut - 1], self.curve.x[cut]);
        let crossing = (behind.1.intercept - before.1.intercept) / (before.1.slope - behind.1.slope);
        let inside = last < crossing && crossing < first;
        let at = if inside { crossing } else { f64::midpoint(last, first) };
        Breakpoint { last, first, at, interval: self.interval(before.0.start, cut, behind.0.end) }
    }

    /// Returns the range of all breakpoints, between those next to it, whose cost is within the
    /// allowance of the best. O(n) lines.
    fn interval(&self, start: usize, best: usize, end: usize) -> Interval {
        let mut solver = Solver::default();
        let mut cost_of = |range: Range<usize>| {
            let line = solver.solve(self.curve, range.clone(), (range.start, range.end - 1)).line;
            cost(self.curve, range, line, self.cap)
        };
        let mut penalty = |cut: usize| cost_of(start..cut) + cost_of(cut..end);
        let limit = penalty(best) + ALLOWANCE * self.noise;
        let cuts = start + self.min_points..=end - self.min_points;
        let (mut low, mut high) = (best, best);
        for cut in cuts.filter(|cut| penalty(*cut) <= limit) {
            low = low.min(cut);
            high = high.max(cut);
        }
        Interval { low: self.curve.x[low - 1], high: self.curve.x[high] }
    }
}
