//! The line of least absolute relative deviations, exactly.
//!
//! The cost `sum of w |y - a - b x|` is convex and piecewise linear in (a, b). Each point is a line
//! in the plane of parameters, along which its residual is 0; some vertex, where two of these
//! cross, is optimal. The descent walks from vertex to vertex along such lines: it keeps one point
//! on the line (the pivot) and turns about it as long as the cost falls, which is a weighted median
//! of the turning angles. Where no edge of a vertex descends, the vertex is optimal: between
//! neighbouring edges the cost is linear, and a local minimum of a convex function is a global one.
//! That also holds for vertices where many points meet, because every point on the line is tried as
//! pivot. The cost falls strictly with each step and there are finitely many vertices, so the
//! descent terminates.
//!
//! Literature: Bloomfield & Steiger, "Least Absolute Deviations", 1983, section 3; Barrodale &
//! Roberts, SIAM J. Numer. Anal. 10 (1973); Wesolowsky, Comm. Statist. B 10 (1981) for a simple
//! line. A step is O(n); the number of steps is small in practice (none, one or two from the
//! optimum of one point fewer).

use crate::curve::Curve;
use crate::line::Line;
use std::ops::Range;

/// Residuals below this fraction of their operands are rounding errors, that is, zero.
const ROUNDING: f64 = 1e-13;

/// Descents slower than this fraction of the sum of all lever arms are rounding errors.
const FLAT: f64 = 1e-12;

/// A vertex: two points of a curve that a line goes through.
pub(crate) type Vertex = (usize, usize);

/// An optimal line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Solution {
    /// Optimal vertex of the unconstrained problem, from which the search for a neighbouring range
    /// starts.
    pub(crate) vertex: Vertex,
    /// Optimal line that is not negative on the range.
    pub(crate) line: Line,
}

/// Working memory of the descent, reused for each line.
#[derive(Debug, Default)]
pub(crate) struct Solver {
    touching: Vec<usize>,
    steps: Vec<Step>,
}

/// A place where the line that turns about the pivot meets a point.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Change of slope until then.
    length: f64,
    /// Increase of the cost's slope beyond it.
    gain: f64,
    index: usize,
}

/// Gradient of the cost over the points off the line: sum of `w sign(r)`, and its moment about the
/// first point of the vertex.
#[derive(Debug, Default)]
struct Gradient {
    force: f64,
    moment: f64,
    lever: f64,
}

/// An edge along which the cost falls.
#[derive(Debug, Clone, Copy)]
struct Descent {
    pivot: usize,
    upward: bool,
    rate: f64,
}

impl Solver {
    /// Returns the best line through the points of `range` (two or more sizes, ascending), searched
    /// from the vertex `start` of two of them with different sizes.
    pub(crate) fn solve(&mut self, curve: &Curve, range: Range<usize>, start: Vertex) -> Solution {
        let mut vertex = start;
        // Exact arithmetic needs no bound; rounding might in theory cycle through equal costs.
        for _ in 0..64 + 4 * range.len() {
            match self.improve(curve, range.clone(), vertex) {
                Some(better) => vertex = better,
                None => break,
            }
        }
        let line = self.not_negative(curve, range, line_through(curve, vertex));
        Solution { vertex, line }
    }

    fn improve(&mut self, curve: &Curve, range: Range<usize>, vertex: Vertex) -> Option<Vertex> {
        let slope = slope_of(curve, vertex);
        let pull = self.pull(curve, range.clone(), vertex.0, slope);
        let descent = self.steepest(curve, vertex.0, &pull)?;
        self.crossings(curve, range, vertex.0, slope, descent);
        let reached = select(&mut self.steps, descent.rate)?;
        Some((descent.pivot, reached.index))
    }

    /// Sums over the points off the line, and collects those on it.
    fn pull(&mut self, curve: &Curve, range: Range<usize>, anchor: usize, slope: f64) -> Gradient {
        self.touching.clear();
        let mut pull = Gradient::default();
        for k in range {
            let residual = residual(curve, k, anchor, slope);
            let arm = curve.weight[k] * (curve.x[k] - curve.x[anchor]);
            pull.lever += arm.abs();
            if residual.abs() > 0.0 {
                pull.force += curve.weight[k].copysign(residual);
                pull.moment += arm * residual.signum();
            } else {
                self.touching.push(k);
            }
        }
        pull
    }

    /// Returns the edge of steepest descent. Turning about the touching point z changes the cost at
    /// the rate `sum over touching of w |x - x_z|` minus the moment of the gradient about z;
    /// running sums give all z in O(n).
    fn steepest(&self, curve: &Curve, anchor: usize, pull: &Gradient) -> Option<Descent> {
        let arm = |k: usize| curve.x[k] - curve.x[anchor];
        let weight = |k: usize| curve.weight[k];
        let mut right =
            self.touching.iter().fold((0.0, 0.0), |s, &k| (s.0 + weight(k), s.1 + weight(k) * arm(k)));
        let mut left = (0.0, 0.0);
        let mut best = None;
        let mut rate = FLAT * pull.lever;
        for &z in &self.touching {
            right = (right.0 - weight(z), right.1 - weight(z) * arm(z));
            let hold = (arm(z) * left.0 - left.1) + (right.1 - arm(z) * right.0);
            let moment = pull.moment - pull.force * arm(z);
            if moment.abs() - hold > rate {
                rate = moment.abs() - hold;
                best = Some(Descent { pivot: z, upward: moment > 0.0, rate });
            }
            left = (left.0 + weight(z), left.1 + weight(z) * arm(z));
        }
        best
    }

    /// Collects the points that the turning line will meet: those off the line that it turns
    /// towards.
    fn crossings(&mut self, curve: &Curve, range: Range<usize>, anchor: usize, slope: f64, descent: Descent) {
        self.steps.clear();
        for index in range {
            let arm = curve.x[index] - curve.x[descent.pivot];
            let length = residual(curve, index, anchor, slope) / arm;
            // Infinite above and below the pivot: a line that turns about it never meets a point of
            // the same size.
            if length.abs() > 0.0 && length.is_finite() && (length > 0.0) == descent.upward {
                let gain = 2.0 * curve.weight[index] * arm.abs();
                self.steps.push(Step { length: length.abs(), gain, index });
            }
        }
    }

    /// Returns the best line that is not negative. With positive data at most one end of the
    /// optimal line is negative, and by convexity the constrained optimum is then 0 at that end;
    /// all lines from there to a point rise away from 0, so what remains is one weighted median of
    /// slopes: O(n).
    fn not_negative(&mut self, curve: &Curve, range: Range<usize>, line: Line) -> Line {
        let (first, last) = (curve.x[range.start], curve.x[range.end - 1]);
        let end = match (line.at(first) < 0.0, line.at(last) < 0.0) {
            (false, false) => return line,
            (true, _) => first,
            (false, true) => last,
        };
        self.steps.clear();
        for index in range {
            let arm = curve.x[index] - end;
            if arm.abs() > 0.0 {
                let gain = curve.weight[index] * arm.abs();
                self.steps.push(Step { length: curve.y[index] / arm, gain, index });
            }
        }
        let half = self.steps.iter().map(|s| s.gain).sum::<f64>() / 2.0;
        let slope = select(&mut self.steps, half).map_or(0.0, |s| s.length);
        Line { intercept: -slope * end, slope }
    }
}

/// Returns the sum of weighted absolute residuals, each counted up to `cap` only. O(n).
pub(crate) fn cost(curve: &Curve, range: Range<usize>, line: Line, cap: f64) -> f64 {
    range.map(|k| (curve.weight[k] * (curve.y[k] - line.at(curve.x[k])).abs()).min(cap)).sum()
}

fn slope_of(curve: &Curve, (p, q): Vertex) -> f64 {
    (curve.y[q] - curve.y[p]) / (curve.x[q] - curve.x[p])
}

fn line_through(curve: &Curve, vertex: Vertex) -> Line {
    let slope = slope_of(curve, vertex);
    Line { intercept: curve.y[vertex.0] - slope * curve.x[vertex.0], slope }
}

/// Returns the residual, measured from a point on the line and not from x = 0, where large sizes
/// would cancel. Exactly 0 within rounding.
fn residual(curve: &Curve, k: usize, anchor: usize, slope: f64) -> f64 {
    let rise = slope * (curve.x[k] - curve.x[anchor]);
    let residual = (curve.y[k] - curve.y[anchor]) - rise;
    let size = curve.y[k].abs() + curve.y[anchor].abs() + rise.abs();
    if residual.abs() <= ROUNDING * size { 0.0 } else { residual }
}

/// Returns the first step, by length, at which the gains add up to `need`; the last one if they
/// never do.
///
/// Weighted selection by halving (Blum et al. 1973; here with the standard library's selection):
/// O(n).
fn select(steps: &mut [Step], mut need: f64) -> Option<Step> {
    let mut rest = steps;
    while rest.len() > 1 {
        let middle = rest.len() / 2;
        rest.select_nth_unstable_by(middle, |a, b| a.length.total_cmp(&b.length));
        let (below, above) = rest.split_at_mut(middle);
        let gained: f64 = below.iter().map(|s| s.gain).sum();
        if gained >= need {
            rest = below;
        } else {
            need -= gained;
            rest = above;
        }
    }
    rest.first().copied()
}

#[cfg(test)]
pub(crate) mod tests;
