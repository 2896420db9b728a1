//! Where a segment ends, and how sure that is.

use crate::curve::Curve;
use crate::fit::Breakpoint;
use crate::interval::Interval;
use crate::lad::{Solver, cost};
use crate::line::Line;
use std::ops::Range;

/// Units of noise by which the true place of a break is dearer than the best one, in 95 of a hundred cases.
///
/// Half of 7.35, the 95 % point of the likelihood ratio of a threshold (Hansen, "Sample splitting and threshold
/// estimation", Econometrica 68, 2000): its distribution is (1 - exp(-x / 2))^2.
const ALLOWANCE: f64 = 3.675;

/// A piece of the curve and its line.
pub(crate) type Part = (Range<usize>, Line);

/// What the search for the places of breaks needs to know.
pub(crate) struct Breaks<'a> {
    pub(crate) curve: &'a Curve,
    pub(crate) min_points: usize,
    /// A residual counts up to this, as in the choice of the division.
    pub(crate) cap: f64,
    pub(crate) noise: f64,
}

impl Breaks<'_> {
    /// The break between two neighbouring pieces.
    pub(crate) fn between(&self, before: &Part, behind: &Part) -> Breakpoint {
        let cut = behind.0.start;
        let (last, first) = (self.curve.x[cut - 1], self.curve.x[cut]);
        let crossing = (behind.1.intercept - before.1.intercept) / (before.1.slope - behind.1.slope);
        let inside = last < crossing && crossing < first;
        let at = if inside { crossing } else { f64::midpoint(last, first) };
        Breakpoint { last, first, at, interval: self.interval(before.0.start, cut, behind.0.end) }
    }

    /// All places between the neighbouring breaks where the cost is not much above that of the best: O(n) lines.
    fn interval(&self, start: usize, best: usize, end: usize) -> Interval {
        let mut solver = Solver::default();
        let mut cost_of = |range: Range<usize>| {
            let line = solver.solve(self.curve, range.clone(), (range.start, range.end - 1)).line;
            cost(self.curve, range, line, self.cap)
        };
        let mut price = |cut: usize| cost_of(start..cut) + cost_of(cut..end);
        let limit = price(best) + ALLOWANCE * self.noise;
        let cuts = start + self.min_points..=end - self.min_points;
        let (mut low, mut high) = (best, best);
        for cut in cuts.filter(|cut| price(*cut) <= limit) {
            low = low.min(cut);
            high = high.max(cut);
        }
        Interval { low: self.curve.x[low - 1], high: self.curve.x[high] }
    }
}
