//! The doubts about one point.

use std::fmt;

use panto_units::percent;

use super::Grade;
use crate::{Record, StopReason};

/// Shares from which a point is fair, and from which it is poor.
struct Limits {
    fair: f64,
    poor: f64,
}

/// Difference of the passes' medians, relative to the median.
const SPREAD: Limits = Limits { fair: 0.1, poor: 0.25 };
/// Relative half-width of the interval of the median.
const WIDTH: Limits = Limits { fair: 0.05, poor: 0.2 };
/// Share of disturbed samples.
const DISTURBED: Limits = Limits { fair: 0.5, poor: 0.85 };
/// Share of the cores' time that other processes take: half a core of two is a busy neighbour,
/// whose use of caches and memory shows in no sample alone.
const OTHERS: Limits = Limits { fair: 0.05, poor: 0.2 };
/// Share of the cores' time that the hypervisor takes.
const STEAL: Limits = Limits { fair: 0.05, poor: 0.25 };

/// A reason not to believe a figure, with its size as a fraction.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Doubt {
    /// Other processes took this share of the cores' time.
    Others(f64),
    /// The hypervisor took this share of the cores' time.
    Steal(f64),
    /// This share of the samples was disturbed.
    Disturbed(f64),
    /// The medians of the passes differ by this share.
    Spread(f64),
    /// The half-width of the interval of the median, relative to it.
    Width(f64),
    /// The time is this share above that of both neighbouring sizes.
    Peak(f64),
}

impl Doubt {
    /// Returns the grade that this doubt allows at most.
    pub fn grade(self) -> Grade {
        let (size, limits) = match self {
            Self::Others(size) => (size, OTHERS),
            Self::Steal(size) => (size, STEAL),
            Self::Disturbed(size) => (size, DISTURBED),
            Self::Spread(size) => (size, SPREAD),
            Self::Width(size) => (size, WIDTH),
            Self::Peak(_) => return Grade::Fair,
        };
        match size {
            size if size > limits.poor => Grade::Poor,
            size if size > limits.fair => Grade::Fair,
            _ => Grade::Good,
        }
    }

    /// Returns its size as a fraction.
    pub fn size(self) -> f64 {
        match self {
            Self::Others(size)
            | Self::Steal(size)
            | Self::Disturbed(size)
            | Self::Spread(size)
            | Self::Width(size)
            | Self::Peak(size) => size,
        }
    }
}

/// What is doubted, as the end of a sentence about a point.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = percent(100.0 * self.size());
        match self {
            Self::Others(_) => write!(f, "other processes took {size} of the cores' time"),
            Self::Steal(_) => write!(f, "the hypervisor took {size} of the cores' time"),
            Self::Disturbed(_) => write!(f, "{size} of the samples were disturbed"),
            Self::Spread(_) => write!(f, "the passes differ by {size}"),
            Self::Width(_) => write!(f, "the interval is +-{size}"),
            Self::Peak(_) => write!(f, "the time is {size} above that of both neighbouring sizes"),
        }
    }
}

/// Returns the doubts about a point that keep it from being good, the worst first; none about
/// simulated times and points without samples.
pub fn assess(record: &Record) -> Vec<Doubt> {
    if record.machine.is_some() || record.absent.is_some() || record.samples_ns.is_empty() {
        return Vec::new();
    }
    // The interval matters only if sampling ended before it was narrow enough.
    let wide = record.summary().filter(|_| record.stop == StopReason::Budget);
    let doubts = [
        record.others.map(Doubt::Others),
        record.steal.map(Doubt::Steal),
        Some(Doubt::Disturbed(1.0 - record.undisturbed_share())),
        record.spread().map(Doubt::Spread),
        wide.map(|summary| Doubt::Width(summary.relative_half_width())),
    ];
    let mut doubts: Vec<Doubt> =
        doubts.into_iter().flatten().filter(|doubt| doubt.grade() > Grade::Good).collect();
    doubts.sort_by_key(|doubt| std::cmp::Reverse(doubt.grade()));
    doubts
}
