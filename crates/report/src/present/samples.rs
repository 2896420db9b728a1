//! What lies behind medians: the samples of points, as they came and as they are spread.

use panto_bench::results::Record;

use super::concerns::point;
use super::figure::thinned;
use super::group::Group;
use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};
use crate::html::{Block, Raw};

/// Points whose samples are drawn beside each other.
const MOST_POINTS: usize = 4;
/// Samples of one of them that are drawn: more cannot be told apart.
const MOST_DRAWN: usize = 120;
/// Samples of all points together that a page holds: a hundred kilobytes.
const MOST_KEPT: usize = 50_000;
/// Those of one point, at least and at most.
const LEAST_OF_POINT: usize = 16;
const MOST_OF_POINT: usize = 160;
/// On a linear axis, times that spread by more than this are one line at the left.
const WIDE: f64 = 20.0;

const NANO: f64 = 1e-9;

/// The samples of all points of a kernel, for the page; a page has so many points in all.
pub(super) fn raw(records: &[Record], points: usize) -> Vec<Raw> {
    let most = (MOST_KEPT / points.max(1)).clamp(LEAST_OF_POINT, MOST_OF_POINT);
    let of = |record: &Record| {
        let seconds: Vec<f64> = record.samples_ns.iter().map(|nanos| nanos * NANO).collect();
        Raw::new(&seconds, most)
    };
    records.iter().map(of).collect()
}

/// Some points of a kernel, from all over its range; nothing where nothing was sampled.
pub(super) fn details(group: &Group) -> Option<Block> {
    let sampled = |record: &&&Record| record.samples_ns.len() > 1 && record.machine.is_none();
    let sampled: Vec<&Record> = group.records.iter().filter(sampled).copied().collect();
    let all = sampled.len();
    let shown = thinned(sampled, MOST_POINTS);
    let text = format!(
        "The samples of {} of {all} point{}; of each at most {MOST_DRAWN}, evenly from the first to the last, with the least and the \
         greatest. Pointing at a point of the figure above shows its own.",
        shown.len(),
        if all == 1 { "" } else { "s" }
    );
    let blocks = vec![Block::paragraph(text), Block::Figure(figure(group, &shown))];
    (!shown.is_empty()).then(|| Block::Details { summary: "Raw samples".into(), blocks })
}

fn figure(group: &Group, records: &[&Record]) -> Figure {
    let kept: Vec<(String, Vec<f64>)> =
        records.iter().map(|record| (point(group, record), kept(record))).collect();
    let values = || kept.iter().flat_map(|(_, seconds)| seconds.iter().copied());
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let scale = if least > 0.0 && most > WIDE * least { Scale::Log10 } else { Scale::Linear };
    let time = || Axis::new("time", scale, Unit::Seconds);
    let share = Axis::new("samples within this time", Scale::Linear, Unit::Percent);
    let order = Axis::new("part of the measurement of a point", Scale::Linear, Unit::Percent);
    let spread = Chart::new("How the samples are spread", time(), share);
    let run = Chart::new("The same in the order of measuring", order, time());
    let spread = kept.iter().fold(spread, |chart, (name, seconds)| chart.series(distribution(name, seconds)));
    let run = kept.iter().fold(run, |chart, (name, seconds)| chart.series(in_order(name, seconds)));
    Figure::new([spread, run])
}

fn kept(record: &Record) -> Vec<f64> {
    let seconds: Vec<f64> = record.samples_ns.iter().map(|nanos| nanos * NANO).collect();
    Raw::new(&seconds, MOST_DRAWN).seconds
}

/// The share of samples up to each.
fn distribution(name: &str, seconds: &[f64]) -> Series {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let share = 100.0 / sorted.len() as f64;
    let points = sorted.iter().enumerate().map(|(place, &at)| Point::new(at, (place + 1) as f64 * share));
    let foot = sorted.first().map(|&at| Point::new(at, 0.0));
    Series::new(name, Style::Steps, foot.into_iter().chain(points))
}

fn in_order(name: &str, seconds: &[f64]) -> Series {
    let part = 100.0 / (seconds.len() - 1).max(1) as f64;
    let points = seconds.iter().enumerate().map(|(place, &at)| Point::new(place as f64 * part, at));
    Series::new(name, Style::Cloud, points)
}
