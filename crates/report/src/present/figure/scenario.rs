//! Figures of the suite `scenario` (S8): one per collective, with its implementations side by side.

use std::collections::BTreeMap;

use panto_findings::{AbsorbedShare, Perturbed, perturbed};
use panto_results::{Manifest, Record, kernel, param};

use super::super::group::Group;
use super::super::param::{RANKS, label};
use super::super::phrases;
use super::{axes, curves, origin, with_origin};
use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};

/// Upper limit of curves per chart: more cannot be distinguished.
const MAX_CURVES: usize = 8;

/// Returns whether a kernel belongs to this suite.
pub fn is_scenario(kernel: &str) -> bool {
    kernel::suite_of(kernel) == kernel::scenario::SUITE
}

/// Returns a figure per collective or scenario of a kernel of the suite, with a name for its file:
/// time to completion against the kernel's axis, against the number of participants if there are
/// several, and the share of time absorbed or hidden.
pub fn scenario_figures(
    kernel: &str,
    records: &[Record],
    manifest: Option<&Manifest>,
) -> Vec<(String, Figure)> {
    let mut groups: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.kernel == kernel) {
        groups.entry(subject(record)).or_default().push(record.clone());
    }
    let figure = |(subject, records): (String, Vec<Record>)| {
        let mut charts = charts(kernel, &subject, &records);
        if let (Some(first), Some(manifest)) = (charts.first_mut(), manifest) {
            *first = with_origin(first.clone(), &origin(manifest));
        }
        (phrases::one_line(&format!("{kernel}-{subject}")), Figure::new(charts))
    };
    groups.into_iter().map(figure).collect()
}

/// Returns the collective, and the scenario where there are several.
fn subject(record: &Record) -> String {
    let parts = [param::SCENARIO, param::COLLECTIVE].map(|name| record.point.text(name));
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

fn charts(kernel: &str, subject: &str, records: &[Record]) -> Vec<Chart> {
    let usual = Group::of(kernel, records);
    // A barrier has no size: only its participants vary.
    let has_axis = records.iter().any(|record| record.point.number(&usual.axis).is_some());
    let mut charts = if has_axis { curves::charts(&usual) } else { Vec::new() };
    let several = records.iter().any(|record| record.point.ranks != records[0].point.ranks);
    if several || !has_axis {
        charts.extend(curves::charts(&Group::against(Some(RANKS), kernel, records)).into_iter().take(1));
    }
    let prefix = phrases::capitalised(&subject_title(kernel, subject));
    for chart in &mut charts {
        let rest = chart.title.split_once(": ").map_or(chart.title.as_str(), |(_, rest)| rest);
        chart.title = format!("{prefix}: {rest}");
    }
    charts.extend(shares(&usual, &prefix));
    charts
}

fn subject_title(kernel: &str, subject: &str) -> String {
    match kernel.rsplit('/').next() {
        Some("only") => format!("{subject} alone"),
        Some("delay") => format!("{subject}, one participant late"),
        Some("overlap") => format!("{subject} beside computation"),
        _ => subject.to_owned(),
    }
}

/// Returns the share of a delay that is absorbed, or of the operation that computation hides, in
/// percent.
fn shares(group: &Group, prefix: &str) -> Option<Chart> {
    let pairs = perturbed(&group.records);
    let axis = pairs.first()?.axis;
    let names: Vec<&str> = group.curve_names().into_iter().filter(|name| *name != axis).collect();
    let mut series: BTreeMap<String, Vec<Point>> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.axis == axis) {
        series.entry(curve(pair, &names)).or_default().extend(point(pair));
    }
    let (title, y) = match axis {
        param::DELAY => ("absorbed delay", "absorbed share of the delay"),
        _ => ("overlap", "hidden share of the shorter of both"),
    };
    let y = Axis::new(y, Scale::Linear, Unit::Percent);
    let mut chart = Chart::new(format!("{prefix}: {title}"), axes::of_parameter(axis), y).subtitle(
        "relative to the same point without it; intervals from the outer ends of those of the medians",
    );
    let all = series.len();
    for (name, points) in series.into_iter().take(MAX_CURVES) {
        chart = chart.series(Series::new(name, Style::LineAndDots, points));
    }
    if all > MAX_CURVES {
        chart = chart.note(format!("Showing {MAX_CURVES} of {all} curves."));
    }
    Some(chart)
}

fn curve(pair: &Perturbed, names: &[&str]) -> String {
    let labels = names.iter().map(|name| label(name, super::super::param::value(pair.with, name).as_ref()));
    let labels: Vec<String> = labels.collect();
    if labels.is_empty() { "share".into() } else { phrases::one_line(&labels.join(", ")) }
}

/// Returns the point of a pair; unknown shares would stretch the axis.
fn point(pair: &Perturbed) -> Option<Point> {
    let share = pair.share().filter(AbsorbedShare::is_conclusive)?;
    let place = axes::place(pair.axis, pair.nanos);
    Some(Point::with_interval(place, share.percent, share.low, share.high))
}
