//! Findings of the matrix kernels: growth with the dimension, linear for edges and quadratic for
//! blocks (C20).

use panto_results::{FindingKind, Point, Record, param};
use panto_stats::theil_sen;

use crate::series::{NANO, seconds, series};
use crate::{Finding, Unit};

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let all = series(records, param::DIM);
    all.iter().flat_map(|(point, series)| of_series(kernel, point, series)).collect()
}

fn of_series(kernel: &str, point: &Point, series: &[(u64, &Record)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let variant = named(" ", point.text(param::VARIANT));
    let variant = variant + &named(" by ", point.text(param::IMPLEMENTATION));
    if let Some((dim, record)) = series.last()
        && let Some(summary) = record.summary()
    {
        let label = format!("time{variant}, {dim} x {dim} on {} ranks", record.point.ranks);
        let value = (summary.median * NANO, Unit::Seconds);
        let finding = Finding::new((kernel, FindingKind::Time), &record.point, label, value);
        findings.push(finding.within(summary.interval, NANO));
    }
    findings.extend(exponent(kernel, (point, &variant), series));
    findings
}

/// Returns a name with what stands before it; nothing without a name.
fn named(before: &str, name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("{before}{name}") }
}

/// Returns the slope in a log-log plot over the upper half of the dimensions, where the start-up
/// time no longer matters.
fn exponent(kernel: &str, (context, variant): (&Point, &str), series: &[(u64, &Record)]) -> Option<Finding> {
    let upper = &series[series.len() / 2..];
    if upper.len() < 3 {
        return None;
    }
    let point = |(dim, record): &(u64, &Record)| Some(((*dim as f64).ln(), seconds(record)?.ln()));
    let points: Vec<(f64, f64)> = upper.iter().filter_map(point).collect();
    let line = theil_sen(&points).ok()?;
    let label = format!("exponent of growth with the dimension{variant}");
    Some(Finding::new((kernel, FindingKind::GrowthExponent), context, label, (line.slope, Unit::Number)))
}
