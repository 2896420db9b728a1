//! Time against size and distance: a function of the size for neighbours, and a time for each
//! further hop.

mod joint;

use crate::error::Error;
use crate::fit::Fit;
use crate::goodness::{Goodness, Residual};
use crate::interval::Interval;
use crate::noise::noise;
use crate::partition::Partition;
use crate::residual_bootstrap::around;
use crate::segmentation::{Segmentation, penalty};
use crate::size_samples::{Resampler, SizeSamples};
use crate::summary::median_in_place;
use joint::Joint;
use panto_random::SplitMix64;

/// Largest number of alternations between partition and time of a hop. Two are enough nearly
/// always.
const MAX_ROUNDS: usize = 6;

/// One measured time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HopPoint {
    /// Size.
    pub x: f64,
    /// Distance in hops, at least 1.
    pub hops: u64,
    /// Time.
    pub y: f64,
}

impl HopPoint {
    fn further(&self) -> f64 {
        self.hops.saturating_sub(1) as f64
    }
}

/// The model `time = f(size) + (hops - 1) h`.
#[derive(Debug, Clone, PartialEq)]
pub struct HopFit {
    /// Curve f of neighbours. Its intervals hold for the given h.
    pub fit: Fit,
    /// Time h of each further hop. Negative if farther is faster.
    pub per_hop: f64,
    /// 95 % interval of h, for given breakpoints.
    pub per_hop_interval: Interval,
}

impl HopFit {
    /// Returns the time of size `x` over `hops` hops. Never negative.
    pub fn predict(&self, x: f64, hops: u64) -> f64 {
        let further = hops.saturating_sub(1) as f64;
        (self.fit.segment(x).line().at(x) + further * self.per_hop).max(0.0)
    }

    /// Returns the residuals of points about the model.
    pub fn goodness(&self, points: &[HopPoint]) -> Result<Goodness, Error> {
        let beside = |p: &HopPoint| Residual { x: p.x, measured: p.y, predicted: self.predict(p.x, p.hops) };
        Goodness::from_residuals(points.iter().map(beside).collect())
    }
}

impl Segmentation {
    /// Fits the function of the size as [`Segmentation::fit`] does, and the time of a hop, from all
    /// distances together.
    ///
    /// A first h is the weighted median of the time of a hop between any two distances at the same
    /// size, which needs no function of the size. Then the sizes are partitioned by their times
    /// less (hops - 1) h, and for that partition lines and h together minimise the sum of absolute
    /// relative residuals. That sum is convex in all of them, so what is left of it after the lines
    /// were solved exactly is convex in h alone, and a golden-section search finds its minimum
    /// (Kiefer, "Sequential minimax search for a maximum", Proc. AMS 4, 1953). Both steps are
    /// repeated until the partition is stable. The interval of h is that of a residual bootstrap,
    /// as for the lines. O(resamples * n) beside the fits.
    pub fn fit_hops(&self, points: &[HopPoint]) -> Result<HopFit, Error> {
        let points = merged(points)?;
        self.hops(&points, |_| Ok(None))
    }

    /// Fits the medians of samples by [`Segmentation::fit_hops`], each with its hops; the interval
    /// of h is widened to hold for other launches or samples, as by [`Segmentation::fit_samples`].
    pub fn fit_hop_samples(&self, measured: &[(u64, SizeSamples)]) -> Result<HopFit, Error> {
        let mut sorted: Vec<&(u64, SizeSamples)> = measured.iter().collect();
        sorted.sort_by(|a, b| a.1.x.total_cmp(&b.1.x).then(a.0.cmp(&b.0)));
        let point = |(hops, m): &&(u64, SizeSamples)| m.point().map(|(x, y)| HopPoint { x, hops: *hops, y });
        let points: Vec<HopPoint> = sorted.iter().map(point).collect::<Result<_, Error>>()?;
        let known = merged(&points)?;
        if known.len() < points.len() {
            return Err(Error::Setting { name: "measured", rule: "must hold each size and distance once" });
        }
        let owned = |m: &SizeSamples| m.launches.iter().map(|launch| launch.to_vec()).collect();
        let launches: Vec<Vec<Vec<f64>>> = sorted.iter().map(|(_, m)| owned(m)).collect();
        self.hops(&known, |resamples| {
            let resampler = Resampler::new(&launches)?;
            let mut rng = SplitMix64::new(self.seed);
            let mut draw = || {
                let mut times = Vec::new();
                resampler.draw(&mut rng, &mut times);
                times
            };
            Ok(Some((0..resamples).map(|_| draw()).collect()))
        })
    }

    /// Fits with the bootstrap replicas of `replicas`: the times of all points in each resample, if
    /// there are samples.
    fn hops(
        &self,
        points: &[HopPoint],
        replicas: impl FnOnce(usize) -> Result<Option<Vec<Vec<f64>>>, Error>,
    ) -> Result<HopFit, Error> {
        let (fit, mut joint, per_hop) = self.alternate(points)?;
        let mut rng = SplitMix64::new(self.seed);
        let by_residuals =
            around((0..self.resamples).map(|_| joint.redraw(per_hop, &mut rng)).collect(), per_hop);
        let by_samples = match replicas(self.resamples)? {
            Some(all) => around(all.into_iter().map(|times| joint.per_hop_of(times)).collect(), per_hop),
            None => by_residuals,
        };
        let per_hop_interval = Interval {
            low: by_residuals.low.min(by_samples.low),
            high: by_residuals.high.max(by_samples.high),
        };
        Ok(HopFit { fit, per_hop, per_hop_interval })
    }

    fn alternate(&self, points: &[HopPoint]) -> Result<(Fit, Joint, f64), Error> {
        let whole = Partition { cost: 0.0, starts: vec![0] };
        let mut joint = Joint::new(points, &whole);
        let mut per_hop = joint.within_sizes().unwrap_or_else(|| joint.minimise());
        let mut division = whole;
        for _ in 0..MAX_ROUNDS {
            let curve = self.curve(&joint.adjusted(per_hop))?;
            let noise = noise([&curve], self.noise_floor);
            let next = self.best_partition(&curve, penalty(noise, curve.len()));
            joint = Joint::new(points, &next);
            per_hop = joint.better(per_hop);
            let settled = next.starts == division.starts;
            division = next;
            if settled {
                break;
            }
        }
        let curve = self.curve(&joint.adjusted(per_hop))?;
        let noise = noise([&curve], self.noise_floor);
        Ok((self.assemble(&curve, &division, noise), joint, per_hop))
    }
}

/// Sorts by size and distance, equal ones merged by their median; at least two distances.
fn merged(points: &[HopPoint]) -> Result<Vec<HopPoint>, Error> {
    if points.iter().any(|p| p.hops < 1) {
        return Err(Error::Setting { name: "hops", rule: "must be at least 1" });
    }
    crate::curve::check(&points.iter().map(|p| (p.x, p.y)).collect::<Vec<_>>())?;
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.hops.cmp(&b.hops)));
    let merge = |same: &[HopPoint]| {
        let mut times: Vec<f64> = same.iter().map(|p| p.y).collect();
        HopPoint { y: median_in_place(&mut times), ..same[0] }
    };
    let merged: Vec<HopPoint> = sorted.chunk_by(|a, b| a.x >= b.x && a.hops == b.hops).map(merge).collect();
    let one_distance = merged.iter().all(|p| p.hops == merged[0].hops);
    if one_distance { Err(Error::NoVariation { quantity: "distances" }) } else { Ok(merged) }
}

#[cfg(test)]
mod tests;
