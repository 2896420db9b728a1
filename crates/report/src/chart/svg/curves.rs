//! Draws lines, bands of intervals, markers and tooltips.

use std::fmt::Write as _;

use super::super::data::in_zero_slot;
use super::super::palette::{Appearance, Appearances};
use super::super::{Chart, Point, Series, Style};
use super::chart_layout::ChartLayout;
use super::describe;
use super::marker::{self, Fill};
use super::sizes::Frame;
use crate::markup::{Markup, Tag, number};

/// Radius of a marker, in pixels.
const MARKER: f64 = 4.0;

/// Minimum distance of tooltip targets, in pixels.
const APART: f64 = 3.0;

/// Minimum distance of hollow markers on a line, in pixels.
const SPARSE: f64 = 90.0;

/// Draws the curves. `labelled` is another drawing of the same chart that carries the
/// tooltips.
pub(super) fn draw(
    m: &mut Markup,
    layout: &ChartLayout,
    appearances: &Appearances,
    labelled: Option<&ChartLayout>,
) {
    open_clip(m, layout.frame);
    let all = || layout.chart.series.iter().zip(&layout.data.series).enumerate();
    // Bands are below lines, lines below markers.
    for (_, (series, points)) in all() {
        grouped(m, appearances, series, |m, _| intervals(m, layout, series, points));
    }
    for (_, (series, points)) in all() {
        grouped(m, appearances, series, |m, appearance| lines(m, layout, series, appearance, points));
    }
    for (index, (series, points)) in all() {
        grouped(m, appearances, series, |m, appearance| {
            dots(m, layout, series, appearance, (index, points));
            hits(m, layout, series, (index, points), labelled);
        });
    }
    m.close();
}

/// Returns the points as a path of relative coordinates, which take the fewest bytes.
pub(super) fn polyline(places: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    let mut from = (0.0, 0.0);
    for to in places.into_iter().map(drawn) {
        let (x, y) = (number(to.0 - from.0), number(to.1 - from.1));
        // Writing to a String cannot fail.
        let _ = match (path.is_empty(), x.as_str(), y.as_str()) {
            (true, ..) => write!(path, "M{x},{y}"),
            (false, "0", _) => write!(path, "v{y}"),
            (false, _, "0") => write!(path, "h{x}"),
            _ => write!(path, "l{x},{y}"),
        };
        from = to;
    }
    path
}

/// Opens a nested SVG that clips to its edges; unlike a clip path it needs no id that is unique in
/// the page. The clip leaves room for markers on the edge of the plot.
fn open_clip(m: &mut Markup, Frame { left, right, top, bottom, .. }: Frame) {
    let (top, bottom) = (top - MARKER, bottom + MARKER);
    let (width, height) = (right - left, bottom - top);
    let view = [left, top, width, height].map(number).join(" ");
    let tag = Tag::new("svg").num("x", left).num("y", top).num("width", width).num("height", height);
    m.open(&tag.attr("viewBox", &view));
}

fn grouped(
    m: &mut Markup,
    appearances: &Appearances,
    series: &Series,
    content: impl FnOnce(&mut Markup, Appearance),
) {
    let mut inner = Markup::default();
    let appearance = appearances.get(series);
    content(&mut inner, appearance);
    let inner = inner.finish();
    if !inner.is_empty() {
        m.open(&appearances.part(appearance.role().on(Tag::new("g")), series));
        m.raw(&inner);
        m.close();
    }
}

/// Draws intervals: a band along a line, whiskers at isolated points.
fn intervals(m: &mut Markup, layout: &ChartLayout, series: &Series, points: &[Point]) {
    if points.iter().all(|p| p.low >= p.high) {
        return;
    }
    let (zero, rest) = split_zero(layout.chart, points);
    let alone = series.style == Style::Dots || rest.len() == 1;
    let with_whiskers = if alone { points } else { zero };
    whiskers(m, layout, with_whiskers);
    if !alone && !rest.is_empty() {
        band(m, layout, rest);
    }
}

fn whiskers(m: &mut Markup, layout: &ChartLayout, points: &[Point]) {
    let ends = |p: &Point| [p.low, p.high].map(|y| (layout.x.at(p.x), layout.y.at(y)));
    let path: String = points.iter().map(|p| polyline(ends(p))).collect();
    if !path.is_empty() {
        m.empty(&stroke(&path).attr("stroke-width", "4").attr("stroke-opacity", "0.25"));
    }
}

fn band(m: &mut Markup, layout: &ChartLayout, points: &[Point]) {
    let upper = points.iter().map(|p| (layout.x.at(p.x), layout.y.at(p.high)));
    let lower = points.iter().rev().map(|p| (layout.x.at(p.x), layout.y.at(p.low)));
    let path = polyline(upper.chain(lower)) + "z";
    m.empty(&Tag::new("path").attr("d", &path).attr("fill", "currentColor").attr("fill-opacity", "0.18"));
}

fn lines(m: &mut Markup, layout: &ChartLayout, series: &Series, appearance: Appearance, points: &[Point]) {
    let (zero, rest) = split_zero(layout.chart, points);
    match series.style {
        Style::Dots => return,
        Style::Steps => return m.empty(&stroke(&steps(layout, points)).attr("stroke-width", "1.6")),
        Style::Cloud => return m.empty(&cloud(layout, points)),
        Style::Line | Style::LineAndDots | Style::Dashed => {}
    }
    if let (Some(last), Some(first)) = (zero.last(), rest.first()) {
        // The break of the axis is a break of the curve: it has no meaningful slope there.
        let path = polyline([last, first].map(|p| place(layout, p)));
        m.empty(&stroke(&path).attr("stroke-dasharray", "1 4").attr("stroke-opacity", "0.8"));
    }
    if rest.len() > 1 {
        let path = polyline(rest.iter().map(|p| place(layout, p)));
        m.empty(&styled(stroke(&path), series.style, appearance));
    }
}

/// Returns a staircase: a value holds until the next x. Steps at the same pixel are merged and
/// coordinates are relative, since a distribution has hundreds.
fn steps(layout: &ChartLayout, points: &[Point]) -> String {
    let mut places = points.iter().map(|point| drawn(place(layout, point)));
    let Some(foot) = places.next() else { return String::new() };
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for (x, y) in places {
        match corners.last_mut() {
            Some(last) if last.0.total_cmp(&x).is_eq() => last.1 = y,
            _ => corners.push((x, y)),
        }
    }
    let mut path = format!("M{},{}", number(foot.0), number(foot.1));
    let before = std::iter::once(&foot).chain(&corners);
    for (from, to) in before.zip(&corners) {
        let _ = write!(path, "h{}v{}", number(to.0 - from.0), number(to.1 - from.1));
    }
    path
}

/// Draws dots as zero-length lines with round caps and relative coordinates: ten bytes each.
fn cloud(layout: &ChartLayout, points: &[Point]) -> Tag {
    let mut path = String::new();
    let mut from = (0.0, 0.0);
    for to in points.iter().map(|point| drawn(place(layout, point))) {
        let _ = write!(path, "m{},{}h0", number(to.0 - from.0), number(to.1 - from.1));
        from = to;
    }
    stroke(&path).attr("stroke-width", "3").attr("stroke-linecap", "round").attr("stroke-opacity", "0.7")
}

/// Rounds a position to the written precision, so that errors do not accumulate along a path.
fn drawn((x, y): (f64, f64)) -> (f64, f64) {
    let written = |value: f64| (value * 10.0).round() / 10.0;
    (written(x), written(y))
}

/// Sets width and dashes of a line.
pub(super) fn styled(line: Tag, style: Style, appearance: Appearance) -> Tag {
    let line = line.attr("stroke-linejoin", "round").attr("stroke-linecap", "round");
    match style {
        Style::Dashed => line.attr("stroke-width", "1.4").attr("stroke-dasharray", appearance.dashes()),
        _ => line.attr("stroke-width", "1.8"),
    }
}

/// Returns a path without fill.
pub(super) fn stroke(path: &str) -> Tag {
    Tag::new("path").attr("d", path).attr("fill", "none").attr("stroke", "currentColor")
}

fn dots(
    m: &mut Markup,
    layout: &ChartLayout,
    series: &Series,
    appearance: Appearance,
    (index, points): (usize, &[Point]),
) {
    if series.style.is_dense() {
        return;
    }
    let mut marked = Marked::new(layout, series.style, index);
    let fills: Vec<Option<Fill>> =
        points.iter().map(|point| marked.fill(layout, point, points.len())).collect();
    for fill in [Fill::Solid, Fill::Hollow] {
        let of_kind = points.iter().zip(&fills).filter(|(_, wanted)| **wanted == Some(fill));
        let places: Vec<(f64, f64)> = of_kind.map(|(point, _)| place(layout, point)).collect();
        marker::draw(m, appearance.marker(), &places, fill);
    }
}

/// Draws invisible targets for tooltips. Points closer together than [`APART`] share one. Where
/// another drawing carries the tooltips of the same points, the script of the page finds them there
/// by their order.
fn hits(
    m: &mut Markup,
    layout: &ChartLayout,
    series: &Series,
    (index, points): (usize, &[Point]),
    labelled: Option<&ChartLayout>,
) {
    if series.style.is_dense() {
        return;
    }
    // An axis of the other drawing may not show all points.
    let labelled = labelled.filter(|labelled| labelled.data.series[index].len() == points.len());
    m.open(&Tag::new("g").attr("class", "hits").attr("fill", "none"));
    let mut last: Option<(f64, f64)> = None;
    for point in points {
        let (x, y) = place(labelled.unwrap_or(layout), point);
        if last.is_some_and(|last| (x - last.0).abs().max((y - last.1).abs()) < APART) {
            continue;
        }
        last = Some((x, y));
        let (x, y) = place(layout, point);
        let hit = Tag::new("circle").num("cx", x).num("cy", y);
        if labelled.is_some() {
            m.empty(&hit);
            continue;
        }
        let hit = point.raw.iter().fold(hit, |hit, number| hit.attr("data-raw", &number.to_string()));
        m.titled(&hit, &describe::point(layout.chart, series, point));
    }
    m.close();
}

/// Selects the points of a series that have a marker.
struct Marked {
    style: Style,
    next: f64,
}

impl Marked {
    /// The first markers of the series are staggered, so that curves close together remain
    /// distinguishable.
    fn new(layout: &ChartLayout, style: Style, index: usize) -> Self {
        let share = (index as f64 + 0.5) / layout.chart.series.len() as f64;
        let style = if style == Style::LineAndDots && is_dense(layout, index) { Style::Line } else { style };
        Self { style, next: layout.frame.main + share * SPARSE }
    }

    fn fill(&mut self, layout: &ChartLayout, point: &Point, points: usize) -> Option<Fill> {
        if matches!(self.style, Style::Dots | Style::LineAndDots) || points == 1 {
            return Some(Fill::Solid);
        }
        if self.style == Style::Dashed {
            return None;
        }
        let x = layout.x.at(point.x);
        let due = x >= self.next;
        if due {
            self.next = x + SPARSE;
        }
        (due || in_zero_slot(&layout.chart.x, point.x)).then_some(Fill::Hollow)
    }
}

/// Returns whether markers at every point would hide the line.
fn is_dense(layout: &ChartLayout, index: usize) -> bool {
    let points = &layout.data.series[index];
    let ends = points.first().zip(points.last());
    let length = ends.map_or(0.0, |(first, last)| layout.x.at(last.x) - layout.x.at(first.x));
    points.len() > 2 && length / ((points.len() - 1) as f64) < MARKER
}

fn place(layout: &ChartLayout, point: &Point) -> (f64, f64) {
    (layout.x.at(point.x), layout.y.at(point.y))
}

/// Splits the points at the break of the axis.
fn split_zero<'a>(chart: &Chart, points: &'a [Point]) -> (&'a [Point], &'a [Point]) {
    points.split_at(points.partition_point(|p| in_zero_slot(&chart.x, p.x)))
}
