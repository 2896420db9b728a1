//! Sizes that are multiples of something may follow a law of their own: whole packets on the CM-5, whole cache lines
//! elsewhere. Which something, is found here.

use crate::curve::Curve;
use crate::error::Error;
use crate::fit::Fit;
use crate::lad::{Solver, cost};
use crate::noise::noise;
use crate::partition::Partition;
use crate::segments::{Segmentation, price};
use std::ops::RangeInclusive;

/// The moduli tried.
const MODULI: RangeInclusive<u64> = 2..=128;

/// Fewer sizes in a class are no witnesses against the other class.
const LEAST_SIZES: usize = 4;

/// So many moduli are fitted in full, those that a rough fit likes best.
const SHORTLIST: usize = 6;

/// Which sizes a law holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// All sizes.
    All,
    /// Multiples of this.
    Multiples(u64),
    /// All but multiples of this.
    Others(u64),
}

impl Class {
    /// Whether the law holds for size `x`.
    pub fn holds(&self, x: f64) -> bool {
        match *self {
            Self::All => true,
            Self::Multiples(modulus) => is_multiple(x, modulus),
            Self::Others(modulus) => !is_multiple(x, modulus),
        }
    }
}

/// Time against size where the size's remainder may matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Residues {
    /// Multiples of this follow another law than the rest; none if one law explains all.
    pub modulus: Option<u64>,
    /// Larger moduli that divide the sizes at hand in the same way: only other sizes could tell them apart.
    pub same: Vec<u64>,
    /// One law for all sizes, or that of the multiples and that of the others.
    pub classes: Vec<(Class, Fit)>,
    /// How much worse the best explanation of the other kind is, in units of noise (nats, were the noise Laplace's):
    /// that by one law if there is a modulus, that by a modulus if there is none. Infinite if no modulus was worth a trial.
    pub margin: f64,
}

impl Residues {
    /// [`Segmentation::fit_residues`] with the default settings.
    pub fn fit(points: &[(f64, f64)]) -> Result<Self, Error> {
        Segmentation::default().fit_residues(points)
    }

    /// The time at size `x` by the law of its class; see [`Fit::predict`].
    pub fn predict(&self, x: f64) -> f64 {
        self.law(x).map_or(f64::NAN, |fit| fit.predict(x))
    }

    /// The law that holds at size `x`; there always is one.
    pub fn law(&self, x: f64) -> Option<&Fit> {
        self.classes.iter().find(|(class, _)| class.holds(x)).map(|(_, fit)| fit)
    }
}

impl Segmentation {
    /// The optimal division of points (size, time) as by [`Segmentation::fit`], for all sizes together or for the multiples
    /// of one number from 2 to 128 and the other sizes apart, whichever explains the points better.
    ///
    /// Every segment of either class has the price that it has in a common fit, and the choice of the modulus costs
    /// `2 ln M` units of noise, where M is the number of moduli that could be told apart: what is chosen among many is
    /// liked by luck. A modulus is tried if both classes have at least 4 sizes, and 3 of them among the sizes of the other
    /// class; else a protocol switch in a sweep over powers of two would pass for it. A common
    /// noise serves all hypotheses, the least that any of them leaves: an alternating curve looks noisy as a whole.
    ///
    /// All moduli are ranked by a rough fit, a line for each class in each segment of the common fit, and the best six fitted in full:
    /// at most seven times the time of [`Segmentation::fit`], twice that time where there is nothing to find.
    pub fn fit_residues(&self, points: &[(f64, f64)]) -> Result<Residues, Error> {
        let curve = self.curve(points)?;
        let splits = splits(&curve);
        let moduli = splits.len();
        let own_noise = noise([&curve], self.noise_floor);
        let whole = self.divide(&curve, price(own_noise, curve.len()));
        let shortlist = shortlist(&curve, &whole, splits);
        let least = |so_far: f64, rough: &Rough| so_far.min(noise(&rough.split.curves, self.noise_floor));
        let noise = shortlist.iter().fold(own_noise, least);
        let search =
            Search { settings: self, noise, price: price(noise, curve.len()), luck: price(noise, moduli) };
        Ok(search.choose(&curve, shortlist))
    }
}

/// Two classes of sizes.
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

    /// Whether both classes are large enough, and each has sizes among those of the other.
    fn tells(&self) -> bool {
        let [multiples, others] = &self.curves;
        multiples.len().min(others.len()) >= LEAST_SIZES
            && among(multiples, others) >= LEAST_SIZES - 1
            && among(others, multiples) >= LEAST_SIZES - 1
    }

    fn classes(&self) -> [Class; 2] {
        [Class::Multiples(self.moduli[0]), Class::Others(self.moduli[0])]
    }
}

/// How many sizes of one class lie between the first and the last of another.
fn among(class: &Curve, other: &Curve) -> usize {
    let (first, last) = (other.x[0], other.x[other.len() - 1]);
    class.x.iter().filter(|x| (first..=last).contains(*x)).count()
}

fn is_multiple(x: f64, modulus: u64) -> bool {
    x % modulus as f64 <= 0.0
}

/// All ways in which the moduli divide the sizes, each with the moduli that do it. O(n) for each modulus.
fn splits(curve: &Curve) -> Vec<Split> {
    let mut found: Vec<Split> = Vec::new();
    for split in MODULI.map(|modulus| Split::new(curve, modulus)).filter(Split::tells) {
        match found.iter_mut().find(|known| known.member == split.member) {
            Some(known) => known.moduli.extend(split.moduli),
            None => found.push(split),
        }
    }
    found
}

/// A split, with what a rough fit says of it.
struct Rough {
    split: Split,
    cost: f64,
    /// How much less that is than the cost of the common lines.
    saved: f64,
}

/// The splits that a rough fit likes best.
fn shortlist(curve: &Curve, whole: &Partition, splits: Vec<Split>) -> Vec<Rough> {
    let common = rough_cost(curve, whole, std::slice::from_ref(curve));
    let rough = |split: Split| {
        let cost = rough_cost(curve, whole, &split.curves);
        Rough { split, cost, saved: common - cost }
    };
    let mut ranked: Vec<Rough> = splits.into_iter().map(rough).collect();
    ranked.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    ranked.truncate(SHORTLIST);
    ranked
}

/// The cost of a line for each class in each segment of the common division. O(n) typically.
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
    /// Of a segment.
    price: f64,
    /// Of choosing a modulus among many.
    luck: f64,
}

impl Search<'_> {
    fn choose(&self, curve: &Curve, shortlist: Vec<Rough>) -> Residues {
        let one = self.settings.divide(curve, self.price);
        let one_score = one.priced(self.price);
        // Two lines wherever the common fit has one: what does not save its price with so many, is not worth the time.
        let hopeful = shortlist.into_iter().filter(|rough| rough.saved > self.price + self.luck);
        let judged = hopeful.map(|rough| self.judge(rough.split));
        let best = judged.reduce(|best, other| if other.score < best.score { other } else { best });
        match best {
            Some(found) if found.score < one_score => self.apart(found, one_score),
            best => self.together(curve, &one, best.map_or(f64::INFINITY, |other| other.score - one_score)),
        }
    }

    fn judge(&self, split: Split) -> Judged {
        let parts = split.curves.each_ref().map(|class| self.settings.divide(class, self.price));
        let score = self.luck + parts.iter().map(|part| part.priced(self.price)).sum::<f64>();
        Judged { split, parts, score }
    }

    fn together(&self, curve: &Curve, whole: &Partition, behind: f64) -> Residues {
        let fit = self.settings.assemble(curve, whole, self.noise);
        Residues {
            modulus: None,
            same: Vec::new(),
            classes: vec![(Class::All, fit)],
            margin: behind / self.noise,
        }
    }

    fn apart(&self, found: Judged, one_score: f64) -> Residues {
        let Judged { split, parts, score } = found;
        let fits = split.curves.iter().zip(&parts);
        let fits = fits.map(|(class, part)| self.settings.assemble(class, part, self.noise));
        Residues {
            modulus: Some(split.moduli[0]),
            same: split.moduli[1..].to_vec(),
            classes: split.classes().into_iter().zip(fits).collect(),
            margin: (one_score - score) / self.noise,
        }
    }
}

/// A split, fitted in full.
struct Judged {
    split: Split,
    parts: [Partition; 2],
    score: f64,
}
