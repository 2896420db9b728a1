//! Textual description of a figure: for screen readers and for tooltips.

use super::super::data::Data;
use super::super::{Chart, Figure, Point, Series, Unit};

/// Returns the title of the figure.
pub(super) fn title(figure: &Figure) -> String {
    let titles: Vec<&str> =
        figure.charts.iter().map(|c| c.title.as_str()).filter(|t| !t.is_empty()).collect();
    if titles.is_empty() { "chart".into() } else { titles.join("; ") }
}

/// Returns what is plotted, and the first and last value of each series.
pub(super) fn description(figure: &Figure) -> String {
    if figure.charts.is_empty() {
        return "no data".into();
    }
    figure.charts.iter().map(of_chart).collect::<Vec<_>>().join(" ")
}

/// Returns the tooltip of a point: its exact values.
pub(super) fn point(chart: &Chart, series: &Series, point: &Point) -> String {
    let value = chart.y.unit.exact(point.y);
    let interval = if point.low < point.high { interval(chart.y.unit, point) } else { String::new() };
    format!("{}\n{}: {value}{interval}", series.name, chart.x.exact(point.x))
}

fn interval(unit: Unit, point: &Point) -> String {
    let end = |value: f64| if value.is_finite() { unit.exact(value) } else { "unbounded".into() };
    format!(" [{}, {}]", end(point.low), end(point.high))
}

fn of_chart(chart: &Chart) -> String {
    let data = Data::of(chart);
    let all = chart.series.iter().zip(&data.series);
    let series: Vec<String> = all.map(|(series, points)| of_series(chart, series, points)).collect();
    let content = if series.is_empty() { "no data".into() } else { series.join("; ") };
    format!("{} against {}: {content}.", chart.y.label, chart.x.label)
}

fn of_series(chart: &Chart, series: &Series, points: &[Point]) -> String {
    let at = |p: &Point| format!("{} at {}", chart.y.unit.human(p.y), chart.x.human(p.x));
    match points {
        [] => format!("{}, no points", series.name),
        [only] => format!("{}, {}", series.name, at(only)),
        [first, .., last] => {
            format!("{}, {} points, from {} to {}", series.name, points.len(), at(first), at(last))
        }
    }
}
