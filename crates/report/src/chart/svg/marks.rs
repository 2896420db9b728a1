//! Draws vertical marks, with labels in rows above the plot, where no curve crosses them.

use super::super::mapping::Mapping;
use super::super::palette::{AXIS, MUTED};
use super::super::{Chart, VerticalMark, text};
use super::chart_layout::ChartLayout;
use super::sizes::{Frame, MARK_ROW, NAME_ROOM, TICK};
use crate::markup::{Markup, Tag};

/// Returns the height of the rows of labels.
pub(super) fn height(chart: &Chart, x: &Mapping, right: f64) -> f64 {
    let rows = placed(chart, x, right).iter().map(|label| label.row + 1).max().unwrap_or(0);
    rows as f64 * MARK_ROW
}

pub(super) fn draw(m: &mut Markup, layout: &ChartLayout) {
    let Frame { top, bottom, right, .. } = layout.frame;
    for label in placed(layout.chart, &layout.x, right) {
        let y = top - label.row as f64 * MARK_ROW;
        let line = AXIS.on(Tag::new("path")).attr("stroke", "currentColor").attr("stroke-dasharray", "3 3");
        m.empty(&line.attr("d", &super::curves::polyline([(label.x, y - 12.0), (label.x, bottom)])));
        let tag = MUTED.on(Tag::new("text")).num("font-size", TICK).num("x", label.start).num("y", y - 4.0);
        m.text(&tag, &label.text);
    }
}

struct Placed {
    /// Position of the line.
    x: f64,
    /// Left edge of the text.
    start: f64,
    end: f64,
    row: usize,
    text: String,
}

/// Places each label in the lowest row where it overlaps no other label and no line that reaches a
/// higher row.
fn placed(chart: &Chart, x: &Mapping, right: f64) -> Vec<Placed> {
    let mut shown: Vec<&VerticalMark> = chart.marks.iter().filter(|mark| x.shows(mark.x)).collect();
    // From right to left: the line of a higher label is then left of the lower ones.
    shown.sort_by(|a, b| b.x.total_cmp(&a.x));
    let mut labels: Vec<Placed> = Vec::new();
    for mark in shown {
        let label = beside(mark, x.at(mark.x), right);
        let free = |row: &usize| labels.iter().all(|other| other.row != *row || clear(&label, other));
        let row = (0..=labels.len()).find(free).unwrap_or(0);
        labels.push(Placed { row, ..label });
    }
    labels
}

/// Places the label right of its line, or left of it at the edge of the plot.
fn beside(mark: &VerticalMark, x: f64, right: f64) -> Placed {
    let text = text::shorten(&mark.label, TICK, NAME_ROOM);
    let width = text::width(&text, TICK);
    let start = if x + 4.0 + width <= right { x + 4.0 } else { x - 4.0 - width };
    Placed { x, start, end: start + width, row: 0, text }
}

fn clear(a: &Placed, b: &Placed) -> bool {
    a.end + 6.0 < b.start.min(b.x) || b.end.max(b.x) + 6.0 < a.start.min(a.x)
}
