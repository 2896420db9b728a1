//! Lines, bands of intervals, markers and tooltips.

use std::fmt::Write as _;

use super::super::data::in_zero_slot;
use super::super::palette::{Look, Looks};
use super::super::{Chart, Point, Series, Style};
use super::describe;
use super::layout::Frame;
use super::marker::{self, Fill};
use super::sheet::Sheet;
use crate::markup::{Markup, Tag, number};

/// The room a marker takes around its point.
const MARKER: f64 = 4.0;

/// The least distance of hollow markers on a line.
const SPARSE: f64 = 90.0;

pub(super) fn draw(m: &mut Markup, sheet: &Sheet, looks: &Looks) {
    open_clip(m, sheet.frame);
    let all = || sheet.chart.series.iter().zip(&sheet.data.series).enumerate();
    // All bands lie below all lines, all lines below all markers.
    for (_, (series, points)) in all() {
        grouped(m, looks, series, |m, _| intervals(m, sheet, series, points));
    }
    for (_, (series, points)) in all() {
        grouped(m, looks, series, |m, look| lines(m, sheet, series, look, points));
    }
    for (index, (series, points)) in all() {
        grouped(m, looks, series, |m, look| dots(m, sheet, series, look, (index, points)));
    }
    m.close();
}

/// The places of points, as a path.
pub(super) fn polyline(places: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in places {
        let command = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{command}{},{}", number(x), number(y));
    }
    path
}

/// An inner drawing clips to its edges, and unlike a clip path it needs no id that is unique in the page.
/// Markers on the edge of the plot are not cut in half.
fn open_clip(m: &mut Markup, Frame { left, right, top, bottom, .. }: Frame) {
    let (top, bottom) = (top - MARKER, bottom + MARKER);
    let (width, height) = (right - left, bottom - top);
    let view = [left, top, width, height].map(number).join(" ");
    let tag = Tag::new("svg").num("x", left).num("y", top).num("width", width).num("height", height);
    m.open(&tag.attr("viewBox", &view));
}

fn grouped(m: &mut Markup, looks: &Looks, series: &Series, content: impl FnOnce(&mut Markup, Look)) {
    let mut inner = Markup::default();
    let look = looks.get(series);
    content(&mut inner, look);
    let inner = inner.finish();
    if !inner.is_empty() {
        m.open(&looks.part(look.role().on(Tag::new("g")), series));
        m.raw(&inner);
        m.close();
    }
}

/// A band where there is a line, whiskers where points stand alone.
fn intervals(m: &mut Markup, sheet: &Sheet, series: &Series, points: &[Point]) {
    if points.iter().all(|p| p.low >= p.high) {
        return;
    }
    let (zero, rest) = split_zero(sheet.chart, points);
    let alone = series.style == Style::Dots || rest.len() == 1;
    let with_whiskers = if alone { points } else { zero };
    whiskers(m, sheet, with_whiskers);
    if !alone && !rest.is_empty() {
        band(m, sheet, rest);
    }
}

fn whiskers(m: &mut Markup, sheet: &Sheet, points: &[Point]) {
    let ends = |p: &Point| [p.low, p.high].map(|y| (sheet.x.at(p.x), sheet.y.at(y)));
    let path: String = points.iter().map(|p| polyline(ends(p))).collect();
    if !path.is_empty() {
        m.empty(&stroke(&path).attr("stroke-width", "4").attr("stroke-opacity", "0.25"));
    }
}

fn band(m: &mut Markup, sheet: &Sheet, points: &[Point]) {
    let upper = points.iter().map(|p| (sheet.x.at(p.x), sheet.y.at(p.high)));
    let lower = points.iter().rev().map(|p| (sheet.x.at(p.x), sheet.y.at(p.low)));
    let path = polyline(upper.chain(lower)) + "z";
    m.empty(&Tag::new("path").attr("d", &path).attr("fill", "currentColor").attr("fill-opacity", "0.18"));
}

fn lines(m: &mut Markup, sheet: &Sheet, series: &Series, look: Look, points: &[Point]) {
    let (zero, rest) = split_zero(sheet.chart, points);
    match series.style {
        Style::Dots => return,
        Style::Steps => return m.empty(&stroke(&steps(sheet, points)).attr("stroke-width", "1.6")),
        Style::Cloud => return m.empty(&cloud(sheet, points)),
        Style::Line | Style::LineAndDots | Style::Dashed => {}
    }
    if let (Some(last), Some(first)) = (zero.last(), rest.first()) {
        // The break of the axis is a break of the curve: no slope can be read off there.
        let path = polyline([last, first].map(|p| place(sheet, p)));
        m.empty(&stroke(&path).attr("stroke-dasharray", "1 4").attr("stroke-opacity", "0.8"));
    }
    if rest.len() > 1 {
        let path = polyline(rest.iter().map(|p| place(sheet, p)));
        m.empty(&styled(stroke(&path), series.style, look));
    }
}

/// A value holds until the next place.
fn steps(sheet: &Sheet, points: &[Point]) -> String {
    let mut path = String::new();
    for (x, y) in points.iter().map(|point| place(sheet, point)) {
        let _ = if path.is_empty() {
            write!(path, "M{},{}", number(x), number(y))
        } else {
            write!(path, "H{}V{}", number(x), number(y))
        };
    }
    path
}

/// Lines of no length with round ends: a dot takes ten bytes.
fn cloud(sheet: &Sheet, points: &[Point]) -> Tag {
    let mut path = String::new();
    for (x, y) in points.iter().map(|point| place(sheet, point)) {
        let _ = write!(path, "M{},{}h0", number(x), number(y));
    }
    stroke(&path).attr("stroke-width", "3").attr("stroke-linecap", "round").attr("stroke-opacity", "0.7")
}

/// The width and dashes of a line.
pub(super) fn styled(line: Tag, style: Style, look: Look) -> Tag {
    let line = line.attr("stroke-linejoin", "round").attr("stroke-linecap", "round");
    match style {
        Style::Dashed => line.attr("stroke-width", "1.4").attr("stroke-dasharray", look.dashes()),
        _ => line.attr("stroke-width", "1.8"),
    }
}

/// A path that is not filled.
pub(super) fn stroke(path: &str) -> Tag {
    Tag::new("path").attr("d", path).attr("fill", "none").attr("stroke", "currentColor")
}

fn dots(m: &mut Markup, sheet: &Sheet, series: &Series, look: Look, (index, points): (usize, &[Point])) {
    if series.style.is_dense() {
        return;
    }
    let mut marked = Marked::new(sheet, series.style, index);
    for point in points {
        let raw = point.raw.map(|number| number.to_string());
        m.open(&raw.iter().fold(Tag::new("g"), |tag, number| tag.attr("data-raw", number)));
        m.text(&Tag::new("title"), &describe::point(sheet.chart, series, point));
        let place = place(sheet, point);
        if let Some(fill) = marked.fill(sheet, point, points.len()) {
            marker::draw(m, look.marker(), place, fill);
        }
        // Something to point at, wherever the line is thin.
        let hit = Tag::new("circle").attr("class", "hit").num("cx", place.0).num("cy", place.1).num("r", 6.0);
        m.empty(&hit.attr("fill", "none").attr("pointer-events", "all"));
        m.close();
    }
}

/// Decides which points of a series have a marker.
struct Marked {
    style: Style,
    next: f64,
}

impl Marked {
    /// The first markers of the series are shifted against each other, so that curves close together stay
    /// apart.
    fn new(sheet: &Sheet, style: Style, index: usize) -> Self {
        let share = (index as f64 + 0.5) / sheet.chart.series.len() as f64;
        let style = if style == Style::LineAndDots && is_dense(sheet, index) { Style::Line } else { style };
        Self { style, next: sheet.frame.main + share * SPARSE }
    }

    fn fill(&mut self, sheet: &Sheet, point: &Point, points: usize) -> Option<Fill> {
        if matches!(self.style, Style::Dots | Style::LineAndDots) || points == 1 {
            return Some(Fill::Solid);
        }
        if self.style == Style::Dashed {
            return None;
        }
        let x = sheet.x.at(point.x);
        let due = x >= self.next;
        if due {
            self.next = x + SPARSE;
        }
        (due || in_zero_slot(&sheet.chart.x, point.x)).then_some(Fill::Hollow)
    }
}

/// Whether markers at each point would hide the line.
fn is_dense(sheet: &Sheet, index: usize) -> bool {
    let points = &sheet.data.series[index];
    let ends = points.first().zip(points.last());
    let length = ends.map_or(0.0, |(first, last)| sheet.x.at(last.x) - sheet.x.at(first.x));
    points.len() > 2 && length / ((points.len() - 1) as f64) < MARKER
}

fn place(sheet: &Sheet, point: &Point) -> (f64, f64) {
    (sheet.x.at(point.x), sheet.y.at(point.y))
}

/// The points left and right of the break.
fn split_zero<'a>(chart: &Chart, points: &'a [Point]) -> (&'a [Point], &'a [Point]) {
    points.split_at(points.partition_point(|p| in_zero_slot(&chart.x, p.x)))
}
