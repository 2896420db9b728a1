//! Findings of CoMet's echo under load, handlers and files.

use panto_results::{FindingKind, Point, Record, param};

use crate::series::{NANO, Series, seconds, series};
use crate::{Finding, IntervalKind, Unit};

/// Returns the slowdown under each load: the median over the sizes, with the extremes.
pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let loads = series(records, param::BYTES);
    let loaded = loads.iter().filter(|(point, _)| point.number(param::LOAD).is_some_and(|load| load > 0));
    let slowdown = |(point, series): &(Point, Series)| {
        let same = |other: &Point| other.ranks == point.ranks && other.separation() == point.separation();
        let is_idle = |other: &Point| other.number(param::LOAD) == Some(0) && same(other);
        let (_, idle) = loads.iter().find(|(other, _)| is_idle(other))?;
        slowdown(kernel, point, series, idle)
    };
    loaded.filter_map(slowdown).collect()
}

fn slowdown(
    kernel: &str,
    point: &Point,
    series: &[(u64, &Record)],
    idle: &[(u64, &Record)],
) -> Option<Finding> {
    let ratio = |(bytes, record): &(u64, &Record)| {
        let (_, base) = idle.iter().find(|(size, _)| size == bytes)?;
        Some((seconds(record)? / seconds(base)? - 1.0) * 100.0)
    };
    let mut slower: Vec<f64> =
        series.iter().filter_map(ratio).filter(|percent| percent.is_finite()).collect();
    slower.sort_by(f64::total_cmp);
    let middle = panto_stats::median(&slower).ok()?;
    let load = point.number(param::LOAD)?;
    let apart = point.separation().map(|separation| format!(", {separation}")).unwrap_or_default();
    let label = format!("slowdown under {load}% load{apart}, median over the sizes");
    let finding = Finding::new((kernel, FindingKind::Slowdown), point, label, (middle, Unit::Percent));
    Some(finding.between((*slower.first()?, *slower.last()?), IntervalKind::Extremes))
}

/// Returns the latency of a handler, from the send to what `until` names: the median and the
/// maximum.
pub(super) fn latencies(kernel: &str, records: &[&Record], until: &str) -> Vec<Finding> {
    let each = |record: &&Record| {
        let summary = record.summary()?;
        let bytes = panto_units::bytes(record.point.number(param::BYTES)?);
        let finding = |kind, what: &str, nanos| {
            let value = (nanos * NANO, Unit::Seconds);
            Finding::new((kernel, kind), &record.point, format!("{what}, {bytes}"), value)
        };
        Some([
            finding(FindingKind::HandlerLatency, until, summary.median).within(summary.interval, NANO),
            finding(FindingKind::MaximumHandlerLatency, &format!("{until}, slowest"), summary.max),
        ])
    };
    let mut sorted = records.to_vec();
    sorted.sort_by(|a, b| a.point.cmp(&b.point));
    sorted.iter().filter_map(each).flatten().collect()
}

/// Returns the best rate of each way to use files.
pub(super) fn rates(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let mut best: Vec<Finding> = Vec::new();
    for record in records {
        let Some(rate) = record.summary().and_then(|summary| record.bandwidth(summary.median)) else {
            continue;
        };
        let variant = record.point.text(param::VARIANT);
        if let Some(finding) = best.iter_mut().find(|finding| finding.point.text(param::VARIANT) == variant) {
            finding.value = finding.value.max(rate);
        } else {
            let point = Point::new(0).with_text(param::VARIANT, variant);
            let value = (rate, Unit::BytesPerSecond);
            let label = format!("best rate, {variant}");
            best.push(Finding::new((kernel, FindingKind::FileRate), &point, label, value));
        }
    }
    best
}
