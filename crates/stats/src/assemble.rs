//! From a partition of the sizes to fitted segments with intervals.

use crate::breakpoints::{Breaks, FittedRange};
use crate::curve::Curve;
use crate::fit::{Fit, Segment};
use crate::lad::{Solver, cost};
use crate::line::{Line, theil_sen};
use crate::partition::Partition;
use crate::residual_bootstrap::ResidualBootstrap;
use crate::segmentation::{Segmentation, penalty};
use panto_random::SplitMix64;
use std::ops::Range;

impl Segmentation {
    /// Returns the fitted segments of a partition, with their intervals.
    pub(crate) fn assemble(&self, curve: &Curve, best: &Partition, noise: f64) -> Fit {
        let parts = solve_parts(curve, best);
        let redraw = ResidualBootstrap::new(curve, &parts, self.resamples);
        let mut rng = SplitMix64::new(self.seed);
        let segments =
            parts.iter().map(|(range, line)| segment(curve, range, *line, &redraw, &mut rng)).collect();
        let cost = parts.iter().map(|(range, line)| full_cost(curve, range, *line)).sum::<f64>();
        let cap = self.cap * penalty(noise, curve.len());
        let breaks = Breaks { curve, min_points: self.min_points, cap, noise };
        let breakpoints = parts.windows(2).map(|pair| breaks.between(&pair[0], &pair[1])).collect();
        Fit { segments, breakpoints, cost, residual: cost / curve.len() as f64, noise }
    }
}

fn solve_parts(curve: &Curve, division: &Partition) -> Vec<FittedRange> {
    let mut solver = Solver::default();
    let mut solve =
        |range: Range<usize>| solver.solve(curve, range.clone(), (range.start, range.end - 1)).line;
    division.ranges(curve.len()).map(|range| (range.clone(), solve(range))).collect()
}

fn segment(
    curve: &Curve,
    range: &Range<usize>,
    line: Line,
    redraw: &ResidualBootstrap,
    rng: &mut SplitMix64,
) -> Segment {
    let (intercept_interval, slope_interval) = redraw.intervals(range.clone(), line, rng);
    let points: Vec<(f64, f64)> = range.clone().map(|k| (curve.x[k], curve.y[k])).collect();
    Segment {
        from_x: curve.x[range.start],
        to_x: curve.x[range.end - 1],
        intercept: line.intercept,
        slope: line.slope,
        points: range.len(),
        residual: full_cost(curve, range, line) / range.len() as f64,
        theil_sen: theil_sen(&points).unwrap_or(line),
        intercept_interval,
        slope_interval,
    }
}

fn full_cost(curve: &Curve, range: &Range<usize>, line: Line) -> f64 {
    cost(curve, range.clone(), line, f64::INFINITY)
}
