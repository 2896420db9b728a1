//! What scenarios show of a collective: whether a delay is absorbed, and how much computation hides (S5).

use std::collections::BTreeMap;

use super::{Finding, Unit};
use crate::point::{Point, Value, duration, param};
use crate::results::Record;

/// The part of a delay, or of what computation could hide, that did not add to the time; in per cent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// From the medians.
    pub percent: f64,
    /// At least: both medians at the far ends of their intervals.
    pub low: f64,
    /// At most.
    pub high: f64,
}

/// A share whose interval is wider than this many per cent says nothing.
const MOST_WIDTH: f64 = 200.0;

impl Share {
    /// Is it known well enough to say something?
    pub fn is_known(&self) -> bool {
        self.high - self.low <= MOST_WIDTH
    }
}

/// A point with a delay or a computation, and the same without.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// Which of the two it has: [`param::DELAY`] or [`param::COMPUTATION`].
    pub axis: &'static str,
    /// How long it is, in nanoseconds.
    pub nanos: u64,
    /// The point.
    pub with: &'a Record,
    /// The same without delay or computation.
    pub without: &'a Record,
}

/// Every point of these records that has a partner without its delay or computation.
pub fn beside<'a>(records: &[&'a Record]) -> Vec<Beside<'a>> {
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
        Some(Beside { axis, nanos, with, without })
    };
    others.into_iter().filter_map(partner).collect()
}

/// The delay or the computation. A scenario with both has no simple answer.
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

impl Beside<'_> {
    /// Of a delay, the part that did not make the collective later. Of a computation, the part of the shorter of the two, computation
    /// and collective, that went on beside the other.
    pub fn share(&self) -> Option<Share> {
        let (with, without) = (self.with.summary()?, self.without.summary()?);
        let extra = self.nanos as f64;
        let share = |without: f64, with: f64| {
            let whole = if self.axis == param::DELAY { extra } else { extra.min(without) };
            100.0 * (extra + without - with) / whole
        };
        let found = Share {
            percent: share(without.median, with.median),
            low: share(without.interval.low, with.interval.high),
            high: share(without.interval.high, with.interval.low),
        };
        [found.percent, found.low, found.high].iter().all(|share| share.is_finite()).then_some(found)
    }

    /// How far computation and collective are from being equally long: there, most can be hidden.
    fn imbalance(&self) -> f64 {
        let collective = self.without.summary().map_or(0.0, |summary| summary.median);
        (self.nanos as f64 / collective).ln().abs()
    }
}

/// For each collective in each context: how much of the longest delay is absorbed, or of computation as long as the collective hidden.
pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let mut contexts: BTreeMap<Point, Vec<Beside>> = BTreeMap::new();
    for pair in beside(records) {
        contexts.entry(without(&pair.with.point, pair.axis)).or_default().push(pair);
    }
    contexts.iter().filter_map(|(point, pairs)| finding(kernel, point, pairs)).collect()
}

fn finding(kernel: &str, point: &Point, pairs: &[Beside]) -> Option<Finding> {
    let pair = pairs.iter().min_by(|a, b| telling(a).total_cmp(&telling(b)))?;
    let share = pair.share().filter(Share::is_known)?;
    let time = duration(pair.nanos);
    let what = match pair.axis {
        param::DELAY => format!("absorbed of a delay of {time}"),
        _ => format!("hidden beside a computation of {time}"),
    };
    let finding = Finding::new(kernel, format!("{}: {what}", context(point)), share.percent, Unit::Percent);
    Some(Finding { interval: Some((share.low, share.high)), ..finding })
}

/// The point that tells most comes first: the longest delay, the most balanced computation.
fn telling(pair: &Beside) -> f64 {
    if pair.axis == param::DELAY { -(pair.nanos as f64) } else { pair.imbalance() }
}

/// `bcast by library, 8B, 4 ranks, late last`.
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
    use panto_transport::Time;

    use super::*;
    use crate::measure::Samples;

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

    /// Samples that spread over more than the collective takes leave nothing to say of it.
    #[test]
    fn what_is_not_known_is_not_said() {
        let spread = |extra: u64| {
            let mut record = record(param::COMPUTATION, extra, 1_000.0);
            record.samples_ns = (1..=20).map(|i| f64::from(i * i) * 100.0).collect();
            record
        };
        let records = [spread(0), spread(1_000)];
        assert!(!beside(&records.iter().collect::<Vec<_>>())[0].share().expect("a share").is_known());
        assert!(findings("scenario/x", &records.iter().collect::<Vec<_>>()).is_empty());
    }

    #[test]
    fn without_a_partner_nothing_is_said() {
        let records = [record(param::DELAY, 400, 1_100.0)];
        assert!(findings("scenario/x", &records.iter().collect::<Vec<_>>()).is_empty());
    }
}
