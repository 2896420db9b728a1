//! Findings of CoMet's collectives: their time on all ranks, and their growth with the number of
//! ranks.

use panto_results::{FindingKind, Point, Record, Value, kernel, param, variant};
use panto_stats::least_squares;

use crate::series::{NANO, seconds, series};
use crate::{Finding, IntervalKind, Unit};

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let all = series(records, param::RANKS);
    let mut findings = Vec::new();
    // Only the smallest message, which shows the start-up, and the largest, which shows the
    // bandwidth.
    for (place, (point, series)) in all.iter().enumerate() {
        if place != 0 && place + 1 != all.len() {
            continue;
        }
        let what: Vec<String> = point.params.iter().filter_map(|(name, value)| phrase(name, value)).collect();
        findings.extend(series.last().and_then(|(_, record)| on_all_ranks(kernel, record, &what)));
        findings.extend(growth(kernel, (point, &what), series));
    }
    findings
}

fn on_all_ranks(kernel: &str, record: &Record, what: &[String]) -> Option<Finding> {
    let summary = record.summary()?;
    let label = joined(&format!("{} ranks", record.point.ranks), what);
    let finding = |kind, label, nanos| {
        Finding::new((kernel, kind), &record.point, label, (nanos * NANO, Unit::Seconds))
    };
    if kernel == kernel::comet::BARRIER {
        return Some(finding(FindingKind::MinimumTime, format!("least time, {label}"), summary.min));
    }
    let time = finding(FindingKind::Time, format!("time, {label}"), summary.median);
    Some(time.within(summary.interval, NANO))
}

/// Returns the time that each doubling of the ranks adds: good algorithms need one step more.
fn growth(kernel: &str, (point, what): (&Point, &[String]), series: &[(u64, &Record)]) -> Option<Finding> {
    if series.len() < 3 {
        return None;
    }
    let place = |(ranks, record): &(u64, &Record)| Some(((*ranks as f64).log2(), seconds(record)?));
    let points: Vec<(f64, f64)> = series.iter().filter_map(place).collect();
    let fit = least_squares(&points).ok()?;
    let (slope, label) = (fit.line.slope, joined("each doubling of the ranks", what));
    let width = student(points.len() - 2) * fit.slope_error;
    let finding = Finding::new((kernel, FindingKind::PerDoubling), point, label, (slope, Unit::Seconds));
    Some(finding.between((slope - width, slope + width), IntervalKind::Confidence))
}

/// Returns the 97.5% quantile of Student's t distribution with this many degrees of freedom.
fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
    TABLE.get(freedom.saturating_sub(1)).copied().unwrap_or(2.1)
}

/// Returns a parameter in words; none for the default, a broadcast closed by a barrier.
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

fn joined(first: &str, what: &[String]) -> String {
    std::iter::once(first.to_owned()).chain(what.iter().cloned()).collect::<Vec<_>>().join(", ")
}
