//! How collectives grow with the number of ranks.

use panto_stats::least_squares;

use super::{Finding, NANO, Unit, seconds, series};
use crate::point::{Value, param, variant};
use crate::results::Record;

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let all = series(records, "ranks");
    let mut findings = Vec::new();
    // The smallest message tells the start-up, the largest the bandwidth.
    for (place, (point, series)) in all.iter().enumerate() {
        if place != 0 && place + 1 != all.len() {
            continue;
        }
        let what = point.params.iter().filter_map(|(name, value)| phrase(name, value));
        let what: Vec<String> = what.collect();
        findings.extend(series.last().and_then(|(ranks, record)| most(kernel, *ranks, record, &what)));
        findings.extend(growth(kernel, series, &what));
    }
    findings
}

fn most(kernel: &str, ranks: u64, record: &Record, what: &[String]) -> Option<Finding> {
    let summary = record.summary()?;
    let label = words(&format!("{ranks} ranks"), what);
    if kernel.ends_with("barrier") {
        return Some(Finding::new(kernel, format!("least time, {label}"), summary.min * NANO, Unit::Seconds));
    }
    let finding = Finding::new(kernel, format!("time, {label}"), summary.median * NANO, Unit::Seconds);
    Some(finding.within(summary.interval, NANO))
}

/// Good algorithms take a step more each time the number of ranks doubles.
fn growth(kernel: &str, series: &[(u64, &Record)], what: &[String]) -> Option<Finding> {
    if series.len() < 3 {
        return None;
    }
    let point = |(ranks, record): &(u64, &Record)| Some(((*ranks as f64).log2(), seconds(record)?));
    let points: Vec<(f64, f64)> = series.iter().filter_map(point).collect();
    let fit = least_squares(&points).ok()?;
    let finding =
        Finding::new(kernel, words("each doubling of the ranks", what), fit.line.slope, Unit::Seconds);
    let width = student(points.len() - 2) * fit.slope_error;
    Some(Finding { interval: Some((fit.line.slope - width, fit.line.slope + width)), ..finding })
}

/// The 97.5 % quantile of Student's distribution: few numbers of ranks make wide intervals.
fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
    TABLE.get(freedom.saturating_sub(1)).copied().unwrap_or(2.1)
}

/// A parameter in words; the usual way to close a broadcast goes without saying.
fn phrase(name: &str, value: &Value) -> Option<String> {
    match (name, value) {
        (param::BYTES, Value::Number(bytes)) => Some(panto_units::bytes(*bytes)),
        (param::LENGTH, Value::Number(length)) => Some(format!("{length} doubles")),
        (param::VARIANT, Value::Text(text)) if text == variant::OPEN => {
            Some("without a closing barrier".into())
        }
        _ => None,
    }
}

fn words(first: &str, what: &[String]) -> String {
    std::iter::once(first.to_owned()).chain(what.iter().cloned()).collect::<Vec<_>>().join(", ")
}
