//! Samples behind the medians: in order, and as distributions.

use panto_results::Record;

use super::concerns::point;
use super::figure::thinned;
use super::group::Group;
use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};
use crate::html::{Block, RawSamples};

/// Upper limit of points whose samples are drawn beside each other.
const MAX_POINTS: usize = 4;
/// Upper limit of samples drawn per point: more cannot be distinguished.
const MAX_DRAWN: usize = 120;
/// Upper limit of samples in a page: a hundred kilobytes.
const MAX_KEPT: usize = 50_000;
/// Lower limit of samples embedded per point.
const MIN_PER_POINT: usize = 16;
/// Upper limit of samples embedded per point.
const MAX_PER_POINT: usize = 160;
/// Ratio of the largest to the smallest time from which the axis is logarithmic.
const WIDE: f64 = 20.0;

const NANO: f64 = 1e-9;

/// Returns the samples of all points of a kernel for a page that has `points` points in all.
pub(super) fn raw(records: &[Record], points: usize) -> Vec<RawSamples> {
    let most = (MAX_KEPT / points.max(1)).clamp(MIN_PER_POINT, MAX_PER_POINT);
    let of = |record: &Record| {
        let seconds: Vec<f64> = record.samples_ns.iter().map(|nanos| nanos * NANO).collect();
        RawSamples::new(&seconds, most)
    };
    records.iter().map(of).collect()
}

/// Returns the samples of some points of a kernel, evenly spaced over its range; `None` if nothing
/// was sampled.
pub(super) fn details(group: &Group) -> Option<Block> {
    let sampled = |record: &&&Record| record.samples_ns.len() > 1 && record.machine.is_none();
    let sampled: Vec<&Record> = group.records.iter().filter(sampled).copied().collect();
    let all = sampled.len();
    let shown = thinned(sampled, MAX_POINTS);
    let text = format!(
        "Samples of {} of {all} point{}, at most {MAX_DRAWN} each, evenly spaced from the first to the last, including the \
         smallest and the largest. Hover over a point of the figure above to see its samples.",
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
    let order = Axis::new("progress of the point's measurement", Scale::Linear, Unit::Percent);
    let spread = Chart::new("Distribution of samples", time(), share);
    let run = Chart::new("Samples in measurement order", order, time());
    let spread = kept.iter().fold(spread, |chart, (name, seconds)| chart.series(distribution(name, seconds)));
    let run = kept.iter().fold(run, |chart, (name, seconds)| chart.series(in_order(name, seconds)));
    Figure::new([spread, run])
}

fn kept(record: &Record) -> Vec<f64> {
    let seconds: Vec<f64> = record.samples_ns.iter().map(|nanos| nanos * NANO).collect();
    RawSamples::new(&seconds, MAX_DRAWN).seconds
}

/// Returns the cumulative share of samples.
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
