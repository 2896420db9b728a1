//! The evidence of one point: the ratio of its medians with an interval, and the p-value of a test.

use panto_stats::{Bootstrap, Interval, mann_whitney, median};

use crate::comparison::{Basis, Settings, Side, Verdict};
use crate::matching::Matched;

/// The evidence of one point, before the correction for multiple comparisons.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evidence {
    pub basis: Basis,
    /// The ratio of the medians with its interval; `None` if a time is zero.
    pub ratio: Option<(f64, Interval)>,
    /// The uncorrected p-value.
    pub p: Option<f64>,
    pub old: Side,
    pub new: Side,
}

/// The resolution of simulated times, in nanoseconds: times that differ by no more than this are
/// equal.
const PICOSECOND: f64 = 1e-3;

/// Returns whether a rank test is possible.
pub(crate) fn is_testable(point: &Matched) -> bool {
    has_several(&point.old) && has_several(&point.new) && !is_identical(point) && !is_exact(point)
}

fn has_several(launches: &[Vec<f64>]) -> bool {
    launches.iter().map(Vec::len).sum::<usize>() > 1
}

impl Evidence {
    /// Returns the evidence of a point. `family` is the number of points that are tested together.
    pub fn of(point: &Matched, family: usize, settings: &Settings) -> Self {
        let (before, after) = (Values::of(&point.old), Values::of(&point.new));
        let basis = basis(point, family, settings);
        let p = match basis {
            Basis::Launches => mann_whitney(&before.medians, &after.medians).ok(),
            Basis::Samples => mann_whitney(&point.old.concat(), &point.new.concat()).ok(),
            Basis::Threshold | Basis::Exact | Basis::Identical => None,
        };
        Self {
            basis,
            ratio: ratio(basis, &before, &after, settings),
            p: p.map(|test| test.p),
            old: before.side(&point.old),
            new: after.side(&point.new),
        }
    }

    /// Returns the verdict, given the corrected p-value.
    ///
    /// The test shows that there is a difference, the interval its direction, and the ratio that it
    /// exceeds the threshold. Without a test, or with a test of samples although there are several
    /// launches, the whole interval must lie beyond the threshold.
    pub fn verdict(&self, p: Option<f64>, settings: &Settings) -> Verdict {
        let Some((ratio, Interval { low, high })) = self.ratio else { return Verdict::Inconclusive };
        let (slower, faster) = (settings.limit(), settings.limit().recip());
        let untested = matches!(self.basis, Basis::Threshold | Basis::Exact);
        let is_shown = untested || p.is_some_and(|p| p < settings.level());
        let is_strict = untested || self.basis == Basis::Samples && self.old.launches + self.new.launches > 2;
        let (above, below) = if is_strict { (slower, faster) } else { (1.0, 1.0) };
        if is_shown && low > above && ratio > slower {
            Verdict::Slower
        } else if is_shown && high < below && ratio < faster {
            Verdict::Faster
        } else if faster <= low && high <= slower {
            Verdict::Same
        } else {
            Verdict::Inconclusive
        }
    }
}

/// The values that the bootstrap resamples: the medians of launches, or the samples of a single
/// launch.
struct Values {
    medians: Vec<f64>,
    samples: Option<Vec<f64>>,
}

impl Side {
    /// Summarizes the launches of one side.
    pub(crate) fn of(launches: &[Vec<f64>]) -> Self {
        Values::of(launches).side(launches)
    }
}

impl Values {
    fn of(launches: &[Vec<f64>]) -> Self {
        let medians = launches.iter().filter_map(|samples| median(samples).ok()).collect();
        let samples = match launches {
            [only] => Some(only.clone()),
            _ => None,
        };
        Self { medians, samples }
    }

    fn resampled(&self) -> &[f64] {
        self.samples.as_deref().unwrap_or(&self.medians)
    }

    fn median(&self) -> f64 {
        median(&self.medians).unwrap_or(0.0)
    }

    fn side(&self, launches: &[Vec<f64>]) -> Side {
        let samples = launches.iter().map(Vec::len).sum();
        Side { median_ns: self.median(), samples, launches: launches.len() }
    }
}

fn ratio(basis: Basis, before: &Values, after: &Values, settings: &Settings) -> Option<(f64, Interval)> {
    let (old, new) = (before.median(), after.median());
    let exactly = |ratio: f64| Some((ratio, Interval { low: ratio, high: ratio }));
    match basis {
        Basis::Identical => return exactly(1.0),
        _ if old <= 0.0 || new <= 0.0 => return None,
        Basis::Exact => return exactly(new / old),
        Basis::Launches | Basis::Samples | Basis::Threshold => {}
    }
    let bootstrap = Bootstrap { confidence: settings.confidence, ..Bootstrap::default() };
    let interval = bootstrap.median_ratio(before.resampled(), after.resampled()).ok()?;
    let ratio = new / old;
    Some((ratio, Interval { low: interval.low.min(ratio), high: interval.high.max(ratio) }))
}

/// Returns the kind of evidence to use: launches if they are enough for a significant result,
/// samples otherwise. A rank test of five launches per side cannot give a p-value below 2 / 252,
/// which is never significant in a family of fifty points.
fn basis(point: &Matched, family: usize, settings: &Settings) -> Basis {
    let (old, new) = (&point.old, &point.new);
    let single = |launches: &[Vec<f64>]| launches.iter().all(|samples| samples.len() < 2);
    if is_identical(point) {
        Basis::Identical
    } else if is_exact(point) {
        Basis::Exact
    } else if !is_testable(point) {
        Basis::Threshold
    } else if least_p(old.len(), new.len()) * (family as f64) < settings.level() {
        Basis::Launches
    } else if single(old) || single(new) {
        Basis::Threshold
    } else {
        Basis::Samples
    }
}

/// Returns whether both sides have the same samples. Single values may be equal by chance, so they
/// do not count.
fn is_identical(point: &Matched) -> bool {
    has_several(&point.old) && point.old == point.new && point.key.machine.is_none()
}

fn is_exact(point: &Matched) -> bool {
    point.key.machine.is_some() && is_constant(&point.old) && is_constant(&point.new)
}

fn is_constant(launches: &[Vec<f64>]) -> bool {
    let mut samples = launches.iter().flatten();
    let first = samples.next();
    first.is_some_and(|first| samples.all(|sample| (sample - first).abs() <= PICOSECOND))
}

/// Returns the smallest p-value of the two-sided rank test of `m` and `n` values: that of samples
/// in which all values of one side exceed all of the other.
pub(crate) fn least_p(m: usize, n: usize) -> f64 {
    let orders: f64 = (1..=m.min(n)).map(|i| (m.max(n) + i) as f64 / i as f64).product();
    2.0 / orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_p_is_that_of_the_test() {
        for (m, n) in [(1, 1), (2, 3), (4, 4), (8, 5)] {
            let side = |from: usize, count: usize| (from..from + count).map(|v| v as f64).collect::<Vec<_>>();
            let p = mann_whitney(&side(0, m), &side(100, n)).expect("numbers").p;
            assert!((least_p(m, n).min(1.0) - p).abs() < 1e-12, "{m} {n}: {p}");
        }
    }
}
