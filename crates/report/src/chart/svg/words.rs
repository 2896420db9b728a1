//! Titles above the plot, labels and notes below it.

use super::super::palette::{FAINT, INK, MUTED};
use super::super::{Chart, text};
use super::layout::{Frame, LABEL, LEADING, MARGIN, NOTE, SUBTITLE, TICK, TITLE, WIDTH};
use super::sheet::Sheet;
use crate::markup::{Markup, Tag};

const ROOM: f64 = WIDTH - 2.0 * MARGIN;

/// The room for the label of the y axis.
const Y_LABEL: f64 = LABEL * LEADING + 14.0;
/// The room for tick labels below the plot.
const X_TICKS: f64 = TICK * LEADING + 8.0;
const X_LABEL: f64 = LABEL * LEADING + 4.0;

/// The height of what stands above the plot and the labels of marks.
pub(super) fn height_above(chart: &Chart) -> f64 {
    let lines = |text: &str, size| text::wrap(text, size, ROOM).len() as f64 * size * LEADING;
    lines(&chart.title, TITLE) + lines(&chart.subtitle, SUBTITLE) + Y_LABEL
}

/// The height of what stands below the plot.
pub(super) fn height_below(sheet: &Sheet) -> f64 {
    let lines = note_lines(sheet).len() as f64;
    let notes = if lines > 0.0 { lines * NOTE * LEADING + 6.0 } else { 0.0 };
    X_TICKS + if sheet.x_label { X_LABEL } else { 0.0 } + notes
}

/// Title, subtitle and the label of the y axis.
pub(super) fn above(m: &mut Markup, sheet: &Sheet) {
    let mut y = sheet.frame.start;
    let title = INK.on(Tag::new("g")).attr("font-weight", "600");
    y = lines(m, &title, &text::wrap(&sheet.chart.title, TITLE, ROOM), TITLE, y);
    y = lines(m, &MUTED.on(Tag::new("g")), &text::wrap(&sheet.chart.subtitle, SUBTITLE, ROOM), SUBTITLE, y);
    if !sheet.chart.y.label.is_empty() {
        let label = format!("\u{2191} {}", sheet.chart.y.label);
        m.text(&line(MUTED.on(Tag::new("text")), LABEL, MARGIN, y + LABEL + 7.0), &label);
    }
}

/// The label of the x axis and the notes.
pub(super) fn below(m: &mut Markup, sheet: &Sheet) {
    let mut y = sheet.frame.bottom + X_TICKS;
    if sheet.x_label {
        let tag = line(MUTED.on(Tag::new("text")), LABEL, sheet.frame.right, y + LABEL);
        let label = &sheet.chart.x.label;
        if !label.is_empty() {
            m.text(&tag.attr("text-anchor", "end"), &format!("{label} \u{2192}"));
        }
        y += X_LABEL;
    }
    lines(m, &MUTED.on(Tag::new("g")), &note_lines(sheet), NOTE, y + 6.0);
}

/// Instead of a plot.
pub(super) fn no_data(m: &mut Markup, sheet: &Sheet) {
    let Frame { left, right, top, bottom, .. } = sheet.frame;
    let area = FAINT.on(Tag::new("rect")).attr("fill", "currentColor").num("x", left).num("y", top);
    m.empty(&area.num("width", right - left).num("height", bottom - top));
    let text =
        line(MUTED.on(Tag::new("text")), LABEL, f64::midpoint(left, right), f64::midpoint(top, bottom));
    m.text(&text.attr("text-anchor", "middle"), "no data");
}

fn note_lines(sheet: &Sheet) -> Vec<String> {
    let given = sheet.chart.notes.iter().cloned();
    let own = omitted(sheet.data.omitted).into_iter().chain(hidden_marks(sheet));
    given.chain(own).flat_map(|note| text::wrap(&note, NOTE, ROOM)).collect()
}

fn omitted(points: usize) -> Option<String> {
    const WHY: &str = "left out: not a finite number, or not positive on a logarithmic axis";
    match points {
        0 => None,
        1 => Some(format!("1 point {WHY}")),
        n => Some(format!("{n} points {WHY}")),
    }
}

fn hidden_marks(sheet: &Sheet) -> impl Iterator<Item = String> {
    let hidden = sheet.chart.marks.iter().filter(|mark| !sheet.x.shows(mark.x));
    hidden.map(|mark| format!("outside the plot: {} at {}", mark.label, sheet.chart.x.unit.exact(mark.x)))
}

/// Writes lines from `y` on and gives back where they end.
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
