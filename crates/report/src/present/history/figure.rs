//! Figures of a history: the time of each point over the versions, relative to its first.

use std::collections::BTreeMap;

use panto_compare::{History, Series as Measured};
use panto_results::Value;
use panto_results::param::BYTES;
use panto_units::time;

use super::super::{param, phrases};
use super::{name, shared, weight};
use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};

/// Upper limit of curves per chart: more cannot be distinguished.
const MAX_CURVES: usize = 7;

/// Returns a figure per kernel and set of parameters other than the size.
pub fn history_figures(history: &History) -> Vec<(String, Figure)> {
    let mut groups: BTreeMap<(String, String), Vec<&Measured>> = BTreeMap::new();
    for series in &history.series {
        groups.entry((series.key.kernel.clone(), common(series, &[]))).or_default().push(series);
    }
    let shared = shared(history);
    let figure = |((kernel, common), series): ((String, String), Vec<&Measured>)| {
        // Parameters common to all do not distinguish files.
        let name = format!("{kernel} {}", self::common(series[0], &shared));
        (phrases::one_line(name.trim()), Figure::from(chart(history, &kernel, &common, series)))
    };
    groups.into_iter().map(figure).collect()
}

/// Returns the parameters except the size and those in `said`.
fn common(series: &Measured, omitted: &[(&str, Value)]) -> String {
    let mut rest = series.key.parameters();
    rest.retain(|one| one.0 != BYTES && !omitted.contains(one));
    rest.iter().map(|(name, value)| param::phrase(name, Some(value))).collect::<Vec<_>>().join(", ")
}

fn chart(history: &History, kernel: &str, common: &str, mut series: Vec<&Measured>) -> Chart {
    series.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    let all = series.len();
    series.truncate(MAX_CURVES);
    series.sort_by_key(|one| one.key.number(BYTES));
    let names = history.versions.iter().enumerate();
    let names = names.map(|(place, version)| phrases::one_line(&name(version, place)));
    let x = Axis::new("version", Scale::Linear, Unit::Count).named(names);
    let y = Axis::new("time / time of the first version", Scale::Linear, Unit::Count);
    let title = format!("{} over the versions", phrases::one_line(kernel));
    let mut chart = Chart::new(title, x, y).subtitle(phrases::one_line(common));
    for one in series {
        chart = chart.series(Series::new(curve_name(one), Style::LineAndDots, points(one)));
    }
    if all > MAX_CURVES {
        chart = chart.note(format!("Showing the {MAX_CURVES} of {all} sizes with the largest changes."));
    }
    chart
}

/// Returns the name of a curve: the size, and the time that corresponds to 1.
fn curve_name(series: &Measured) -> String {
    let first = series.values.first().map_or(0.0, |value| value.side.median_ns);
    let size = series.key.number(BYTES).map(|size| format!("{}, ", panto_units::bytes(size)));
    format!("{}1 is {}", size.unwrap_or_default(), time(first * 1e-9))
}

fn points(series: &Measured) -> Vec<Point> {
    let first = series.values.first().map_or(1.0, |value| value.side.median_ns);
    let scale = if first > 0.0 { first.recip() } else { 0.0 };
    let point = |value: &panto_compare::Value| {
        let [low, middle, high] =
            [value.low_ns, value.side.median_ns, value.high_ns].map(|nanos| nanos * scale);
        Point::with_interval((value.version + 1) as f64, middle, low, high)
    };
    series.values.iter().map(point).collect()
}
