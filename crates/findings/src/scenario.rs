//! Findings of scenarios: the share of a delay that a collective absorbs, and the share of a
//! computation that is hidden beside it (S5).

use std::collections::BTreeMap;

use panto_results::{FindingKind, Point, Record, Value, duration, param};

use crate::{Finding, IntervalKind, Unit};

/// The share of a delay, or of what could be hidden beside a computation, that did not add to the
/// time; in per cent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AbsorbedShare {
    /// The share between the medians.
    pub percent: f64,
    /// The lower bound: both medians at the unfavourable ends of their intervals.
    pub low: f64,
    /// The upper bound: both medians at the favourable ends of their intervals.
    pub high: f64,
}

/// Width of the interval, in per cent, above which a share is inconclusive.
const MAX_WIDTH: f64 = 200.0;

impl AbsorbedShare {
    /// Returns whether the interval is narrow enough to conclude anything.
    pub fn is_conclusive(&self) -> bool {
        self.high - self.low <= MAX_WIDTH
    }
}

/// A record with a delay or a computation, and the record of the same point without it.
#[derive(Debug, Clone, Copy)]
pub struct Perturbed<'a> {
    /// The parameter that differs: [`param::DELAY`] or [`param::COMPUTATION`].
    pub axis: &'static str,
    /// The length of the delay or computation, in nanoseconds.
    pub nanos: u64,
    /// The record with delay or computation.
    pub with: &'a Record,
    /// The record without.
    pub without: &'a Record,
}

/// Pairs every record that has a delay or a computation with the record of the same point without.
pub fn perturbed<'a>(records: &[&'a Record]) -> Vec<Perturbed<'a>> {
    let mut idle: BTreeMap<Point, &Record> = BTreeMap::new();
    let mut others = Vec::new();
    for &record in records {
        let Some((axis, nanos)) = extra(&record.point) else { continue };
        match nanos {
            0 => drop(idle.insert(without(&record.point, axis), record)),
            _ => others.push((axis, nanos, record)),
        }
    }
    let partner = |(axis, nanos, with): (&'static str, u64, &'a Record)| {
        let without = *idle.get(&without(&with.point, axis))?;
        Some(Perturbed { axis, nanos, with, without })
    };
    others.into_iter().filter_map(partner).collect()
}

/// Returns the delay or the computation of a point; `None` for a point with both, whose effects
/// cannot be separated.
fn extra(point: &Point) -> Option<(&'static str, u64)> {
    match (point.number(param::DELAY), point.number(param::COMPUTATION)) {
        (Some(delay), None) => Some((param::DELAY, delay)),
        (None, Some(computation)) => Some((param::COMPUTATION, computation)),
        _ => None,
    }
}

fn without(point: &Point, axis: &str) -> Point {
    let mut point = point.clone();
    point.params.remove(axis);
    point
}

impl Perturbed<'_> {
    /// Returns, of a delay, the share that did not make the collective later; of a computation, the
    /// share of the shorter of computation and collective that was hidden beside the other.
    pub fn share(&self) -> Option<AbsorbedShare> {
        let (with, without) = (self.with.summary()?, self.without.summary()?);
        let extra = self.nanos as f64;
        let share = |without: f64, with: f64| {
            let whole = if self.axis == param::DELAY { extra } else { extra.min(without) };
            100.0 * (extra + without - with) / whole
        };
        let found = AbsorbedShare {
            percent: share(without.median, with.median),
            low: share(without.interval.low, with.interval.high),
            high: share(without.interval.high, with.interval.low),
        };
        [found.percent, found.low, found.high].iter().all(|share| share.is_finite()).then_some(found)
    }

    /// Returns how far computation and collective are from equal length, where most can be hidden.
    fn imbalance(&self) -> f64 {
        let collective = self.without.summary().map_or(0.0, |summary| summary.median);
        (self.nanos as f64 / collective).ln().abs()
    }
}

/// Returns, for each collective in each context, the share of the longest delay that is absorbed,
/// or of the computation that is about as long as the collective that is hidden.
pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let mut contexts: BTreeMap<Point, Vec<Perturbed>> = BTreeMap::new();
    for pair in perturbed(records) {
        contexts.entry(without(&pair.with.point, pair.axis)).or_default().push(pair);
    }
    contexts.iter().filter_map(|(point, pairs)| finding(kernel, point, pairs)).collect()
}

fn finding(kernel: &str, point: &Point, pairs: &[Perturbed]) -> Option<Finding> {
    let pair = pairs.iter().min_by(|a, b| rank(a).total_cmp(&rank(b)))?;
    let share = pair.share().filter(AbsorbedShare::is_conclusive)?;
    let time = duration(pair.nanos);
    let (kind, what) = match pair.axis {
        param::DELAY => (FindingKind::AbsorbedDelay, format!("absorbed of a delay of {time}")),
        _ => (FindingKind::HiddenComputation, format!("hidden beside a computation of {time}")),
    };
    let (label, value) = (format!("{}: {what}", context(point)), (share.percent, Unit::Percent));
    let finding = Finding::new((kernel, kind), point, label, value);
    Some(finding.between((share.low, share.high), IntervalKind::Confidence))
}

/// Orders pairs by how much they show: the longest delay or the most balanced computation first.
fn rank(pair: &Perturbed) -> f64 {
    if pair.axis == param::DELAY { -(pair.nanos as f64) } else { pair.imbalance() }
}

/// Describes a point, such as `bcast by library, 8B, 4 ranks, late last`.
fn context(point: &Point) -> String {
    let text = |name: &str| Some(point.text(name)).filter(|text| !text.is_empty());
    let first = text(param::COLLECTIVE).or_else(|| text(param::SCENARIO)).unwrap_or("scenario");
    let by = text(param::IMPLEMENTATION).map(|who| format!(" by {who}")).unwrap_or_default();
    let bytes = point.number(param::BYTES).map(panto_units::bytes);
    let ranks = format!("{} ranks", point.ranks);
    let known = [param::COLLECTIVE, param::SCENARIO, param::IMPLEMENTATION, param::BYTES, param::CALL];
    let rest = point.params.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    let rest = rest.map(|(name, value): (&String, &Value)| format!("{name} {value}"));
    let parts = [Some(format!("{first}{by}")), bytes, Some(ranks)].into_iter().flatten().chain(rest);
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use panto_results::Samples;
    use panto_units::Time;

    use super::*;

    fn record(axis: &str, extra: u64, nanos: f64) -> Record {
        let point =
            Point::new(4).with_text(param::COLLECTIVE, "bcast").with(param::BYTES, 8).with(axis, extra);
        Record::new("scenario/x", &point, Samples { nanos: vec![nanos; 8], ..Samples::exact(Time::ZERO) })
    }

    fn one(axis: &str, times: &[(u64, f64)]) -> Finding {
        let records: Vec<Record> = times.iter().map(|&(extra, nanos)| record(axis, extra, nanos)).collect();
        let mut found = findings("scenario/x", &records.iter().collect::<Vec<_>>());
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    #[test]
    fn a_delay_is_absorbed_as_far_as_it_adds_nothing() {
        let found = one(param::DELAY, &[(0, 1_000.0), (400, 1_100.0), (4_000, 4_000.0)]);
        assert_eq!(found.label, "bcast, 8B, 4 ranks: absorbed of a delay of 4us");
        assert_eq!((found.value, found.interval), (25.0, Some((25.0, 25.0))));
    }

    #[test]
    fn computation_hides_the_shorter_of_both() {
        // Perfect overlap, none, and half of it.
        for (with, hidden) in [(1_000.0, 100.0), (2_000.0, 0.0), (1_500.0, 50.0)] {
            let found = one(param::COMPUTATION, &[(0, 1_000.0), (1_000, with), (64_000, 65_000.0)]);
            assert_eq!(found.label, "bcast, 8B, 4 ranks: hidden beside a computation of 1us");
            assert!((found.value - hidden).abs() < 1e-9, "{}", found.value);
        }
    }

    /// Samples that spread over more than the collective's own time are inconclusive.
    #[test]
    fn inconclusive_shares_are_omitted() {
        let spread = |extra: u64| {
            let mut record = record(param::COMPUTATION, extra, 1_000.0);
            record.samples_ns = (1..=20).map(|i| f64::from(i * i) * 100.0).collect();
            record
        };
        let records = [spread(0), spread(1_000)];
        assert!(!perturbed(&records.iter().collect::<Vec<_>>())[0].share().expect("a share").is_conclusive());
        assert!(findings("scenario/x", &records.iter().collect::<Vec<_>>()).is_empty());
    }

    #[test]
    fn a_record_without_its_counterpart_has_no_finding() {
        let records = [record(param::DELAY, 400, 1_100.0)];
        assert!(findings("scenario/x", &records.iter().collect::<Vec<_>>()).is_empty());
    }
}
