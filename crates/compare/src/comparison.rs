//! The result of a comparison: verdicts per point and overall.

use std::fmt;

use serde::Serialize;

use crate::facts::FactDifference;
use crate::key::Key;

/// The threshold and confidence that decide what counts as a change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Settings {
    /// Relative changes up to this are negligible: 0.05 is 5 %.
    pub threshold: f64,
    /// The confidence level of intervals. `1 - confidence` bounds the family-wise error rate: the
    /// probability of any false positive among all points.
    pub confidence: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { threshold: 0.05, confidence: 0.95 }
    }
}

impl Settings {
    /// Returns the ratio of times above which a point is slower; below its inverse it is faster.
    pub fn limit(&self) -> f64 {
        1.0 + self.threshold
    }

    /// Returns the significance level: corrected p-values below it are significant.
    pub(crate) fn level(&self) -> f64 {
        1.0 - self.confidence
    }
}

/// The conclusion about the new times of a point, or of all points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Longer by more than the threshold.
    Slower,
    /// Shorter by more than the threshold.
    Faster,
    /// The samples are too few or too noisy to decide.
    #[serde(rename = "cannot-tell")]
    Inconclusive,
    /// Not different by more than the threshold.
    Same,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::Inconclusive => "inconclusive",
            Self::Same => "same",
        })
    }
}

/// The kind of evidence a verdict rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// A rank test of the medians of launches.
    Launches,
    /// A rank test of single samples, which holds for these launches only.
    Samples,
    /// No test is possible: a side has one value, or few launches of one value each. The threshold
    /// alone decides.
    Threshold,
    /// Simulated times without noise, compared exactly.
    Exact,
    /// Both sides have identical samples.
    Identical,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Launches => "launches",
            Self::Samples => "samples",
            Self::Threshold => "threshold",
            Self::Exact => "exact",
            Self::Identical => "identical",
        })
    }
}

/// The measurements of one side at a point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Side {
    /// The median in nanoseconds; with several launches, the median of their medians.
    pub median_ns: f64,
    /// The number of samples over all launches.
    pub samples: usize,
    /// The number of launches.
    pub launches: usize,
}

/// A point that both sides measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The point.
    #[serde(flatten)]
    pub key: Key,
    /// The key of the point in the new run, if another benchmark measured it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterpart: Option<Key>,
    /// The verdict.
    pub verdict: Verdict,
    /// The evidence for the verdict.
    pub basis: Basis,
    /// The new median over the old one: above 1, the new run is slower. `None` if a time is zero.
    pub ratio: Option<f64>,
    /// The lower bound of the ratio's confidence interval.
    pub low: Option<f64>,
    /// The upper bound of the ratio's confidence interval.
    pub high: Option<f64>,
    /// The p-value of the Mann-Whitney test, corrected for the number of points; `None` if there
    /// was no test.
    pub p: Option<f64>,
    /// Why the verdict is inconclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The measurements of the old run.
    pub old: Side,
    /// The measurements of the new run.
    pub new: Side,
}

/// The number of points per verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Points that both sides measured.
    pub all: usize,
    /// Points that are slower.
    pub slower: usize,
    /// Points that are faster.
    pub faster: usize,
    /// Points without a change.
    pub same: usize,
    /// Points whose verdict is inconclusive.
    #[serde(rename = "cannot_tell")]
    pub inconclusive: usize,
    /// Points of the old run that the new one does not have.
    pub only_old: usize,
    /// Points of the new run that the old one does not have.
    pub only_new: usize,
}

/// The comparison of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The names of the old run's files.
    pub old: String,
    /// The names of the new run's files.
    pub new: String,
    /// The threshold and the confidence level.
    pub settings: Settings,
    /// The verdict over all points.
    pub verdict: Verdict,
    /// The geometric mean of all ratios.
    pub mean_ratio: Option<f64>,
    /// The number of points per verdict.
    pub counts: Counts,
    /// The other differences between the runs.
    pub differences: Vec<FactDifference>,
    /// Caveats for the reader.
    pub notes: Vec<String>,
    /// The points that both sides measured, the most important first.
    pub points: Vec<Pair>,
    /// Points that only the old run has.
    pub only_old: Vec<Key>,
    /// Points that only the new run has.
    pub only_new: Vec<Key>,
}

impl Pair {
    /// Returns the magnitude of the change, regardless of its direction: the absolute logarithm of
    /// the ratio.
    pub fn change(&self) -> f64 {
        self.ratio.map_or(0.0, |ratio| ratio.ln().abs())
    }
}

impl Counts {
    pub(crate) fn of(points: &[Pair], only_old: usize, only_new: usize) -> Self {
        let count = |verdict| points.iter().filter(|pair| pair.verdict == verdict).count();
        Self {
            all: points.len(),
            slower: count(Verdict::Slower),
            faster: count(Verdict::Faster),
            same: count(Verdict::Same),
            inconclusive: count(Verdict::Inconclusive),
            only_old,
            only_new,
        }
    }

    /// Returns the overall verdict: slower if any point is, else faster if any is, else
    /// inconclusive if any is.
    pub(crate) fn verdict(&self) -> Verdict {
        match self {
            Self { slower: 1.., .. } => Verdict::Slower,
            Self { faster: 1.., .. } => Verdict::Faster,
            Self { inconclusive: 1.., .. } => Verdict::Inconclusive,
            _ => Verdict::Same,
        }
    }
}
