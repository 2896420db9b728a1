//! Findings of the CM-5 paper's experiments (M1-M7): what concurrent messages and longer paths add.

use panto_results::cm5::{MessageSet, figure};
use panto_results::{FindingKind, Point, Record, kernel, param};
use panto_stats::{Comparison, compare};

use crate::series::{Series, series};
use crate::{Finding, IntervalKind, Unit, cm5_contests, cm5_sizes};

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    match kernel {
        kernel::cm5::MESSAGE_SET => sets(kernel, records),
        kernel::cm5::SIMPLE_SEND => cm5_sizes::findings(kernel, records),
        kernel::cm5::PATH_LENGTH => paths(kernel, records),
        _ => cm5_contests::findings(kernel, records),
    }
}

/// Compares each message set with its first message alone, for the smallest message that has bytes
/// and for the largest.
fn sets(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let all = series(records, param::BYTES);
    let mut findings = Vec::new();
    for (point, times) in &all {
        let Ok(set) = point.text(param::SET).parse::<MessageSet>() else { continue };
        let simple = set.simple();
        let base = Point::new(point.ranks).with_text(param::SET, &simple.to_string());
        let Some((_, alone)) = all.iter().find(|(other, _)| *other == base && !set.is_simple()) else {
            continue;
        };
        for (bytes, comparison) in ends(alone, times) {
            let what = format!("{set} against {simple}, {}", panto_units::bytes(bytes));
            findings.extend(both_readings(kernel, (point, &what), &comparison));
        }
    }
    findings
}

/// Returns the comparisons at the smallest size above 0 and at the largest.
fn ends(alone: &Series, together: &Series) -> Vec<(u64, Comparison)> {
    let compared = |(bytes, record): &(u64, &Record)| {
        let (_, base) = alone.iter().find(|(size, _)| size == bytes)?;
        Some((*bytes, compare(&base.samples_ns, &record.samples_ns).ok()?))
    };
    let mut all: Vec<(u64, Comparison)> =
        together.iter().filter(|(bytes, _)| *bytes > 0).filter_map(compared).collect();
    if all.len() > 2 {
        all.drain(1..all.len() - 1);
    }
    all
}

/// Returns both readings of the paper's "degradation", which does not say of what: the time added
/// and the bandwidth lost.
fn both_readings(kernel: &str, (point, what): (&Point, &str), comparison: &Comparison) -> [Finding; 2] {
    let time = |ratio: f64| (ratio - 1.0) * 100.0;
    let bandwidth = |ratio: f64| (1.0 - 1.0 / ratio) * 100.0;
    let finding = |kind, label: String, reading: &dyn Fn(f64) -> f64| {
        let Comparison { ratio, interval, .. } = comparison;
        Finding::new((kernel, kind), point, label, (reading(*ratio), Unit::Percent))
            .between((reading(interval.low), reading(interval.high)), IntervalKind::Confidence)
    };
    [
        finding(FindingKind::TimeAdded, format!("slowdown, {what}: time added"), &time),
        finding(
            FindingKind::BandwidthLost,
            format!("slowdown, {what}: bandwidth of a message lost"),
            &bandwidth,
        ),
    ]
}

/// Compares the farthest rank with the nearest, by size.
fn paths(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let each = |(point, levels): (Point, Series)| {
        let ((_, near), (level, far)) = (levels.first()?, levels.last()?);
        if levels.len() < 2 {
            return None;
        }
        let Comparison { ratio, interval, .. } = compare(&near.samples_ns, &far.samples_ns).ok()?;
        let hops = far.figures.get(figure::HOPS).map(|hops| format!(" ({hops} hops)")).unwrap_or_default();
        let bytes = panto_units::bytes(point.number(param::BYTES)?);
        let more = |ratio: f64| (ratio - 1.0) * 100.0;
        let label = format!("path of length {level}{hops} against the nearest, {bytes}: time added");
        let finding =
            Finding::new((kernel, FindingKind::TimeAdded), &point, label, (more(ratio), Unit::Percent));
        Some(finding.between((more(interval.low), more(interval.high)), IntervalKind::Confidence))
    };
    series(records, param::LEVEL).into_iter().filter_map(each).collect()
}
