use crate::curve::Curve;
use crate::error::Error;
use crate::fit::Fit;
use crate::noise::noise;
use crate::partition::{Partition, partitions};

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
        let curve = self.curve(points)?;
        let noise = noise([&curve], self.noise_floor);
        let best = self.divide(&curve, price(noise, curve.len()));
        Ok(self.assemble(&curve, &best, noise))
    }

    /// The points as a curve, if they and the settings allow a fit.
    pub(crate) fn curve(&self, points: &[(f64, f64)]) -> Result<Curve, Error> {
        self.check()?;
        let curve = Curve::new(points)?;
        if curve.len() < self.min_points {
            return Err(Error::TooFew { needed: self.min_points, got: curve.len() });
        }
        Ok(curve)
    }

    /// The division with the least cost and `price` a segment; the fewest segments among equals.
    pub(crate) fn divide(&self, curve: &Curve, price: f64) -> Partition {
        let candidates = partitions(curve, self.min_points, self.max_segments, self.cap * price);
        let fewest_first = candidates.into_iter();
        fewest_first
            .reduce(|best, p| if p.priced(price) < best.priced(price) { p } else { best })
            .unwrap_or_default()
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
}

/// What a segment has to save: the penalty of [`Segmentation::fit`] for `n` sizes.
pub(crate) fn price(noise: f64, n: usize) -> f64 {
    noise * PRICE * (n as f64).ln()
}
