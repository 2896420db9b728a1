//! Cumulative distribution of samples: the time until a handler runs is not one number.

use panto_results::Record;

use super::super::group::{Curve, Group};
use super::super::param::{label, value};
use super::panels::thinned;
use super::{is_one_way, kernel_name, subtitle};
use crate::chart::{Axis, Chart, Point, Scale, Series, Unit};

/// Upper limit of distributions in a chart: more cannot be distinguished.
const MAX_CURVES: usize = 6;
/// Upper limit of points per curve: more are not visible.
const MAX_POINTS: usize = 200;

pub(super) fn charts(group: &Group) -> Vec<Chart> {
    let mut names = group.curve_names();
    names.push(&group.axis);
    let curves = group.curves(&names);
    let all = curves.len();
    let shown = thinned(curves, MAX_CURVES);
    let time = if is_one_way(group) { "one-way time" } else { "time" };
    let x = Axis::new(time, Scale::Log10, Unit::Seconds);
    let y = Axis::new("samples within this time", Scale::Linear, Unit::Percent);
    let title = format!("{}: cumulative distribution of samples", kernel_name(group));
    let mut chart = Chart::new(title, x, y).subtitle(subtitle(group));
    if shown.len() < all {
        chart = chart.note(format!("Showing {} of {all} distributions.", shown.len()));
    }
    vec![shown.iter().map(|curve| distribution(&names, curve)).fold(chart, Chart::series)]
}

fn distribution(names: &[&str], curve: &Curve) -> Series {
    let name = |record: &Record| {
        names.iter().map(|name| label(name, value(record, name).as_ref())).collect::<Vec<_>>().join(", ")
    };
    let mut samples: Vec<f64> = curve.records.iter().flat_map(|r| r.samples_ns.iter().copied()).collect();
    samples.sort_by(f64::total_cmp);
    let share = 100.0 / samples.len() as f64;
    let points =
        samples.iter().enumerate().map(|(i, nanos)| Point::new(nanos * 1e-9, (i + 1) as f64 * share));
    Series::line(name(curve.records[0]), thinned(points.collect(), MAX_POINTS))
}
