//! Residue classes: multiples of some number may have a curve of their own, such as whole packets
//! on the CM-5 or whole cache lines elsewhere. The number is found here.

use crate::curve::Curve;
use crate::error::Error;
use crate::fit::Fit;
use crate::lad::{Solver, cost};
use crate::noise::noise;
use crate::partition::Partition;
use crate::segmentation::{Segmentation, penalty};
use std::ops::RangeInclusive;

/// Moduli that are tried.
const MODULI: RangeInclusive<u64> = 2..=128;

/// Fewer sizes in a class do not justify a curve of their own.
const MIN_SIZES: usize = 4;

/// Moduli that are fitted in full: those with the best rough fits.
const SHORTLIST: usize = 6;

/// The sizes that a curve is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResidueClass {
    /// All sizes.
    All,
    /// Multiples of this number.
    Multiples(u64),
    /// All sizes but multiples of this number.
    Others(u64),
}

impl ResidueClass {
    /// Returns whether size `x` belongs to the class.
    pub fn contains(&self, x: f64) -> bool {
        match *self {
            Self::All => true,
            Self::Multiples(modulus) => is_multiple(x, modulus),
            Self::Others(modulus) => !is_multiple(x, modulus),
        }
    }
}

/// A fit of time against size, by residue class.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidueFit {
    /// Modulus whose multiples have a curve of their own; `None` if one curve explains all sizes.
    pub modulus: Option<u64>,
    /// Larger moduli that split the measured sizes in the same way: only other sizes could tell
    /// them apart.
    pub same: Vec<u64>,
    /// One fit for all sizes, or that of the multiples and that of the others.
    pub classes: Vec<(ResidueClass, Fit)>,
    /// How much worse the best explanation of the other kind is, in units of noise (nats for
    /// Laplace noise): by one curve if there is a modulus, by a modulus if there is none. Infinite
    /// if no modulus was tried.
    pub margin: f64,
}

impl ResidueFit {
    /// Fits points by [`Segmentation::fit_residues`] with the default settings.
    pub fn fit(points: &[(f64, f64)]) -> Result<Self, Error> {
        Segmentation::default().fit_residues(points)
    }

    /// Returns the time at size `x` by the fit of its class; see [`Fit::predict`].
    pub fn predict(&self, x: f64) -> f64 {
        self.fit_at(x).map_or(f64::NAN, |fit| fit.predict(x))
    }

    /// Returns the fit of size `x`; there always is one.
    pub fn fit_at(&self, x: f64) -> Option<&Fit> {
        self.classes.iter().find(|(class, _)| class.contains(x)).map(|(_, fit)| fit)
    }
}

impl Segmentation {
    /// Fits points (size, time) as [`Segmentation::fit`] does, for all sizes together or separately
    /// for the multiples of one number from 2 to 128 and all other sizes, whichever explains the
    /// points better.
    ///
    /// Every segment of either class has the penalty that it has in a common fit, and the choice of
    /// the modulus costs `2 ln M` units of noise, where M is the number of moduli that could be
    /// told apart: the best of many looks good by chance. A modulus is tried if both classes have
    /// at least 4 sizes, and 3 of them among the sizes of the other class; otherwise a protocol
    /// switch in a sweep over powers of two would pass for it. All hypotheses share one noise, the
    /// least that any of them leaves: an alternating curve looks noisy as a whole.
    ///
    /// All moduli are ranked by a rough fit, a line for each class in each segment of the common
    /// fit, and the best six fitted in full: at most seven times the time of [`Segmentation::fit`],
    /// twice that time where there is nothing to find.
    pub fn fit_residues(&self, points: &[(f64, f64)]) -> Result<ResidueFit, Error> {
        let curve = self.curve(points)?;
        let splits = splits(&curve);
        let moduli = splits.len();
        let own_noise = noise([&curve], self.noise_floor);
        let whole = self.best_partition(&curve, penalty(own_noise, curve.len()));
        let shortlist = shortlist(&curve, &whole, splits);
        let least = |so_far: f64, rough: &RoughFit| so_far.min(noise(&rough.split.curves, self.noise_floor));
        let noise = shortlist.iter().fold(own_noise, least);
        let search = Search {
            settings: self,
            noise,
            penalty: penalty(noise, curve.len()),
            selection_penalty: penalty(noise, moduli),
        };
        Ok(search.choose(&curve, shortlist))
    }
}

/// The sizes split into two classes.
#[derive(Debug, Clone)]
struct Split {
    moduli: Vec<u64>,
    member: Vec<bool>,
    /// Multiples, others.
    curves: [Curve; 2],
}

impl Split {
    fn new(curve: &Curve, modulus: u64) -> Self {
        let member: Vec<bool> = curve.x.iter().map(|x| is_multiple(*x, modulus)).collect();
        let curves = [curve.filter(|k| member[k]), curve.filter(|k| !member[k])];
        Self { moduli: vec![modulus], member, curves }
    }

    /// Returns whether both classes are large enough, and interleaved.
    fn is_decidable(&self) -> bool {
        let [multiples, others] = &self.curves;
        multiples.len().min(others.len()) >= MIN_SIZES
            && among(multiples, others) >= MIN_SIZES - 1
            && among(others, multiples) >= MIN_SIZES - 1
    }

    fn classes(&self) -> [ResidueClass; 2] {
        [ResidueClass::Multiples(self.moduli[0]), ResidueClass::Others(self.moduli[0])]
    }
}

/// Returns how many sizes of one class lie between the first and the last of another.
fn among(class: &Curve, other: &Curve) -> usize {
    let (first, last) = (other.x[0], other.x[other.len() - 1]);
    class.x.iter().filter(|x| (first..=last).contains(*x)).count()
}

fn is_multiple(x: f64, modulus: u64) -> bool {
    x % modulus as f64 <= 0.0
}

/// Returns all distinct splits of the sizes, each with the moduli that produce it. O(n) for each
/// modulus.
fn splits(curve: &Curve) -> Vec<Split> {
    let mut found: Vec<Split> = Vec::new();
    for split in MODULI.map(|modulus| Split::new(curve, modulus)).filter(Split::is_decidable) {
        match found.iter_mut().find(|known| known.member == split.member) {
            Some(known) => known.moduli.extend(split.moduli),
            None => found.push(split),
        }
    }
    found
}

/// A split with its rough fit.
struct RoughFit {
    split: Split,
    cost: f64,
    /// How much less that is than the cost of the common lines.
    saved: f64,
}

/// Returns the splits with the best rough fits.
fn shortlist(curve: &Curve, whole: &Partition, splits: Vec<Split>) -> Vec<RoughFit> {
    let common = rough_cost(curve, whole, std::slice::from_ref(curve));
    let rough = |split: Split| {
        let cost = rough_cost(curve, whole, &split.curves);
        RoughFit { split, cost, saved: common - cost }
    };
    let mut ranked: Vec<RoughFit> = splits.into_iter().map(rough).collect();
    ranked.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    ranked.truncate(SHORTLIST);
    ranked
}

/// Returns the cost of a line for each class in each segment of the common partition. O(n)
/// typically.
fn rough_cost(curve: &Curve, whole: &Partition, classes: &[Curve]) -> f64 {
    let mut solver = Solver::default();
    let mut total = 0.0;
    for range in whole.ranges(curve.len()) {
        let (low, high) = (curve.x[range.start], curve.x[range.end - 1]);
        for class in classes {
            let part = class.x.partition_point(|x| *x < low)..class.x.partition_point(|x| *x <= high);
            if part.len() > 1 {
                let line = solver.solve(class, part.clone(), (part.start, part.end - 1)).line;
                total += cost(class, part, line, f64::INFINITY);
            }
        }
    }
    total
}

/// What all hypotheses share.
struct Search<'a> {
    settings: &'a Segmentation,
    noise: f64,
    /// Penalty of a segment.
    penalty: f64,
    /// Penalty of choosing a modulus among many.
    selection_penalty: f64,
}

impl Search<'_> {
    fn choose(&self, curve: &Curve, shortlist: Vec<RoughFit>) -> ResidueFit {
        let one = self.settings.best_partition(curve, self.penalty);
        let one_score = one.penalised(self.penalty);
        // The rough fit has two lines for each common one: a split that does not save that penalty
        // is not worth a full fit.
        let hopeful =
            shortlist.into_iter().filter(|rough| rough.saved > self.penalty + self.selection_penalty);
        let judged = hopeful.map(|rough| self.judge(rough.split));
        let best = judged.reduce(|best, other| if other.score < best.score { other } else { best });
        match best {
            Some(found) if found.score < one_score => self.apart(found, one_score),
            best => self.together(curve, &one, best.map_or(f64::INFINITY, |other| other.score - one_score)),
        }
    }

    fn judge(&self, split: Split) -> FullFit {
        let parts = split.curves.each_ref().map(|class| self.settings.best_partition(class, self.penalty));
        let score =
            self.selection_penalty + parts.iter().map(|part| part.penalised(self.penalty)).sum::<f64>();
        FullFit { split, parts, score }
    }

    fn together(&self, curve: &Curve, whole: &Partition, behind: f64) -> ResidueFit {
        let fit = self.settings.assemble(curve, whole, self.noise);
        ResidueFit {
            modulus: None,
            same: Vec::new(),
            classes: vec![(ResidueClass::All, fit)],
            margin: behind / self.noise,
        }
    }

    fn apart(&self, found: FullFit, one_score: f64) -> ResidueFit {
        let FullFit { split, parts, score } = found;
        let fits = split.curves.iter().zip(&parts);
        let fits = fits.map(|(class, part)| self.settings.assemble(class, part, self.noise));
        ResidueFit {
            modulus: Some(split.moduli[0]),
            same: split.moduli[1..].to_vec(),
            classes: split.classes().into_iter().zip(fits).collect(),
            margin: (one_score - score) / self.noise,
        }
    }
}

/// A split, fitted in full.
struct FullFit {
    split: Split,
    parts: [Partition; 2],
    score: f64,
}
