use crate::bootstrap::percentiles;
use crate::curve::Curve;
use crate::interval::Interval;
use crate::lad::Solver;
use crate::line::Line;
use crate::rng::Rng;
use std::ops::Range;

/// The lines of a finished fit, with all that is needed to draw it again with other noise.
pub(crate) struct Redraw<'a> {
    curve: &'a Curve,
    /// The relative residuals of the whole fit, enlarged for the parameters spent.
    residuals: Vec<f64>,
    resamples: usize,
}

impl<'a> Redraw<'a> {
    /// The relative residuals of all segments are pooled, since a segment of three points has one that is not zero.
    /// Each line passes through two of its points, so the residuals are enlarged by n / (n - 2 k).
    pub(crate) fn new(curve: &'a Curve, parts: &[(Range<usize>, Line)], resamples: usize) -> Self {
        let n = curve.len() as f64;
        let enlarge = n / (n - 2.0 * parts.len() as f64).max(1.0);
        let one = |k: usize, line: &Line| enlarge * curve.weight[k] * (curve.y[k] - line.at(curve.x[k]));
        let residuals =
            parts.iter().flat_map(|(range, line)| range.clone().map(move |k| one(k, line))).collect();
        Self { curve, residuals, resamples }
    }

    /// 95 % intervals of intercept and slope of one segment, its ends being taken as known.
    ///
    /// Residuals are resampled, not points (Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 9):
    /// the sizes were chosen by the experimenter, and resampling points of a short segment would often leave no two
    /// different sizes. The intervals are percentiles, widened to hold the estimate itself where they do not.
    /// In simulation (one line, 30 sizes, 3 % noise) they hold the truth in 92 to 93 of a hundred cases.
    /// O(resamples * n), from the known line as the start of each search.
    pub(crate) fn intervals(&self, range: Range<usize>, line: Line, rng: &mut Rng) -> (Interval, Interval) {
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

    fn draw(&self, copy: &mut Curve, offset: usize, line: Line, rng: &mut Rng) {
        for k in 0..copy.x.len() {
            let noise = self.residuals[rng.index(self.residuals.len())];
            copy.y[k] = (line.at(copy.x[k]) + noise * self.curve.y[offset + k]).max(0.0);
        }
    }
}

/// The central 95 % of the estimates, and the estimate itself.
pub(crate) fn around(mut estimates: Vec<f64>, centre: f64) -> Interval {
    let found = percentiles(&mut estimates, 0.95).unwrap_or(Interval { low: centre, high: centre });
    Interval { low: found.low.min(centre), high: found.high.max(centre) }
}
