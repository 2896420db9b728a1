use crate::error::Error;
use crate::goodness::Goodness;
use crate::interval::Interval;
use crate::line::Line;

/// One straight piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Smallest measured size.
    pub from_x: f64,
    /// Largest measured size.
    pub to_x: f64,
    /// Time at size 0, if the line went on to there; may be negative.
    pub intercept: f64,
    /// Time for each further unit of size.
    pub slope: f64,
    /// Number of distinct sizes.
    pub points: usize,
    /// Mean absolute relative residual.
    pub residual: f64,
    /// The line of Theil and Sen through the same points, which looks at all pairs and weighs none: a cross-check.
    pub theil_sen: Line,
    /// 95 % interval of the intercept, for given breakpoints.
    pub intercept_interval: Interval,
    /// 95 % interval of the slope, for given breakpoints.
    pub slope_interval: Interval,
}

impl Segment {
    /// The line of the segment.
    pub fn line(&self) -> Line {
        Line { intercept: self.intercept, slope: self.slope }
    }

    /// How far the cross-check is from the line at the ends of the segment, as a fraction of the line, at worst.
    pub fn disagreement(&self) -> f64 {
        let at = |x: f64| (self.theil_sen.at(x) / self.line().at(x) - 1.0).abs();
        at(self.from_x).max(at(self.to_x))
    }
}

/// Where one segment ends and the next begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breakpoint {
    /// Largest measured size of the segment before.
    pub last: f64,
    /// Smallest measured size of the segment behind.
    pub first: f64,
    /// The best guess between the two: where the lines cross, or the middle when they do not cross there.
    pub at: f64,
    /// 95 % interval of the place, from one measured size to another, the other breakpoints being taken as known.
    pub interval: Interval,
}

/// A curve of time against size as straight pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The pieces by ascending size; at least one.
    pub segments: Vec<Segment>,
    /// One fewer than segments.
    pub breakpoints: Vec<Breakpoint>,
    /// Sum of the absolute relative residuals, without penalty or cap.
    pub cost: f64,
    /// Mean absolute relative residual.
    pub residual: f64,
    /// The mean absolute relative noise that the penalty assumed.
    pub noise: f64,
}

impl Fit {
    /// The time at size `x`; the first and the last piece go on outside of the measured sizes. Never negative.
    pub fn predict(&self, x: f64) -> f64 {
        self.segment(x).line().at(x).max(0.0)
    }

    /// How well the pieces meet points (size, time), those that they were made from or others.
    pub fn goodness(&self, points: &[(f64, f64)]) -> Result<Goodness, Error> {
        Goodness::of(points, |x| self.predict(x))
    }

    /// The segment that is in force at size `x`.
    pub fn segment(&self, x: f64) -> &Segment {
        &self.segments[self.breakpoints.partition_point(|b| b.at < x)]
    }
}
