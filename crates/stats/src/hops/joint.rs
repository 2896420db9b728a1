//! Lines and the time of a hop fitted together, for given breakpoints.

use super::HopPoint;
use crate::curve::Curve;
use crate::lad::{Solver, Vertex, cost};
use crate::partition::Partition;
use panto_random::SplitMix64;
use std::ops::Range;

/// Share of the bracket that a step of the golden-section search leaves.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Steps for an estimate: the bracket shrinks by 10^16.
const FINE_STEPS: usize = 78;

/// Steps for one resample: the bracket shrinks by 10^6.
const COARSE_STEPS: usize = 30;

/// Points by size and distance, with what is needed to solve for one h after the other.
pub(super) struct Joint {
    /// Times less those of the hops; several distances at one size.
    curve: Curve,
    times: Vec<f64>,
    further: Vec<f64>,
    segments: Vec<Range<usize>>,
    vertices: Vec<Vertex>,
    solver: Solver,
}

impl Joint {
    /// Takes a partition of distinct sizes; here a segment counts points.
    pub(super) fn new(points: &[HopPoint], division: &Partition) -> Self {
        let x: Vec<f64> = points.iter().map(|p| p.x).collect();
        let times: Vec<f64> = points.iter().map(|p| p.y).collect();
        let weight = times.iter().map(|y| 1.0 / y).collect();
        let firsts: Vec<usize> = (0..x.len()).filter(|&k| k == 0 || x[k] > x[k - 1]).collect();
        let starts: Vec<usize> = division.starts.iter().map(|&start| firsts[start]).collect();
        let segments: Vec<Range<usize>> = Partition { cost: 0.0, starts }.ranges(x.len()).collect();
        let vertices = segments.iter().map(|range| (range.start, range.end - 1)).collect();
        Self {
            curve: Curve { x, y: times.clone(), weight },
            times,
            further: points.iter().map(HopPoint::further).collect(),
            segments,
            vertices,
            solver: Solver::default(),
        }
    }

    /// Returns the weighted median of the time of a hop between any two distances at one size;
    /// `None` if no size has two. A pair weighs its hops relative to its times. O(d n) for d
    /// distances, and a sort.
    pub(super) fn within_sizes(&self) -> Option<f64> {
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for i in 0..self.times.len() {
            for k in (i + 1..self.times.len()).take_while(|&k| self.curve.x[k] <= self.curve.x[i]) {
                let hops = self.further[k] - self.further[i];
                steps.push(((self.times[k] - self.times[i]) / hops, hops / (self.times[i] + self.times[k])));
            }
        }
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut left = steps.iter().map(|step| step.1).sum::<f64>() / 2.0;
        steps
            .iter()
            .find(|step| {
                left -= step.1;
                left <= 0.0
            })
            .map(|step| step.0)
    }

    /// Returns the sizes with their times reduced to one hop.
    pub(super) fn adjusted(&self, per_hop: f64) -> Vec<(f64, f64)> {
        let at_one = |k: usize| (self.times[k] - self.further[k] * per_hop).max(f64::MIN_POSITIVE);
        (0..self.times.len()).map(|k| (self.curve.x[k], at_one(k))).collect()
    }

    /// Returns the h of least cost.
    pub(super) fn minimise(&mut self) -> f64 {
        self.golden(FINE_STEPS)
    }

    /// Returns the h of least cost, or `known` if it is as good: exact data determine it exactly.
    pub(super) fn better(&mut self, known: f64) -> f64 {
        let found = self.minimise();
        let (before, after) = (self.cost_of(known), self.cost_of(found));
        if after < before * (1.0 - 1e-9) && before > 1e-9 * self.times.len() as f64 { found } else { known }
    }

    /// Returns the h of other times at the same sizes and distances. A time of 0 counts as the
    /// smallest positive one.
    pub(super) fn per_hop_of(&mut self, times: Vec<f64>) -> f64 {
        let kept = std::mem::replace(&mut self.times, times);
        self.times.iter_mut().for_each(|y| *y = y.max(f64::MIN_POSITIVE));
        let found = self.golden(COARSE_STEPS);
        self.times = kept;
        found
    }

    /// Returns the h of the lines with residuals resampled from those of all points, enlarged for
    /// the parameters spent.
    pub(super) fn redraw(&mut self, per_hop: f64, rng: &mut SplitMix64) -> f64 {
        let predicted = self.predicted(per_hop);
        let n = self.times.len();
        let spent = 2.0 * self.segments.len() as f64 + 1.0;
        let enlarge = n as f64 / (n as f64 - spent).max(1.0);
        let residual = |k: usize| enlarge * (1.0 - predicted[k] / self.times[k]);
        let times = (0..n).map(|k| predicted[k] + residual(rng.index(n)) * self.times[k]).collect();
        self.per_hop_of(times)
    }

    fn predicted(&mut self, per_hop: f64) -> Vec<f64> {
        self.subtract(per_hop);
        let mut predicted = Vec::with_capacity(self.times.len());
        for part in 0..self.segments.len() {
            let range = self.segments[part].clone();
            let line = self.solver.solve(&self.curve, range.clone(), self.vertices[part]).line;
            predicted.extend(range.map(|k| line.at(self.curve.x[k]) + self.further[k] * per_hop));
        }
        predicted
    }

    /// Returns the cost with the optimal lines for this h. O(n) typically, from the vertices of the
    /// last one.
    pub(super) fn cost_of(&mut self, per_hop: f64) -> f64 {
        self.subtract(per_hop);
        let mut total = 0.0;
        for (range, vertex) in self.segments.iter().zip(&mut self.vertices) {
            let solution = self.solver.solve(&self.curve, range.clone(), *vertex);
            *vertex = solution.vertex;
            total += cost(&self.curve, range.clone(), solution.line, f64::INFINITY);
        }
        total
    }

    fn subtract(&mut self, per_hop: f64) {
        for (k, y) in self.curve.y.iter_mut().enumerate() {
            *y = self.times[k] - self.further[k] * per_hop;
        }
    }

    /// Searches the time per further hop within the range where no time at one hop becomes
    /// negative, and symmetrically below 0.
    fn golden(&mut self, steps: usize) -> f64 {
        let far = (0..self.times.len()).filter(|&k| self.further[k] > 0.0);
        let limit = far.map(|k| self.times[k] / self.further[k]).fold(f64::INFINITY, f64::min);
        let (mut low, mut high) = (-limit, limit);
        let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut at_left, mut at_right) = (self.cost_of(left), self.cost_of(right));
        for _ in 0..steps {
            if at_left <= at_right {
                (high, right, at_right) = (right, left, at_left);
                left = high - GOLDEN * (high - low);
                at_left = self.cost_of(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = low + GOLDEN * (high - low);
                at_right = self.cost_of(right);
            }
        }
        f64::midpoint(low, high)
    }
}
