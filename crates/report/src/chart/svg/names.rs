//! The names of series: at the ends of their curves, or in a legend if there are many.

use super::super::palette::{INK, Look, Looks};
use super::super::spread::spread;
use super::super::{Point, Series, Style, text};
use super::curves::{polyline, stroke, styled};
use super::layout::{Frame, LEADER, NAME_ROOM, NAME_ROW, SAMPLE, TICK};
use super::marker::{self, Fill};
use super::sheet::Sheet;
use crate::markup::{Markup, Tag};

pub(super) fn draw(m: &mut Markup, sheet: &Sheet, looks: &Looks) {
    if sheet.labels_directly() {
        direct(m, sheet, looks);
    } else {
        legend(m, sheet, looks);
    }
}

fn direct(m: &mut Markup, sheet: &Sheet, looks: &Looks) {
    let Frame { top, bottom, right, .. } = sheet.frame;
    let ends: Vec<(&Series, (f64, f64))> = ends(sheet).collect();
    let wanted: Vec<f64> = ends.iter().map(|(_, (_, y))| *y).collect();
    for ((series, end), y) in ends.iter().zip(spread(&wanted, NAME_ROW, top + 4.0, bottom - 4.0)) {
        m.open(&looks.part(Tag::new("g").attr("class", "name"), series));
        leader(m, looks.get(series), *end, right, y);
        name(m, series, right + LEADER - 2.0, y);
        m.close();
    }
}

/// Where each curve ends. A series without points has no end and no label.
fn ends<'a>(sheet: &'a Sheet) -> impl Iterator<Item = (&'a Series, (f64, f64))> {
    let place = |p: &Point| (sheet.x.at(p.x), sheet.y.at(p.y));
    let all = sheet.chart.series.iter().zip(&sheet.data.series);
    all.filter_map(move |(series, points)| points.last().map(|last| (series, place(last))))
}

/// From the end of the curve to its label. Where the curve ends early, the way to the edge is dotted.
fn leader(m: &mut Markup, look: Look, (x, y): (f64, f64), right: f64, label: f64) {
    let start = right.min(x + 5.0);
    let early = right - start > 8.0;
    let bend = [(right + 2.0, y), (right + LEADER - 9.0, label), (right + LEADER - 6.0, label)];
    m.open(&look.role().on(Tag::new("g")));
    if early {
        m.empty(&stroke(&polyline([(start, y), bend[0]])).attr("stroke-dasharray", "1 4"));
    }
    let way = if early { None } else { Some((start, y)) };
    m.empty(&stroke(&polyline(way.into_iter().chain(bend))));
    m.close();
}

fn legend(m: &mut Markup, sheet: &Sheet, looks: &Looks) {
    for (index, series) in sheet.chart.series.iter().enumerate() {
        let y = sheet.frame.top + (index as f64 + 0.5) * NAME_ROW;
        m.open(&looks.part(Tag::new("g").attr("class", "name"), series));
        sample(m, series.style, looks.get(series), sheet.frame.right + 12.0, y);
        name(m, series, sheet.frame.right + SAMPLE - 2.0, y);
        m.close();
    }
}

fn sample(m: &mut Markup, style: Style, look: Look, x: f64, y: f64) {
    m.open(&look.role().on(Tag::new("g")));
    if !matches!(style, Style::Dots | Style::Cloud) {
        m.empty(&styled(stroke(&polyline([(x, y), (x + 24.0, y)])), style, look));
    }
    if !matches!(style, Style::Dashed | Style::Steps) {
        let fill = if style == Style::Line { Fill::Hollow } else { Fill::Solid };
        marker::draw(m, look.marker(), &[(x + 12.0, y)], fill);
    }
    m.close();
}

fn name(m: &mut Markup, series: &Series, x: f64, y: f64) {
    let tag = INK.on(Tag::new("text")).num("font-size", TICK).num("x", x).num("y", y + TICK * 0.35);
    m.text(&tag, &text::shorten(&series.name, TICK, NAME_ROOM));
}
