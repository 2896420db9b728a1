//! Draws titles above the plot, labels and notes below it.

use super::super::palette::{FAINT, INK, MUTED};
use super::super::{Chart, text};
use super::chart_layout::ChartLayout;
use super::sizes::{Frame, LABEL, LEADING, MARGIN, NOTE, SUBTITLE, TICK, TITLE, WIDTH};
use crate::markup::{Markup, Tag};

const ROOM: f64 = WIDTH - 2.0 * MARGIN;

/// Height of the label of the y axis.
const Y_LABEL: f64 = LABEL * LEADING + 14.0;
/// Height of the tick labels below the plot.
const X_TICKS: f64 = TICK * LEADING + 8.0;
const X_LABEL: f64 = LABEL * LEADING + 4.0;

/// Returns the height of what is above the plot and the labels of marks.
pub(super) fn height_above(chart: &Chart) -> f64 {
    let lines = |text: &str, size| text::wrap(text, size, ROOM).len() as f64 * size * LEADING;
    lines(&chart.title, TITLE) + lines(&chart.subtitle, SUBTITLE) + Y_LABEL
}

/// Returns the height of what is below the plot.
pub(super) fn height_below(layout: &ChartLayout) -> f64 {
    let lines = note_lines(layout).len() as f64;
    let notes = if lines > 0.0 { lines * NOTE * LEADING + 6.0 } else { 0.0 };
    X_TICKS + if layout.x_label { X_LABEL } else { 0.0 } + notes
}

/// Draws title, subtitle and the label of the y axis.
pub(super) fn above(m: &mut Markup, layout: &ChartLayout) {
    let mut y = layout.frame.start;
    let title = INK.on(Tag::new("g")).attr("font-weight", "600");
    y = lines(m, &title, &text::wrap(&layout.chart.title, TITLE, ROOM), TITLE, y);
    y = lines(m, &MUTED.on(Tag::new("g")), &text::wrap(&layout.chart.subtitle, SUBTITLE, ROOM), SUBTITLE, y);
    if !layout.chart.y.label.is_empty() {
        let label = format!("\u{2191} {}", layout.chart.y.label);
        m.text(&line(MUTED.on(Tag::new("text")), LABEL, MARGIN, y + LABEL + 7.0), &label);
    }
}

/// Draws the label of the x axis and the notes.
pub(super) fn below(m: &mut Markup, layout: &ChartLayout) {
    let mut y = layout.frame.bottom + X_TICKS;
    if layout.x_label {
        let tag = line(MUTED.on(Tag::new("text")), LABEL, layout.frame.right, y + LABEL);
        let label = &layout.chart.x.label;
        if !label.is_empty() {
            m.text(&tag.attr("text-anchor", "end"), &format!("{label} \u{2192}"));
        }
        y += X_LABEL;
    }
    lines(m, &MUTED.on(Tag::new("g")), &note_lines(layout), NOTE, y + 6.0);
}

/// Draws a placeholder instead of a plot.
pub(super) fn no_data(m: &mut Markup, layout: &ChartLayout) {
    let Frame { left, right, top, bottom, .. } = layout.frame;
    let area = FAINT.on(Tag::new("rect")).attr("fill", "currentColor").num("x", left).num("y", top);
    m.empty(&area.num("width", right - left).num("height", bottom - top));
    let text =
        line(MUTED.on(Tag::new("text")), LABEL, f64::midpoint(left, right), f64::midpoint(top, bottom));
    m.text(&text.attr("text-anchor", "middle"), "no data");
}

fn note_lines(layout: &ChartLayout) -> Vec<String> {
    let given = layout.chart.notes.iter().cloned();
    let own = omitted(layout.data.omitted).into_iter().chain(hidden_marks(layout));
    given.chain(own).flat_map(|note| text::wrap(&note, NOTE, ROOM)).collect()
}

fn omitted(points: usize) -> Option<String> {
    const WHY: &str = "omitted: not finite, or not positive on a logarithmic axis";
    match points {
        0 => None,
        1 => Some(format!("1 point {WHY}")),
        n => Some(format!("{n} points {WHY}")),
    }
}

fn hidden_marks(layout: &ChartLayout) -> impl Iterator<Item = String> {
    let hidden = layout.chart.marks.iter().filter(|mark| !layout.x.shows(mark.x));
    hidden.map(|mark| format!("outside the plot: {} at {}", mark.label, layout.chart.x.unit.exact(mark.x)))
}

/// Draws lines from `y` on; returns where they end.
fn lines(m: &mut Markup, group: &Tag, lines: &[String], size: f64, y: f64) -> f64 {
    if lines.is_empty() {
        return y;
    }
    m.open(group);
    for (index, text) in lines.iter().enumerate() {
        m.text(&line(Tag::new("text"), size, MARGIN, y + size + index as f64 * size * LEADING), text);
    }
    m.close();
    y + lines.len() as f64 * size * LEADING
}

fn line(tag: Tag, size: f64, x: f64, y: f64) -> Tag {
    tag.num("font-size", size).num("x", x).num("y", y)
}
