//! Grid lines, axes and tick labels.

use super::super::palette::{AXIS, FAINT, GRID, MUTED, Role};
use super::super::ticks::Ticks;
use super::chart_layout::ChartLayout;
use super::sizes::{BREAK, Frame, SLOT, TICK};
use crate::markup::{Markup, Tag, number};

pub(super) fn draw(m: &mut Markup, layout: &ChartLayout) {
    grid(m, layout);
    baselines(m, layout);
    labels(m, layout);
}

fn grid(m: &mut Markup, layout: &ChartLayout) {
    let majors = |ticks: &Ticks| -> Vec<f64> { ticks.major.iter().map(|tick| tick.value).collect() };
    let ChartLayout { x_ticks, y_ticks, .. } = layout;
    grid_lines(m, layout, &FAINT, &x_ticks.minor, &y_ticks.minor);
    grid_lines(m, layout, &GRID, &majors(x_ticks), &majors(y_ticks));
}

/// Draws all grid lines of a role as one path, which is smaller than hundreds of elements.
fn grid_lines(m: &mut Markup, layout: &ChartLayout, role: &Role, xs: &[f64], ys: &[f64]) {
    let Frame { top, bottom, .. } = layout.frame;
    let vertical =
        xs.iter().map(|&x| format!("M{},{}V{}", number(layout.x.at(x)), number(top), number(bottom)));
    let horizontal = ys.iter().flat_map(|&y| across(layout, layout.y.at(y)));
    let path: String = vertical.chain(horizontal).collect();
    if !path.is_empty() {
        stroke(m, role, &path);
    }
}

/// Draws the base of the plot, the zero line if it is higher, the ticks, and the break beside the
/// slot for zero.
fn baselines(m: &mut Markup, layout: &ChartLayout) {
    let Frame { bottom, .. } = layout.frame;
    let mut path: String = across(layout, bottom).collect();
    let domain = layout.y.domain();
    if domain.low < 0.0 && domain.high >= 0.0 {
        path.extend(across(layout, layout.y.at(0.0)));
    }
    path.extend(x_positions(layout).map(|(x, _)| format!("M{},{}v4", number(x), number(bottom))));
    if layout.x.domain().zero {
        path.extend(slashes(layout));
    }
    stroke(m, &AXIS, &path);
}

fn labels(m: &mut Markup, layout: &ChartLayout) {
    let group = |anchor| MUTED.on(Tag::new("g")).num("font-size", TICK).attr("text-anchor", anchor);
    m.open(&group("middle"));
    for (x, label) in x_positions(layout) {
        m.text(&Tag::new("text").num("x", x).num("y", layout.frame.bottom + 6.0 + TICK), label);
    }
    m.close();
    m.open(&group("end"));
    for tick in &layout.y_ticks.major {
        // A third of the font size centres the digits vertically on the line.
        let y = layout.y.at(tick.value) + TICK * 0.35;
        m.text(&Tag::new("text").num("x", layout.frame.left - 8.0).num("y", y), &tick.label);
    }
    m.close();
}

/// Returns the positions of all labels of the x axis.
fn x_positions<'a>(layout: &'a ChartLayout) -> impl Iterator<Item = (f64, &'a str)> {
    let zero = layout.x.domain().zero.then(|| (layout.x.at(0.0), "0"));
    zero.into_iter()
        .chain(layout.x_ticks.major.iter().map(|tick| (layout.x.at(tick.value), tick.label.as_str())))
}

/// Returns a line across the plot, in two parts if zero has a slot of its own.
fn across(layout: &ChartLayout, y: f64) -> impl Iterator<Item = String> + use<> {
    let Frame { left, right, main, .. } = layout.frame;
    let slot = (main > left).then_some((left, left + SLOT));
    slot.into_iter()
        .chain([(main, right)])
        .map(move |(from, to)| format!("M{},{}H{}", number(from), number(y), number(to)))
}

fn slashes(layout: &ChartLayout) -> impl Iterator<Item = String> + use<> {
    let Frame { left, bottom, .. } = layout.frame;
    let places = [left + SLOT, left + SLOT + BREAK];
    places.into_iter().map(move |x| format!("M{},{}l4,-10", number(x - 2.0), number(bottom + 5.0)))
}

fn stroke(m: &mut Markup, role: &Role, path: &str) {
    m.empty(&role.on(Tag::new("path")).attr("d", path).attr("fill", "none").attr("stroke", "currentColor"));
}
