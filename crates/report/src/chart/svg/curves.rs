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

/// The least distance of places to point at.
const APART: f64 = 3.0;

/// The least distance of hollow markers on a line.
const SPARSE: f64 = 90.0;

/// Draws the curves; beside another drawing of the same chart, whose points have been told about already.
pub(super) fn draw(m: &mut Markup, sheet: &Sheet, looks: &Looks, told: Option<&Sheet>) {
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
        grouped(m, looks, series, |m, look| {
            dots(m, sheet, series, look, (index, points));
            hits(m, sheet, series, (index, points), told);
        });
    }
    m.close();
}

/// The places of points, as a path, each told from the one before: that takes the fewest bytes.
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

/// A value holds until the next place. Steps at one place of the drawing are one, and each is told from the one before: a distribution has
/// hundreds.
fn steps(sheet: &Sheet, points: &[Point]) -> String {
    let mut places = points.iter().map(|point| drawn(place(sheet, point)));
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

/// Lines of no length with round ends, each told from the one before: a dot takes ten bytes.
fn cloud(sheet: &Sheet, points: &[Point]) -> Tag {
    let mut path = String::new();
    let mut from = (0.0, 0.0);
    for to in points.iter().map(|point| drawn(place(sheet, point))) {
        let _ = write!(path, "m{},{}h0", number(to.0 - from.0), number(to.1 - from.1));
        from = to;
    }
    stroke(&path).attr("stroke-width", "3").attr("stroke-linecap", "round").attr("stroke-opacity", "0.7")
}

/// A place as precise as it is written, so that no error adds up along a path.
fn drawn((x, y): (f64, f64)) -> (f64, f64) {
    let written = |value: f64| (value * 10.0).round() / 10.0;
    (written(x), written(y))
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
    let fills: Vec<Option<Fill>> =
        points.iter().map(|point| marked.fill(sheet, point, points.len())).collect();
    for fill in [Fill::Solid, Fill::Hollow] {
        let of_kind = points.iter().zip(&fills).filter(|(_, wanted)| **wanted == Some(fill));
        let places: Vec<(f64, f64)> = of_kind.map(|(point, _)| place(sheet, point)).collect();
        marker::draw(m, look.marker(), &places, fill);
    }
}

/// Something to point at, wherever the line is thin. What lies closer together than a hand can tell has one place for all. Where the same
/// points have been told about in another drawing, the script of the page finds their words there, by their order.
fn hits(
    m: &mut Markup,
    sheet: &Sheet,
    series: &Series,
    (index, points): (usize, &[Point]),
    told: Option<&Sheet>,
) {
    if series.style.is_dense() {
        return;
    }
    // An axis of the other may have no place for some.
    let told = told.filter(|told| told.data.series[index].len() == points.len());
    m.open(&Tag::new("g").attr("class", "hits").attr("fill", "none"));
    let mut last: Option<(f64, f64)> = None;
    for point in points {
        let (x, y) = place(told.unwrap_or(sheet), point);
        if last.is_some_and(|last| (x - last.0).abs().max((y - last.1).abs()) < APART) {
            continue;
        }
        last = Some((x, y));
        let (x, y) = place(sheet, point);
        let hit = Tag::new("circle").num("cx", x).num("cy", y);
        if told.is_some() {
            m.empty(&hit);
            continue;
        }
        let hit = point.raw.iter().fold(hit, |hit, number| hit.attr("data-raw", &number.to_string()));
        m.titled(&hit, &describe::point(sheet.chart, series, point));
    }
    m.close();
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
