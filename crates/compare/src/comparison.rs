//! The outcome of a comparison.

use std::fmt;

use serde::Serialize;

use crate::facts::Difference;
use crate::key::Key;

/// What counts as a change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Settings {
    /// Changes up to this part are of no practical weight: 0.05 is five per cent.
    pub threshold: f64,
    /// Confidence of intervals; what is left of 1 is how often the whole family may raise a false alarm.
    pub confidence: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { threshold: 0.05, confidence: 0.95 }
    }
}

impl Settings {
    /// The ratio of times from which on it is slower; its inverse is where faster begins.
    pub fn limit(&self) -> f64 {
        1.0 + self.threshold
    }

    /// p-values below it count as evidence.
    pub(crate) fn level(&self) -> f64 {
        1.0 - self.confidence
    }
}

/// What a comparison shows of the new times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// They are longer, by more than the threshold.
    Slower,
    /// They are shorter, by more than the threshold.
    Faster,
    /// The samples are too few or too noisy.
    CannotTell,
    /// They are not different by more than the threshold.
    Same,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::CannotTell => "cannot tell",
            Self::Same => "same",
        })
    }
}

/// What a verdict rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// A rank test of the medians of launches.
    Launches,
    /// A rank test of single samples: it holds for these launches.
    Samples,
    /// No test is possible: a side has one number, or few launches of one number each. The threshold decides alone.
    Threshold,
    /// Simulated times without noise: they are what they are.
    Exact,
    /// Both sides hold the very same samples.
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

/// What one side measured at a point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Side {
    /// The median, of several launches that of their medians, in nanoseconds.
    pub median_ns: f64,
    /// Samples of all launches.
    pub samples: usize,
    /// Launches.
    pub launches: usize,
}

/// A point that both sides measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The point.
    #[serde(flatten)]
    pub key: Key,
    /// What the point is called in the new run, where another benchmark measured it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterpart: Option<Key>,
    /// What follows.
    pub verdict: Verdict,
    /// What it rests on.
    pub basis: Basis,
    /// The new median over the old one: above 1, the new run is slower. Absent where a time is zero.
    pub ratio: Option<f64>,
    /// The lower end of the ratio's interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The p-value of Mann and Whitney's test, corrected for the number of points; absent where there was no test.
    pub p: Option<f64>,
    /// Why it cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The old run.
    pub old: Side,
    /// The new run.
    pub new: Side,
}

/// How many points have which verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Points that both sides measured.
    pub all: usize,
    /// Slower ones.
    pub slower: usize,
    /// Faster ones.
    pub faster: usize,
    /// Those without a change.
    pub same: usize,
    /// Those that cannot be told.
    pub cannot_tell: usize,
    /// Points of the old run that the new one does not have.
    pub only_old: usize,
    /// Points of the new run that the old one does not have.
    pub only_new: usize,
}

/// Two runs beside each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The files of the old run.
    pub old: String,
    /// The files of the new run.
    pub new: String,
    /// What counted as a change.
    pub settings: Settings,
    /// What follows for all points together.
    pub verdict: Verdict,
    /// The geometric mean of all ratios.
    pub mean_ratio: Option<f64>,
    /// How many points have which verdict.
    pub counts: Counts,
    /// What else was different.
    pub differences: Vec<Difference>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
    /// The points that both sides measured, the most important first.
    pub points: Vec<Pair>,
    /// Points of the old run alone.
    pub only_old: Vec<Key>,
    /// Points of the new run alone.
    pub only_new: Vec<Key>,
}

impl Pair {
    /// How large the change is, whatever its direction.
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
            cannot_tell: count(Verdict::CannotTell),
            only_old,
            only_new,
        }
    }

    /// One slower point makes the whole slower; and what cannot be told of a point cannot be told of all.
    pub(crate) fn verdict(&self) -> Verdict {
        match self {
            Self { slower: 1.., .. } => Verdict::Slower,
            Self { faster: 1.., .. } => Verdict::Faster,
            Self { cannot_tell: 1.., .. } => Verdict::CannotTell,
            _ => Verdict::Same,
        }
    }
}
