//! What the samples of one point say.

use panto_stats::{Bootstrap, Interval, mann_whitney, median};

use crate::comparison::{Basis, Settings, Side, Verdict};
use crate::matching::Matched;

/// What is known of a point before the family is looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evidence {
    pub basis: Basis,
    /// Absent where a time is zero.
    pub ratio: Option<(f64, Interval)>,
    /// Not corrected yet.
    pub p: Option<f64>,
    pub old: Side,
    pub new: Side,
}

/// Simulated times are the same to the picosecond.
const PICOSECOND: f64 = 1e-3;

/// Is a rank test possible at all?
pub(crate) fn is_testable(point: &Matched) -> bool {
    has_several(&point.old) && has_several(&point.new) && !is_identical(point) && !is_exact(point)
}

fn has_several(launches: &[Vec<f64>]) -> bool {
    launches.iter().map(Vec::len).sum::<usize>() > 1
}

impl Evidence {
    /// `family` is the number of points that are tested together.
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

    /// With the corrected p-value.
    ///
    /// A test shows that there is a difference, the interval its direction, and the ratio that it matters. Without a test, or
    /// with one that knows nothing of launches where there are several, the whole interval must lie beyond the threshold.
    pub fn verdict(&self, p: Option<f64>, settings: &Settings) -> Verdict {
        let Some((ratio, Interval { low, high })) = self.ratio else { return Verdict::CannotTell };
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
            Verdict::CannotTell
        }
    }
}

/// The medians of launches, or the samples where there is one launch: what an interval is drawn from.
struct Values {
    medians: Vec<f64>,
    samples: Option<Vec<f64>>,
}

impl Side {
    /// What one side measured.
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

    fn drawn(&self) -> &[f64] {
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
    let interval = bootstrap.median_ratio(before.drawn(), after.drawn()).ok()?;
    let ratio = new / old;
    Some((ratio, Interval { low: interval.low.min(ratio), high: interval.high.max(ratio) }))
}

/// Launches are the witnesses where they are enough to convince, samples where they are not: a rank test of five launches on
/// each side cannot give less than 2 / 252, which is nothing in a family of fifty points.
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

/// Single numbers may be equal by chance, many cannot.
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

/// The smallest p-value that the two-sided rank test of so many values can have: all of one side above all of the other.
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
