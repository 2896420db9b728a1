//! The result of a segmented regression.

use crate::error::Error;
use crate::goodness::Goodness;
use crate::interval::Interval;
use crate::line::Line;

/// One segment of a piecewise linear fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Smallest measured size.
    pub from_x: f64,
    /// Largest measured size.
    pub to_x: f64,
    /// Time at size 0, extrapolated; may be negative.
    pub intercept: f64,
    /// Time per unit of size.
    pub slope: f64,
    /// Number of distinct sizes.
    pub points: usize,
    /// Mean absolute relative residual.
    pub residual: f64,
    /// Theil-Sen line through the same points, which weighs all pairs equally: a cross-check.
    pub theil_sen: Line,
    /// 95 % interval of the intercept, for given breakpoints.
    pub intercept_interval: Interval,
    /// 95 % interval of the slope, for given breakpoints.
    pub slope_interval: Interval,
}

impl Segment {
    /// Returns the line of the segment.
    pub fn line(&self) -> Line {
        Line { intercept: self.intercept, slope: self.slope }
    }

    /// Returns the largest relative difference between the line and its cross-check at the ends of
    /// the segment.
    pub fn disagreement(&self) -> f64 {
        let at = |x: f64| (self.theil_sen.at(x) / self.line().at(x) - 1.0).abs();
        at(self.from_x).max(at(self.to_x))
    }
}

/// Boundary of two segments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breakpoint {
    /// Largest measured size of the segment before.
    pub last: f64,
    /// Smallest measured size of the segment after.
    pub first: f64,
    /// Best estimate between the two: where the lines cross, or the middle if they do not cross
    /// there.
    pub at: f64,
    /// 95 % interval, from one measured size to another, given the other breakpoints.
    pub interval: Interval,
}

/// A piecewise linear fit of time against size.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Segments by ascending size; at least one.
    pub segments: Vec<Segment>,
    /// Breakpoints, one fewer than segments.
    pub breakpoints: Vec<Breakpoint>,
    /// Sum of the absolute relative residuals, without penalty or cap.
    pub cost: f64,
    /// Mean absolute relative residual.
    pub residual: f64,
    /// Mean absolute relative noise that the penalty assumed.
    pub noise: f64,
}

impl Fit {
    /// Returns the time at size `x`, never negative; the first and the last segment extend beyond
    /// the measured sizes.
    pub fn predict(&self, x: f64) -> f64 {
        self.segment(x).line().at(x).max(0.0)
    }

    /// Returns the residuals of points (size, time) about the fit.
    pub fn goodness(&self, points: &[(f64, f64)]) -> Result<Goodness, Error> {
        Goodness::of(points, |x| self.predict(x))
    }

    /// Returns the segment of size `x`.
    pub fn segment(&self, x: f64) -> &Segment {
        &self.segments[self.breakpoints.partition_point(|b| b.at < x)]
    }
}
