//! How much computation hides communication (C10).

use super::{Finding, Unit};
use crate::point::{Point, param, variant};
use crate::results::Record;

/// What overlapping saves, in per cent of the time without.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// From the medians.
    pub percent: f64,
    /// At least: from the far ends of the medians' intervals.
    pub low: f64,
    /// At most.
    pub high: f64,
}

/// The gain of an overlapped run over a blocking one. The interval is conservative: both medians at the ends
/// of their intervals.
pub fn overlap_gain(blocking: &Record, overlapped: &Record) -> Option<Gain> {
    let (before, after) = (blocking.summary()?, overlapped.summary()?);
    let gain = |before: f64, after: f64| (1.0 - after / before) * 100.0;
    (before.interval.low > 0.0).then(|| Gain {
        percent: gain(before.median, after.median),
        low: gain(before.interval.low, after.interval.high),
        high: gain(before.interval.high, after.interval.low),
    })
}

/// The largest gain and the largest loss.
pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let mut gains: Vec<(Gain, &Point)> = records
        .iter()
        .filter(|record| record.point.text(param::VARIANT) == variant::BLOCKING)
        .filter_map(|blocking| Some((overlap_gain(blocking, partner(blocking, records)?)?, &blocking.point)))
        .collect();
    gains.sort_by(|(a, _), (b, _)| a.percent.total_cmp(&b.percent));
    let count = gains.len();
    let mut findings = Vec::new();
    findings.extend(
        gains.last().map(|gain| finding(kernel, &format!("best of {count} gains by overlapping"), gain)),
    );
    findings.extend(
        gains.first().map(|gain| finding(kernel, &format!("worst of {count} gains by overlapping"), gain)),
    );
    findings
}

fn partner<'a>(blocking: &Record, records: &[&'a Record]) -> Option<&'a Record> {
    let wanted = blocking.point.clone().with_text(param::VARIANT, variant::OVERLAPPED);
    records.iter().find(|record| record.point == wanted).copied()
}

fn finding(kernel: &str, what: &str, (gain, point): &(Gain, &Point)) -> Finding {
    let bytes = panto_units::bytes(point.number(param::BYTES).unwrap_or(0));
    let length = point.number(param::LENGTH).unwrap_or(0);
    let apart = point.separation().map(|separation| format!(", {separation}")).unwrap_or_default();
    let label = format!("{what} ({bytes}, {length} doubles{apart})");
    let finding = Finding::new(kernel, label, gain.percent, Unit::Percent);
    Finding { interval: Some((gain.low, gain.high)), ..finding }
}
