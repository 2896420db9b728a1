//! Tests of charts.

use crate::well_formed::assert_well_formed;
use crate::without_style;
use insta::assert_snapshot;
use panto_report::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};

fn sizes() -> Axis {
    Axis::new("size", Scale::Log2, Unit::Bytes)
}

fn latency(points: impl IntoIterator<Item = Point>) -> Chart {
    Chart::new("Latency", sizes(), Axis::new("time", Scale::Log10, Unit::Seconds)).series(Series::new(
        "tcp",
        Style::LineAndDots,
        points,
    ))
}

fn bandwidth(points: impl IntoIterator<Item = Point>) -> Chart {
    Chart::new("Bandwidth", sizes(), Axis::new("rate", Scale::Linear, Unit::BytesPerSecond))
        .series(Series::new("tcp", Style::Dashed, points))
}

fn svg(figure: impl Into<Figure>) -> String {
    let svg = figure.into().to_svg();
    assert_well_formed(&svg);
    svg
}

/// Returns the number of occurrences of `pattern`.
fn count(text: &str, pattern: &str) -> usize {
    text.matches(pattern).count()
}

#[test]
fn latency_with_zero_size_band_and_mark() {
    let points = [
        Point::with_interval(0.0, 9e-6, 8.5e-6, 1e-5),
        Point::with_interval(1.0, 9e-6, 8e-6, 1e-5),
        Point::new(1024.0, 2e-5),
        Point::with_interval(65536.0, 3e-4, 2.5e-4, f64::INFINITY),
    ];
    let chart = latency(points).subtitle("two ranks").mark(4096.0, "eager limit").note("made up");
    assert_snapshot!(without_style(&svg(chart)));
}

#[test]
fn time_above_bandwidth() {
    let time = latency([Point::new(0.0, 9e-6), Point::new(64.0, 1e-5), Point::new(4096.0, 2e-5)]);
    let rate = bandwidth([Point::new(64.0, 6.4e6), Point::new(4096.0, 2e8)]);
    assert_snapshot!(without_style(&svg(Figure::new([time, rate]))));
}

#[test]
fn empty() {
    assert_snapshot!(without_style(&svg(latency([]))));
}

#[test]
fn a_figure_without_charts_is_an_image() {
    assert!(svg(Figure::default()).contains("no data"));
}

#[test]
fn zero_has_a_slot_only_if_there_is_a_zero() {
    let positive = svg(latency([Point::new(1.0, 1e-6), Point::new(2.0, 1e-6)]));
    let zero = svg(latency([Point::new(0.0, 1e-6), Point::new(2.0, 1e-6)]));
    assert_eq!(count(&positive, ">0</text>"), 0);
    assert_eq!(count(&zero, ">0</text>"), 1);
}

#[test]
fn only_zero_on_a_logarithmic_axis() {
    let svg = svg(latency([Point::new(0.0, 1e-6)]));
    assert!(svg.contains("tcp\n0B: 1us"), "{svg}");
    assert!(!svg.contains("NaN"));
}

#[test]
fn charts_of_one_x_axis_line_up() {
    let time = latency([Point::new(0.0, 9e-6), Point::new(64.0, 1e-5), Point::new(4096.0, 2e-5)]);
    let rate = bandwidth([Point::new(64.0, 6.4e6), Point::new(1024.0, 2e8)]);
    let svg = svg(Figure::new([time, rate]));
    let places: Vec<&str> = svg.lines().filter(|line| line.ends_with(">4KiB</text>")).collect();
    let x = |line: &str| line.split(" y=").next().map(str::to_string);
    assert_eq!(places.len(), 2);
    assert_eq!(x(places[0]), x(places[1]));
}

#[test]
fn undrawable_points_are_counted() {
    let bad = [
        Point::new(f64::NAN, 1.0),
        Point::new(1.0, f64::NAN),
        Point::new(2.0, f64::INFINITY),
        Point::new(-4.0, 1.0),
        Point::new(8.0, 0.0),
    ];
    let svg = svg(latency(bad.into_iter().chain([Point::new(16.0, 1e-6)])));
    assert!(svg.contains("5 points omitted"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert_eq!(count(&svg, "<circle"), 1);
}

#[test]
fn one_point_is_visible_in_every_style() {
    for style in [Style::Line, Style::LineAndDots, Style::Dots, Style::Dashed] {
        let mut chart = latency([Point::with_interval(64.0, 1e-6, 9e-7, 2e-6)]);
        chart.series[0].style = style;
        let svg = svg(chart);
        assert_eq!(count(&svg, "stroke-width=\"6.8\""), 1, "{style:?} {svg}");
        assert!(svg.contains("64B: 1us [900ns, 2us]"));
    }
}

#[test]
fn close_points_share_a_tooltip_target() {
    let points =
        |count: i32| (0..count).map(move |n| Point::new(f64::from(n).exp2(), 1e-6 + 1e-9 * f64::from(n)));
    assert_eq!(count(&svg(latency(points(20))), "<circle"), 20);
    let dense = svg(latency((1..2000).map(|n| Point::new(f64::from(n), 1e-6))));
    assert!((100..250).contains(&count(&dense, "<circle")), "{}", count(&dense, "<circle"));
}

#[test]
fn up_to_six_series_are_labelled_at_their_ends() {
    let many = |n: u32| {
        let series = |i| Series::line(format!("s{i}"), [1.0, 1024.0].map(|x| Point::new(x, 1e-6)));
        svg((1..n)
            .map(series)
            .fold(latency([Point::new(1.0, 1e-6), Point::new(1024.0, 1e-6)]), Chart::series))
    };
    // Line samples of the legend are the only lines of this length.
    assert_eq!(count(&many(6), ">s5</text>"), 1);
    let labels: Vec<f64> = label_heights(&many(6));
    assert_eq!(labels.len(), 6);
    assert!(labels.windows(2).all(|pair| (pair[0] - pair[1]).abs() > 15.0), "{labels:?}");
    assert_eq!(label_heights(&many(40)).len(), 40);
}

fn label_heights(svg: &str) -> Vec<f64> {
    let names = svg.lines().filter(|line| line.starts_with("<text class=\"ink\""));
    let height = |line: &str| line.split(" y=\"").nth(1)?.split('"').next()?.parse().ok();
    names.filter_map(height).collect()
}

#[test]
fn the_same_name_has_the_same_colour_and_like_borrows_it() {
    let points = || [Point::new(1.0, 1e6), Point::new(2.0, 2e6)];
    let fit = Series::new("fit", Style::Dashed, points()).like("tcp");
    let svg = svg(bandwidth(points()).series(fit));
    assert!(svg.contains("class=\"s0\" color") && !svg.contains("class=\"s1\" color"));
}

#[test]
fn a_mark_outside_is_mentioned() {
    let svg = svg(latency([Point::new(1.0, 1e-6), Point::new(2.0, 1e-6)]).mark(65536.0, "rendezvous"));
    assert!(svg.contains("outside the plot: rendezvous at 64KiB (65536B)"));
}

#[test]
fn linear_axes_and_negative_values() {
    let x = Axis::new("N", Scale::Linear, Unit::Count);
    let y = Axis::new("overlap", Scale::Linear, Unit::Percent);
    let points = (0..=10).map(|i| Point::new(f64::from(i) * 100.0, f64::from(i * 10 - 30)));
    let svg = svg(Chart::new("", x, y).series(Series::line("a", points)));
    for label in [">-20%<", ">0%<", ">60%<", ">1000<"] {
        assert_eq!(count(&svg, label), 1, "{label}");
    }
}
