//! Charts of time and bandwidth against a parameter.

use std::collections::BTreeSet;

use panto_results::{Record, Value, kernel};
use panto_stats::{Summary, median};

use super::super::group::Group;
use super::super::param::{self, RANKS};
use super::panels::{NamedCurve, Panel, panels};
use super::{axes, is_one_way, kernel_name, subtitle};
use crate::chart::{Chart, Point, Series, Style};

/// Upper limit of points of a curve with a marker at each.
const FEW_POINTS: usize = 16;

/// Least number of counts of ranks for a chart against them.
const MIN_COUNTS: usize = 3;

/// A value with the ends of its interval.
type Interval = (f64, f64, f64);

/// What is drawn: seconds, or bytes per second.
#[derive(Clone, Copy)]
pub(super) enum Quantity {
    Median,
    Minimum,
    Bandwidth,
}

pub(super) fn charts(group: &Group) -> Vec<Chart> {
    let panels = panels(group);
    let mut charts: Vec<Chart> = panels.iter().map(|panel| time(group, panel)).collect();
    if let Some(first) = charts.first_mut() {
        first.subtitle = subtitle(group);
    }
    // Several stacked charts already show more than bandwidths would add.
    if let [only] = panels.as_slice() {
        charts.extend(bandwidth(group, only));
    }
    charts
}

/// Returns the time of a broadcast or reduction against the number of ranks (C18), a curve per
/// size; none with fewer numbers of ranks than make a curve.
pub(super) fn against_ranks(kernel: &str, records: &[Record]) -> Vec<Chart> {
    if !matches!(kernel, kernel::comet::BROADCAST | kernel::comet::REDUCTION) {
        return Vec::new();
    }
    let group = Group::against(Some(RANKS), kernel, records);
    let counts: BTreeSet<usize> = group.records.iter().map(|record| record.point.ranks).collect();
    if counts.len() < MIN_COUNTS {
        return Vec::new();
    }
    panels(&group).iter().map(|panel| time(&group, panel)).collect()
}

fn title(group: &Group, quantity: &str, panel: &Panel) -> String {
    let suffix = panel.common_value.as_ref().map(|value| format!(", {value}")).unwrap_or_default();
    format!("{}: {quantity} against {}{suffix}", kernel_name(group), axes::label(&group.axis))
}

fn time(group: &Group, panel: &Panel) -> Chart {
    let one_way = is_one_way(group);
    let quantity = if one_way { "one-way time" } else { "time" };
    let y = axes::time_against(&group.axis, one_way);
    let mut chart = Chart::new(title(group, quantity, panel), axes::of_parameter(&group.axis), y);
    for named in &panel.curves {
        chart = chart.series(series(group, named, named.name.clone(), Quantity::Median));
        if group.short_name() == "barrier" {
            chart = chart.series(series(group, named, minimum_name(panel, named), Quantity::Minimum));
        }
        chart.series.extend(expected(group, named));
    }
    chart.notes.extend(panel.note.clone());
    chart
}

/// Returns the model's curve of the same points, if there is one.
fn expected(group: &Group, named: &NamedCurve) -> Option<Series> {
    let model = named.curve.records.iter().find_map(|record| record.expected.as_ref())?;
    let name = if named.name == "median" {
        model.machine.clone()
    } else {
        format!("{}, {}", named.name, model.machine)
    };
    let points = named.curve.records.iter().filter_map(|record| {
        let Some(Value::Number(place)) = param::value(record, &group.axis) else { return None };
        Some(Point::new(axes::place(&group.axis, place), record.expected.as_ref()?.time_ns * 1e-9))
    });
    Some(Series::new(name, Style::Dashed, points).like(&named.name))
}

fn minimum_name(panel: &Panel, named: &NamedCurve) -> String {
    if panel.curves.len() == 1 { "minimum".into() } else { format!("{}, minimum", named.name) }
}

fn bandwidth(group: &Group, panel: &Panel) -> Option<Chart> {
    let title = title(group, "bandwidth", panel);
    let one_way = if is_one_way(group) { "one way" } else { "whole operation, not one-way" };
    let chart = Chart::new(title, axes::of_parameter(&group.axis), axes::bandwidth()).subtitle(one_way);
    let curves =
        panel.curves.iter().map(|named| series(group, named, named.name.clone(), Quantity::Bandwidth));
    let chart = curves.filter(|series| !series.points.is_empty()).fold(chart, Chart::series);
    (!chart.series.is_empty()).then_some(chart)
}

impl Quantity {
    fn of(self, record: &Record, summary: &Summary) -> Option<Interval> {
        let Summary { median, interval, min, .. } = *summary;
        match self {
            Self::Median => Some((median * 1e-9, interval.low * 1e-9, interval.high * 1e-9)),
            Self::Minimum => Some((min * 1e-9, min * 1e-9, min * 1e-9)),
            // Messages without content have no bandwidth.
            Self::Bandwidth => {
                record.moved.filter(|bytes| *bytes > 0)?;
                let at = |nanos| record.bandwidth(nanos);
                Some((at(median)?, at(interval.high)?, at(interval.low).unwrap_or(f64::INFINITY)))
            }
        }
    }
}

pub(super) fn series(group: &Group, named: &NamedCurve, name: String, quantity: Quantity) -> Series {
    let place = |record: &Record| match param::value(record, &group.axis) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    };
    let same_place = |a: &&Record, b: &&Record| place(a) == place(b);
    let point = |launches: &[&Record]| {
        let values = launches.iter().filter_map(|record| quantity.of(record, &record.summary()?));
        let point = merged(axes::place(&group.axis, place(launches[0])?), &values.collect::<Vec<_>>())?;
        Some(point.raw(group.number(launches[0])))
    };
    let points: Vec<Point> = named.curve.records.chunk_by(same_place).filter_map(point).collect();
    let style = if points.len() <= FEW_POINTS { Style::LineAndDots } else { Style::Line };
    Series::new(name, style, points)
}

/// Merges several launches into one point: their median, with an interval that covers all of
/// theirs.
fn merged(x: f64, launches: &[Interval]) -> Option<Point> {
    let middles: Vec<f64> = launches.iter().map(|launch| launch.0).collect();
    let low = launches.iter().map(|launch| launch.1).fold(f64::INFINITY, f64::min);
    let high = launches.iter().map(|launch| launch.2).fold(f64::NEG_INFINITY, f64::max);
    Some(Point::with_interval(x, median(&middles).ok()?, low, high))
}
