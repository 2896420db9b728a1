use crate::curve::Curve;
use crate::error::Error;
use crate::interval::Interval;
use crate::lad::{Solver, cost};
use crate::line::Line;
use crate::noise::noise;
use crate::partition::{Partition, partitions};
use crate::rng::Rng;
use crate::uncertainty::Redraw;
use std::ops::Range;

/// How many units of noise, times ln n, a further segment has to save; see [`Segmentation::fit`].
const PRICE: f64 = 2.0;

/// How to divide a curve of time against size into straight pieces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segmentation {
    /// Least number of distinct sizes in a segment, at least 2.
    pub min_points: usize,
    /// Greatest number of segments, at least 1.
    pub max_segments: usize,
    /// Relative deviations of this size are never taken for structure, however clean the data.
    pub noise_floor: f64,
    /// A wild point counts, in the choice of breakpoints, up to this share of the price of a segment. Below 1 a single
    /// one buys no segment, above 0.5 four in a row do; infinity counts all residuals in full.
    pub cap: f64,
    /// Number of resamples for the intervals of the parameters.
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

    /// The segment that is in force at size `x`.
    pub fn segment(&self, x: f64) -> &Segment {
        &self.segments[self.breakpoints.partition_point(|b| b.at < x)]
    }
}

impl Segmentation {
    /// The optimal division of points (size, time), and the optimal line in each piece.
    ///
    /// A line minimises the sum of `|y - line| / y`: relative, because a microsecond matters in a latency and not in a
    /// transfer of a megabyte; absolute, because a straggler must not bend the line. It is not negative on its segment.
    /// Lines need not meet (a protocol switch is a jump) and may fall (it may pay). Points of equal size count once,
    /// with their median time.
    ///
    /// The number k of segments minimises `cost / noise + 2 (k - 1) ln n`. With noise of Laplace's distribution and known
    /// scale the first term is the negative logarithm of the likelihood, and Schwarz's criterion would charge half of
    /// ln n for each parameter, here three a segment (line and breakpoint). A breakpoint chosen from n places gains
    /// more by luck than an ordinary parameter does (Zhang & Siegmund, "A modified Bayes information criterion",
    /// Biometrics 63, 2007), so the charge is a third more. The noise is measured from neighbouring points and not
    /// from the residuals: those of a fit that has eaten the noise are small, and would praise it.
    ///
    /// In simulations one line with 3 % of normal noise gets a second segment in one or two curves of a hundred, also when
    /// every twentieth point is wild. A jump of 20 % over the last four sizes, or a slope steeper by 30 %, is found from
    /// 16 to 24 sizes on; in fewer sizes only sometimes, for one line can lean to meet both parts. A hump of four sizes
    /// in the middle needs two breakpoints: at this noise 100 sizes show it in two curves of three, at 2 % 48 suffice.
    /// (400 curves each of 6 to 100 sizes, evenly spread in the logarithm. Sizes at random lie close together by chance,
    /// and lines through such pairs are free to lean: then 8 to 20 sizes give a false segment in four of a hundred.)
    ///
    /// O(n^3) at worst for n distinct sizes, O(n^2) lines; memory O(n^2).
    pub fn fit(&self, points: &[(f64, f64)]) -> Result<Fit, Error> {
        self.check()?;
        let curve = Curve::new(points)?;
        if curve.len() < self.min_points {
            return Err(Error::TooFew { needed: self.min_points, got: curve.len() });
        }
        let noise = noise(&curve, self.noise_floor);
        let price = noise * PRICE * (curve.len() as f64).ln();
        let candidates = partitions(&curve, self.min_points, self.max_segments, self.cap * price);
        let best = choose(&candidates, price);
        Ok(self.assemble(&curve, best, noise))
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

    fn assemble(&self, curve: &Curve, best: &Partition, noise: f64) -> Fit {
        let parts = solve_parts(curve, &best.starts);
        let redraw = Redraw::new(curve, &parts, self.resamples);
        let mut rng = Rng::new(self.seed);
        let segments =
            parts.iter().map(|(range, line)| segment(curve, range, *line, &redraw, &mut rng)).collect();
        let cost = parts.iter().map(|(range, line)| full_cost(curve, range, *line)).sum::<f64>();
        let breakpoints = parts.windows(2).map(|pair| breakpoint(curve, pair)).collect();
        Fit { segments, breakpoints, cost, residual: cost / curve.len() as f64, noise }
    }
}

/// The least penalised cost; the fewest segments among equals.
fn choose(candidates: &[Partition], price: f64) -> &Partition {
    let total = |p: &Partition| p.cost + price * p.starts.len() as f64;
    let first = &candidates[0];
    candidates.iter().fold(first, |best, p| if total(p) < total(best) { p } else { best })
}

fn solve_parts(curve: &Curve, starts: &[usize]) -> Vec<(Range<usize>, Line)> {
    let ends = starts[1..].iter().copied().chain([curve.len()]);
    let mut solver = Solver::default();
    let mut solve =
        |range: Range<usize>| solver.solve(curve, range.clone(), (range.start, range.end - 1)).line;
    starts.iter().zip(ends).map(|(&start, end)| (start..end, solve(start..end))).collect()
}

fn segment(curve: &Curve, range: &Range<usize>, line: Line, redraw: &Redraw, rng: &mut Rng) -> Segment {
    let (intercept_interval, slope_interval) = redraw.intervals(range.clone(), line, rng);
    Segment {
        from_x: curve.x[range.start],
        to_x: curve.x[range.end - 1],
        intercept: line.intercept,
        slope: line.slope,
        points: range.len(),
        residual: full_cost(curve, range, line) / range.len() as f64,
        intercept_interval,
        slope_interval,
    }
}

fn full_cost(curve: &Curve, range: &Range<usize>, line: Line) -> f64 {
    cost(curve, range.clone(), line, f64::INFINITY)
}

fn breakpoint(curve: &Curve, pair: &[(Range<usize>, Line)]) -> Breakpoint {
    let (last, first) = (curve.x[pair[0].0.end - 1], curve.x[pair[1].0.start]);
    let (before, behind) = (pair[0].1, pair[1].1);
    let crossing = (behind.intercept - before.intercept) / (before.slope - behind.slope);
    let inside = last < crossing && crossing < first;
    Breakpoint { last, first, at: if inside { crossing } else { f64::midpoint(last, first) } }
}
