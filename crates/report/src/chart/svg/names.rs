//! Draws the names of series: at the ends of their curves, or in a legend if there are many.

use super::super::palette::{Appearance, Appearances, INK};
use super::super::spread::spread;
use super::super::{Point, Series, Style, text};
use super::chart_layout::ChartLayout;
use super::curves::{polyline, stroke, styled};
use super::marker::{self, Fill};
use super::sizes::{Frame, LEADER, NAME_ROOM, NAME_ROW, SAMPLE, TICK};
use crate::markup::{Markup, Tag};

pub(super) fn draw(m: &mut Markup, layout: &ChartLayout, appearances: &Appearances) {
    if layout.labels_directly() {
        direct(m, layout, appearances);
    } else {
        legend(m, layout, appearances);
    }
}

fn direct(m: &mut Markup, layout: &ChartLayout, appearances: &Appearances) {
    let Frame { top, bottom, right, .. } = layout.frame;
    let ends: Vec<(&Series, (f64, f64))> = ends(layout).collect();
    let wanted: Vec<f64> = ends.iter().map(|(_, (_, y))| *y).collect();
    for ((series, end), y) in ends.iter().zip(spread(&wanted, NAME_ROW, top + 4.0, bottom - 4.0)) {
        m.open(&appearances.part(Tag::new("g").attr("class", "name"), series));
        leader(m, appearances.get(series), *end, right, y);
        name(m, series, right + LEADER - 2.0, y);
        m.close();
    }
}

/// Returns the end of each curve. A series without points has neither end nor label.
fn ends<'a>(layout: &'a ChartLayout) -> impl Iterator<Item = (&'a Series, (f64, f64))> {
    let place = |p: &Point| (layout.x.at(p.x), layout.y.at(p.y));
    let all = layout.chart.series.iter().zip(&layout.data.series);
    all.filter_map(move |(series, points)| points.last().map(|last| (series, place(last))))
}

/// Draws the leader line from the end of the curve to its label; dotted up to the edge if the curve
/// ends early.
fn leader(m: &mut Markup, appearance: Appearance, (x, y): (f64, f64), right: f64, label: f64) {
    let start = right.min(x + 5.0);
    let early = right - start > 8.0;
    let bend = [(right + 2.0, y), (right + LEADER - 9.0, label), (right + LEADER - 6.0, label)];
    m.open(&appearance.role().on(Tag::new("g")));
    if early {
        m.empty(&stroke(&polyline([(start, y), bend[0]])).attr("stroke-dasharray", "1 4"));
    }
    let way = if early { None } else { Some((start, y)) };
    m.empty(&stroke(&polyline(way.into_iter().chain(bend))));
    m.close();
}

fn legend(m: &mut Markup, layout: &ChartLayout, appearances: &Appearances) {
    for (index, series) in layout.chart.series.iter().enumerate() {
        let y = layout.frame.top + (index as f64 + 0.5) * NAME_ROW;
        m.open(&appearances.part(Tag::new("g").attr("class", "name"), series));
        sample(m, series.style, appearances.get(series), layout.frame.right + 12.0, y);
        name(m, series, layout.frame.right + SAMPLE - 2.0, y);
        m.close();
    }
}

fn sample(m: &mut Markup, style: Style, appearance: Appearance, x: f64, y: f64) {
    m.open(&appearance.role().on(Tag::new("g")));
    if !matches!(style, Style::Dots | Style::Cloud) {
        m.empty(&styled(stroke(&polyline([(x, y), (x + 24.0, y)])), style, appearance));
    }
    if !matches!(style, Style::Dashed | Style::Steps) {
        let fill = if style == Style::Line { Fill::Hollow } else { Fill::Solid };
        marker::draw(m, appearance.marker(), &[(x + 12.0, y)], fill);
    }
    m.close();
}

fn name(m: &mut Markup, series: &Series, x: f64, y: f64) {
    let tag = INK.on(Tag::new("text")).num("font-size", TICK).num("x", x).num("y", y + TICK * 0.35);
    m.text(&tag, &text::shorten(&series.name, TICK, NAME_ROOM));
}
