//! Grid lines, axes and tick labels.

use super::super::palette::{AXIS, FAINT, GRID, MUTED, Role};
use super::super::ticks::Ticks;
use super::layout::{BREAK, Frame, SLOT, TICK};
use super::sheet::Sheet;
use crate::markup::{Markup, Tag, number};

pub(super) fn draw(m: &mut Markup, sheet: &Sheet) {
    grid(m, sheet);
    baselines(m, sheet);
    labels(m, sheet);
}

fn grid(m: &mut Markup, sheet: &Sheet) {
    let majors = |ticks: &Ticks| -> Vec<f64> { ticks.major.iter().map(|tick| tick.value).collect() };
    let Sheet { x_ticks, y_ticks, .. } = sheet;
    grid_lines(m, sheet, &FAINT, &x_ticks.minor, &y_ticks.minor);
    grid_lines(m, sheet, &GRID, &majors(x_ticks), &majors(y_ticks));
}

/// One path for all grid lines of a kind: hundreds of elements would say nothing more.
fn grid_lines(m: &mut Markup, sheet: &Sheet, role: &Role, xs: &[f64], ys: &[f64]) {
    let Frame { top, bottom, .. } = sheet.frame;
    let vertical =
        xs.iter().map(|&x| format!("M{},{}V{}", number(sheet.x.at(x)), number(top), number(bottom)));
    let horizontal = ys.iter().flat_map(|&y| across(sheet, sheet.y.at(y)));
    let path: String = vertical.chain(horizontal).collect();
    if !path.is_empty() {
        stroke(m, role, &path);
    }
}

/// The base of the plot, the line of zero if it lies higher, the ticks, and the break beside the place for
/// zero.
fn baselines(m: &mut Markup, sheet: &Sheet) {
    let Frame { bottom, .. } = sheet.frame;
    let mut path: String = across(sheet, bottom).collect();
    let domain = sheet.y.domain();
    if domain.low < 0.0 && domain.high >= 0.0 {
        path.extend(across(sheet, sheet.y.at(0.0)));
    }
    path.extend(x_positions(sheet).map(|(x, _)| format!("M{},{}v4", number(x), number(bottom))));
    if sheet.x.domain().zero {
        path.extend(slashes(sheet));
    }
    stroke(m, &AXIS, &path);
}

fn labels(m: &mut Markup, sheet: &Sheet) {
    let group = |anchor| MUTED.on(Tag::new("g")).num("font-size", TICK).attr("text-anchor", anchor);
    m.open(&group("middle"));
    for (x, label) in x_positions(sheet) {
        m.text(&Tag::new("text").num("x", x).num("y", sheet.frame.bottom + 6.0 + TICK), label);
    }
    m.close();
    m.open(&group("end"));
    for tick in &sheet.y_ticks.major {
        // A third of the font size brings the middle of the digits to the height of the line.
        let y = sheet.y.at(tick.value) + TICK * 0.35;
        m.text(&Tag::new("text").num("x", sheet.frame.left - 8.0).num("y", y), &tick.label);
    }
    m.close();
}

/// The places of all labels of the x axis.
fn x_positions<'a>(sheet: &'a Sheet) -> impl Iterator<Item = (f64, &'a str)> {
    let zero = sheet.x.domain().zero.then(|| (sheet.x.at(0.0), "0"));
    zero.into_iter()
        .chain(sheet.x_ticks.major.iter().map(|tick| (sheet.x.at(tick.value), tick.label.as_str())))
}

/// A line across the plot, which has two parts if zero has a place of its own.
fn across(sheet: &Sheet, y: f64) -> impl Iterator<Item = String> + use<> {
    let Frame { left, right, main, .. } = sheet.frame;
    let slot = (main > left).then_some((left, left + SLOT));
    slot.into_iter()
        .chain([(main, right)])
        .map(move |(from, to)| format!("M{},{}H{}", number(from), number(y), number(to)))
}

fn slashes(sheet: &Sheet) -> impl Iterator<Item = String> + use<> {
    let Frame { left, bottom, .. } = sheet.frame;
    let places = [left + SLOT, left + SLOT + BREAK];
    places.into_iter().map(move |x| format!("M{},{}l4,-10", number(x - 2.0), number(bottom + 5.0)))
}

fn stroke(m: &mut Markup, role: &Role, path: &str) {
    m.empty(&role.on(Tag::new("path")).attr("d", path).attr("fill", "none").attr("stroke", "currentColor"));
}
