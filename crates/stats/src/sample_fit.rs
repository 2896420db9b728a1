//! Fits to samples, with intervals that hold for other launches or other samples.

use crate::curve::Curve;
use crate::error::Error;
use crate::fit::{Fit, Segment};
use crate::interval::Interval;
use crate::lad::Solver;
use crate::residual_bootstrap::around;
use crate::residue::{ResidueClass, ResidueFit};
use crate::segmentation::Segmentation;
use crate::size_samples::{Resampler, SizeSamples, by_size};
use panto_random::SplitMix64;
use std::ops::Range;

impl Segmentation {
    /// Fits the medians of samples by [`Segmentation::fit`], with wider intervals.
    ///
    /// The intervals of [`Segmentation::fit`] hold for other sizes of the same launch, since they
    /// come from the residuals about the line. Here they are widened to hold for other launches:
    /// launches are resampled with replacement, each whole and for all sizes at once, and the lines
    /// solved again for the same breakpoints. With one launch only, samples are resampled for each
    /// size, and the interval holds for this launch (Davison & Hinkley, "Bootstrap Methods and
    /// their Application", 1997, section 3.8; see [`crate::Bootstrap`]). With fewer than five
    /// launches the percentiles are the extremes that were observed, and cover less than 95 %.
    ///
    /// O(resamples * n) beside the fit, where n is the number of sizes for one launch and of
    /// samples for several.
    pub fn fit_samples(&self, measured: &[SizeSamples]) -> Result<Fit, Error> {
        let sized = BySize::new(measured)?;
        let fit = self.fit(&sized.points)?;
        self.widened(fit, &sized)
    }

    /// Fits the medians of samples by [`Segmentation::fit_residues`], with the intervals of
    /// [`Segmentation::fit_samples`].
    pub fn fit_residue_samples(&self, measured: &[SizeSamples]) -> Result<ResidueFit, Error> {
        let sized = BySize::new(measured)?;
        let mut found = self.fit_residues(&sized.points)?;
        let classes = found.classes.into_iter();
        let widen = |(class, fit): (ResidueClass, Fit)| Ok((class, self.widened(fit, &sized.of(class))?));
        found.classes = classes.map(widen).collect::<Result<_, Error>>()?;
        Ok(found)
    }

    fn widened(&self, mut fit: Fit, sized: &BySize) -> Result<Fit, Error> {
        let curve = Curve::new(&sized.points)?;
        let resampler = Resampler::new(&sized.launches)?;
        let mut replicas: Vec<Replicas> =
            fit.segments.iter().map(|segment| Replicas::new(&curve, segment)).collect();
        let mut copy = curve;
        let mut rng = SplitMix64::new(self.seed);
        for _ in 0..self.resamples {
            resampler.draw(&mut rng, &mut copy.y);
            for segment in &mut replicas {
                segment.add(&copy);
            }
        }
        for (segment, replicas) in fit.segments.iter_mut().zip(replicas) {
            replicas.widen(segment);
        }
        Ok(fit)
    }
}

/// Samples by ascending size.
struct BySize {
    points: Vec<(f64, f64)>,
    launches: Vec<Vec<Vec<f64>>>,
}

impl BySize {
    fn new(measured: &[SizeSamples]) -> Result<Self, Error> {
        measured.iter().try_for_each(|m| m.point().map(drop))?;
        let (sizes, launches): (Vec<f64>, Vec<Vec<Vec<f64>>>) = by_size(measured).into_iter().unzip();
        let point = |(x, launches): (&f64, &Vec<Vec<f64>>)| {
            let launches = launches.iter().map(Vec::as_slice).collect();
            SizeSamples { x: *x, launches }.point()
        };
        Ok(Self { points: sizes.iter().zip(&launches).map(point).collect::<Result<_, Error>>()?, launches })
    }

    fn of(&self, class: ResidueClass) -> Self {
        let kept = || self.points.iter().zip(&self.launches).filter(|(point, _)| class.contains(point.0));
        Self {
            points: kept().map(|pair| *pair.0).collect(),
            launches: kept().map(|pair| pair.1.clone()).collect(),
        }
    }
}

/// The lines of one segment in all resamples.
struct Replicas {
    range: Range<usize>,
    solver: Solver,
    intercepts: Vec<f64>,
    slopes: Vec<f64>,
}

impl Replicas {
    fn new(curve: &Curve, segment: &Segment) -> Self {
        let start = curve.x.partition_point(|x| *x < segment.from_x);
        let end = curve.x.partition_point(|x| *x <= segment.to_x);
        Self { range: start..end, solver: Solver::default(), intercepts: Vec::new(), slopes: Vec::new() }
    }

    fn add(&mut self, copy: &Curve) {
        let ends = (self.range.start, self.range.end - 1);
        let line = self.solver.solve(copy, self.range.clone(), ends).line;
        self.intercepts.push(line.intercept);
        self.slopes.push(line.slope);
    }

    fn widen(self, segment: &mut Segment) {
        let hull = |a: Interval, b: Interval| Interval { low: a.low.min(b.low), high: a.high.max(b.high) };
        let intercepts = around(self.intercepts, segment.intercept);
        segment.intercept_interval = hull(segment.intercept_interval, intercepts);
        segment.slope_interval = hull(segment.slope_interval, around(self.slopes, segment.slope));
    }
}
