//! Figures of a comparison: the ratio against the size, and the band of no change.

use std::collections::{BTreeMap, BTreeSet};

use panto_compare::{Comparison, Pair};
use panto_results::{KernelInfo, Value, param};

use super::super::figure::of_parameter;
use super::super::param::{RANKS, label};
use super::super::phrases;
use super::percent;
use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};

/// Upper limit of curves per chart: more cannot be distinguished.
const MAX_CURVES: usize = 7;

/// Returns a figure per kernel, sorted by name.
pub fn comparison_figures(comparison: &Comparison) -> Vec<(String, Figure)> {
    let mut kernels: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
    for pair in comparison.points.iter().filter(|pair| pair.ratio.is_some()) {
        kernels.entry(&pair.key.kernel).or_default().push(pair);
    }
    let figure = |(kernel, pairs): (&str, Vec<&Pair>)| {
        (phrases::one_line(kernel), Figure::from(chart(comparison, kernel, &pairs)))
    };
    kernels.into_iter().map(figure).collect()
}

fn chart(comparison: &Comparison, kernel: &str, pairs: &[&Pair]) -> Chart {
    let axis = axis(kernel, pairs);
    let curves = curves(&axis, pairs);
    let (all, interval) = (curves.len(), percent(comparison.settings.confidence));
    let y = Axis::new(format!("new time / old time, {interval} interval"), Scale::Linear, Unit::Count);
    let title = format!("{}: new against old", phrases::one_line(kernel));
    let subtitle = format!("above 1 is slower; {} against {}", comparison.new, comparison.old);
    let mut chart = Chart::new(title, of_parameter(&axis), y).subtitle(phrases::one_line(&subtitle));
    chart = chart.series(band(comparison, pairs, &axis));
    for (name, points) in curves.into_iter().take(MAX_CURVES) {
        chart = chart.series(Series::new(name, Style::LineAndDots, points));
    }
    if all > MAX_CURVES {
        chart = chart.note(format!("Showing the {MAX_CURVES} of {all} curves with the largest changes."));
    }
    chart
}

/// Returns the parameter on the x axis: the kernel's own, or the most likely one.
fn axis(kernel: &str, pairs: &[&Pair]) -> String {
    let known = KernelInfo::find(kernel).map(|info| info.axis);
    let usual = [param::BYTES, param::LENGTH, param::DIM, param::BLOCK];
    let is_there = |name: &&str| pairs.iter().any(|pair| pair.key.number(name).is_some());
    let likely = || usual.into_iter().find(is_there);
    known.filter(is_there).or_else(likely).unwrap_or(RANKS).to_owned()
}

/// Returns the position of a point on the axis; points without the parameter are at 1.
fn place(pair: &Pair, axis: &str) -> f64 {
    let number = if axis == RANKS { pair.key.ranks.map(|ranks| ranks as u64) } else { pair.key.number(axis) };
    number.map_or(1.0, |number| number as f64)
}

/// Returns the band of ratios up to the threshold.
fn band(comparison: &Comparison, pairs: &[&Pair], axis: &str) -> Series {
    let limit = comparison.settings.limit();
    let mut places: Vec<f64> = pairs.iter().map(|pair| place(pair, axis)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let points = places.into_iter().map(|x| Point::with_interval(x, 1.0, limit.recip(), limit));
    Series::new(format!("unchanged within {}", percent(comparison.settings.threshold)), Style::Dashed, points)
}

/// Returns a curve per combination of the parameters that vary beside the axis, those with the
/// largest change first.
fn curves(axis: &str, pairs: &[&Pair]) -> Vec<(String, Vec<Point>)> {
    let varying = varying(axis, pairs);
    let mut curves: BTreeMap<String, (f64, Vec<Point>)> = BTreeMap::new();
    for pair in pairs {
        let (Some(ratio), Some(low), Some(high)) = (pair.ratio, pair.low, pair.high) else { continue };
        let (change, points) = curves.entry(name(pair, &varying)).or_default();
        *change = change.max(pair.change());
        points.push(Point::with_interval(place(pair, axis), ratio, low, high));
    }
    let mut curves: Vec<(String, (f64, Vec<Point>))> = curves.into_iter().collect();
    curves.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
    curves.into_iter().map(|(name, (_, points))| (name, points)).collect()
}

fn varying(axis: &str, pairs: &[&Pair]) -> Vec<String> {
    let mut values: BTreeMap<String, BTreeSet<Option<Value>>> = BTreeMap::new();
    let names: BTreeSet<String> =
        pairs.iter().flat_map(|pair| pair.key.parameters()).map(|(name, _)| name.to_owned()).collect();
    for name in names.into_iter().filter(|name| name != axis) {
        let of = |pair: &&Pair| value(pair, &name);
        let all = pairs.iter().map(of).collect();
        values.insert(name, all);
    }
    values.into_iter().filter(|(_, values)| values.len() > 1).map(|(name, _)| name).collect()
}

fn value(pair: &Pair, name: &str) -> Option<Value> {
    pair.key.parameters().into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn name(pair: &Pair, varying: &[String]) -> String {
    let labels: Vec<String> = varying.iter().map(|name| label(name, value(pair, name).as_ref())).collect();
    if labels.is_empty() { "ratio of medians".into() } else { phrases::one_line(&labels.join(", ")) }
}
