//! How much overlapping an exchange with computation saves (C10).

use panto_results::{FindingKind, Point, Record, param, variant};

use crate::{Finding, IntervalKind, Unit};

/// The time that overlapping saves, in per cent of the time without.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverlapGain {
    /// The gain between the medians.
    pub percent: f64,
    /// The lower bound: both medians at the unfavourable ends of their intervals.
    pub low: f64,
    /// The upper bound: both medians at the favourable ends of their intervals.
    pub high: f64,
}

/// Returns the gain of an overlapped run over a blocking one. The interval is conservative: both
/// medians at the ends of their intervals.
pub fn overlap_gain(blocking: &Record, overlapped: &Record) -> Option<OverlapGain> {
    let (before, after) = (blocking.summary()?, overlapped.summary()?);
    let gain = |before: f64, after: f64| (1.0 - after / before) * 100.0;
    (before.interval.low > 0.0).then(|| OverlapGain {
        percent: gain(before.median, after.median),
        low: gain(before.interval.low, after.interval.high),
        high: gain(before.interval.high, after.interval.low),
    })
}

/// Returns the largest and the smallest gain.
pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let mut gains: Vec<(OverlapGain, &Point)> = records
        .iter()
        .filter(|record| record.point.text(param::VARIANT) == variant::BLOCKING)
        .filter_map(|blocking| Some((overlap_gain(blocking, partner(blocking, records)?)?, &blocking.point)))
        .collect();
    gains.sort_by(|(a, _), (b, _)| a.percent.total_cmp(&b.percent));
    let count = gains.len();
    let best = gains.last().map(|gain| (FindingKind::BestOverlapGain, "best", gain));
    let worst = gains.first().map(|gain| (FindingKind::WorstOverlapGain, "worst", gain));
    let finding = |(kind, which, gain)| {
        finding((kernel, kind), &format!("{which} of {count} gains by overlapping"), gain)
    };
    best.into_iter().chain(worst).map(finding).collect()
}

fn partner<'a>(blocking: &Record, records: &[&'a Record]) -> Option<&'a Record> {
    let wanted = blocking.point.clone().with_text(param::VARIANT, variant::OVERLAPPED);
    records.iter().find(|record| record.point == wanted).copied()
}

fn finding(kind: (&str, FindingKind), what: &str, (gain, point): &(OverlapGain, &Point)) -> Finding {
    let bytes = panto_units::bytes(point.number(param::BYTES).unwrap_or(0));
    let length = point.number(param::LENGTH).unwrap_or(0);
    let apart = point.separation().map(|separation| format!(", {separation}")).unwrap_or_default();
    let label = format!("{what} ({bytes}, {length} doubles{apart})");
    Finding::new(kind, point, label, (gain.percent, Unit::Percent))
        .between((gain.low, gain.high), IntervalKind::Confidence)
}
