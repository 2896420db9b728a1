//! What the experiments of the CM-5 paper show (M1-M7).

use panto_stats::{Comparison, compare};

use super::{Finding, Unit, cm5_rivals, cm5_sizes, series};
use crate::cm5::{HOPS, MessageSet};
use crate::point::{Point, param};
use crate::results::Record;

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    match kernel {
        "cm5/message-set" => sets(kernel, records),
        "cm5/simple-send" => cm5_sizes::findings(kernel, records),
        "cm5/path-length" => paths(kernel, records),
        _ => cm5_rivals::findings(kernel, records),
    }
}

/// Times by size.
type BySize<'a> = Vec<(u64, &'a Record)>;

/// What sending more messages at once costs each of them, for the smallest message that has bytes and the largest.
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
            findings.extend(both_readings(kernel, &what, &comparison));
        }
    }
    findings
}

/// The comparisons at the smallest size above 0 and at the largest.
fn ends(alone: &BySize, together: &BySize) -> Vec<(u64, Comparison)> {
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

/// The paper speaks of degradation and does not say of what: time that is added, or bandwidth that is lost.
fn both_readings(kernel: &str, what: &str, comparison: &Comparison) -> [Finding; 2] {
    let time = |ratio: f64| (ratio - 1.0) * 100.0;
    let bandwidth = |ratio: f64| (1.0 - 1.0 / ratio) * 100.0;
    let finding = |label: String, reading: &dyn Fn(f64) -> f64| {
        let finding = Finding::new(kernel, label, reading(comparison.ratio), Unit::Percent);
        Finding {
            interval: Some((reading(comparison.interval.low), reading(comparison.interval.high))),
            ..finding
        }
    };
    [
        finding(format!("slowdown, {what}: time added"), &time),
        finding(format!("slowdown, {what}: bandwidth of a message lost"), &bandwidth),
    ]
}

/// What the farthest rank takes more than the nearest, by size.
fn paths(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let each = |(point, levels): (Point, Vec<(u64, &Record)>)| {
        let ((_, near), (level, far)) = (levels.first()?, levels.last()?);
        if levels.len() < 2 {
            return None;
        }
        let Comparison { ratio, interval, .. } = compare(&near.samples_ns, &far.samples_ns).ok()?;
        let hops = far.figures.get(HOPS).map(|hops| format!(" ({hops} hops)")).unwrap_or_default();
        let bytes = panto_units::bytes(point.number(param::BYTES)?);
        let more = |ratio: f64| (ratio - 1.0) * 100.0;
        let label = format!("path of length {level}{hops} against the nearest, {bytes}: time added");
        let finding = Finding::new(kernel, label, more(ratio), Unit::Percent);
        Some(Finding { interval: Some((more(interval.low), more(interval.high))), ..finding })
    };
    series(records, param::LEVEL).into_iter().filter_map(each).collect()
}
