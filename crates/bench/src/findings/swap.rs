//! The statistics of COMMTEST: latency, bandwidths, and how well two parameters describe the data (T6, T7).

use std::collections::BTreeMap;

use panto_stats::{Interval, Segmentation, median};

use super::{Finding, NANO, Unit, series};
use crate::point::{Point, param};
use crate::results::Record;
use crate::swap::{Order, Protocol};

/// A figure with the interval that follows from those of the medians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Where it lies if each median lies in its interval.
    pub interval: Interval,
}

/// What one protocol does in one experiment. Times are in seconds, and counts those of a single rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Where in the sweep, without the size.
    pub point: Point,
    /// The protocol.
    pub protocol: Protocol,
    /// `b`: the least time of all sizes, by the bytes that a rank sends.
    pub per_byte: Estimate,
    /// The size of that time.
    pub best_size: u64,
    /// `a`: what each further swap adds, and the two numbers of swaps it comes from. Nothing where no two neighbours differ by more
    /// than their intervals.
    pub per_swap: Option<(Estimate, [u64; 2])>,
    /// Mean deviation of `a N + b bytes` from the times, as a part of them, over all sizes.
    pub error: Option<f64>,
    /// The same over the sizes that follow one law, where there are several laws.
    pub dominant: Option<Dominant>,
}

/// The sizes that most of the data belongs to, where a message layer changes its own protocol with the size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dominant {
    /// The least of them.
    pub from: u64,
    /// The largest.
    pub to: u64,
    /// Mean deviation of the model there, as a part of the times.
    pub error: f64,
}

impl Statistics {
    /// What each message costs beside its bytes: `a`, and half of it where messages take turns.
    pub fn latency(&self) -> Option<Estimate> {
        let (per_swap, _) = self.per_swap?;
        Some(per_swap.times(if self.protocol.order == Order::Ordered { 0.5 } else { 1.0 }))
    }

    /// Bytes a second that move both ways together: `2/b`.
    pub fn swap_bandwidth(&self) -> Estimate {
        self.per_byte.inverse(2.0)
    }

    /// Bytes a second one way: `1/b` while as much comes back (busy), `2/b` while nothing else happens (idle).
    pub fn one_way_bandwidth(&self) -> Estimate {
        self.per_byte.inverse(if self.protocol.order == Order::Ordered { 2.0 } else { 1.0 })
    }

    /// What its one-way bandwidth is called.
    pub fn one_way_name(&self) -> &'static str {
        if self.protocol.order == Order::Ordered { "idle" } else { "busy" }
    }
}

impl Estimate {
    fn times(self, factor: f64) -> Self {
        let Interval { low, high } = self.interval;
        Self { value: self.value * factor, interval: Interval { low: low * factor, high: high * factor } }
    }

    fn inverse(self, numerator: f64) -> Self {
        let Interval { low, high } = self.interval;
        Self {
            value: numerator / self.value,
            interval: Interval { low: numerator / high, high: numerator / low },
        }
    }
}

/// The time of a volume in messages of one size.
#[derive(Clone, Copy)]
struct Timed {
    bytes: u64,
    swaps: u64,
    seconds: f64,
    interval: Interval,
}

/// The statistics of every protocol and experiment in these records, which are those of one kernel on one machine.
pub fn statistics(records: &[&Record]) -> Vec<Statistics> {
    let mut all: Vec<Statistics> = series(records, param::BYTES).into_iter().filter_map(of_series).collect();
    let place = |point: &Point| {
        let volume = std::cmp::Reverse(point.number(param::VOLUME));
        let text = |name| point.text(name).to_owned();
        (point.ranks, text(param::BETWEEN), volume, text(param::LOOP), text(param::WAY))
    };
    all.sort_by_cached_key(|each| (place(&each.point), each.protocol.place()));
    all
}

fn of_series((point, series): (Point, Vec<(u64, &Record)>)) -> Option<Statistics> {
    let volume = point.number(param::VOLUME)?;
    let protocol = point.text(param::PROTOCOL).parse().ok()?;
    let timed = times(volume, &series);
    let best = *timed.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let per_byte = Estimate { value: best.seconds, interval: best.interval }.times(1.0 / volume as f64);
    let laws = laws(&timed);
    let per_swap = per_swap(&timed, &laws);
    let model = |timed: &[Timed]| {
        let (a, _) = per_swap?;
        let predicted = |t: &Timed| a.value * t.swaps as f64 + per_byte.value * volume as f64;
        let off: Vec<f64> = timed.iter().map(|t| (predicted(t) / t.seconds - 1.0).abs()).collect();
        Some(off.iter().sum::<f64>() / off.len() as f64)
    };
    let dominant = dominant(&timed, &laws)
        .and_then(|(from, to, part)| Some(Dominant { from, to, error: model(&part)? }));
    let error = model(&timed);
    Some(Statistics { point, protocol, per_byte, best_size: best.bytes, per_swap, error, dominant })
}

/// By size. Several launches of a point are one, with an interval that holds all of theirs.
fn times(volume: u64, series: &[(u64, &Record)]) -> Vec<Timed> {
    let mut sizes: BTreeMap<u64, Vec<(f64, Interval)>> = BTreeMap::new();
    for (bytes, record) in series.iter().filter(|(bytes, _)| *bytes > 0) {
        let Some(summary) = record.summary().filter(|summary| summary.median > 0.0) else { continue };
        sizes.entry(*bytes).or_default().push((summary.median, summary.interval));
    }
    let timed = |(bytes, launches): (u64, Vec<(f64, Interval)>)| {
        let medians: Vec<f64> = launches.iter().map(|(median, _)| *median).collect();
        let low = launches.iter().map(|(_, interval)| interval.low).fold(f64::INFINITY, f64::min);
        let high = launches.iter().map(|(_, interval)| interval.high).fold(0.0, f64::max);
        let interval = Interval { low: low * NANO, high: high * NANO };
        Some(Timed { bytes, swaps: volume / bytes, seconds: median(&medians).ok()? * NANO, interval })
    };
    sizes.into_iter().filter_map(timed).collect()
}

/// The sizes that follow one line each, of the time of a message against its size.
fn laws(timed: &[Timed]) -> Vec<(u64, u64)> {
    let points: Vec<(f64, f64)> =
        timed.iter().map(|t| (t.bytes as f64, t.seconds / t.swaps as f64)).collect();
    let Ok(fit) = Segmentation::default().fit(&points) else { return Vec::new() };
    fit.segments.iter().map(|segment| (segment.from_x as u64, segment.to_x as u64)).collect()
}

/// From 1024 and 512 swaps, or the next two that are representative: they follow the same law, and their times differ by more than
/// their intervals.
fn per_swap(timed: &[Timed], laws: &[(u64, u64)]) -> Option<(Estimate, [u64; 2])> {
    let same_law = |pair: &&[Timed]| {
        laws.is_empty() || laws.iter().any(|(from, to)| pair.iter().all(|t| (*from..=*to).contains(&t.bytes)))
    };
    let differ = |pair: &&[Timed]| pair[0].interval.low > pair[1].interval.high;
    let pair = timed.windows(2).filter(same_law).find(differ)?;
    let [many, few] = [pair[0], pair[1]];
    let each = 1.0 / (many.swaps - few.swaps) as f64;
    let interval =
        Interval { low: many.interval.low - few.interval.high, high: many.interval.high - few.interval.low };
    let estimate = Estimate { value: many.seconds - few.seconds, interval }.times(each);
    Some((estimate, [few.swaps, many.swaps]))
}

/// The law that most sizes follow; nothing where there is but one.
fn dominant(timed: &[Timed], laws: &[(u64, u64)]) -> Option<(u64, u64, Vec<Timed>)> {
    if laws.len() < 2 {
        return None;
    }
    let sizes = |&(from, to): &(u64, u64)| -> Vec<Timed> {
        timed.iter().filter(|t| (from..=to).contains(&t.bytes)).copied().collect()
    };
    laws.iter().map(|law| (law.0, law.1, sizes(law))).max_by_key(|(_, _, sizes)| sizes.len())
}

/// A point at which the longest time over the ranks is not the time from the first start to the last end (T6).
#[derive(Debug, Clone, PartialEq)]
pub struct Discrepancy {
    /// Where.
    pub point: Point,
    /// By how much longer the latter is, as a part of the former.
    pub part: f64,
}

/// From this part on, two times of the same thing differ.
const NOTABLE: f64 = 0.1;

/// The points at which the two times differ notably, and by more than the clocks may; the worst first.
pub fn discrepancies(records: &[&Record]) -> Vec<Discrepancy> {
    let of_record = |record: &&Record| {
        let (longest, whole) = (median(&record.samples_ns).ok()?, median(&record.first_to_last_ns).ok()?);
        let clocks = record.clock_error_ns.unwrap_or(0.0) / record.batch.max(1) as f64;
        let part = (whole - longest) / longest;
        let notable = longest > 0.0 && part.abs() > NOTABLE && (whole - longest).abs() > clocks;
        notable.then(|| Discrepancy { point: record.point.clone(), part })
    };
    let mut found: Vec<Discrepancy> = records.iter().filter_map(of_record).collect();
    found.sort_by(|a, b| b.part.abs().total_cmp(&a.part.abs()));
    found
}

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    statistics(records).iter().flat_map(|each| of_statistics(kernel, each)).collect()
}

fn of_statistics(kernel: &str, each: &Statistics) -> Vec<Finding> {
    let text = |name| each.point.text(name);
    let experiment = format!(
        "{}, {}, {}, {}, {}",
        each.protocol,
        text(param::LOOP),
        text(param::WAY),
        panto_units::bytes(each.point.number(param::VOLUME).unwrap_or(0)),
        text(param::BETWEEN)
    );
    let finding = |what: &str, estimate: Estimate, unit| {
        Finding::new(kernel, format!("{what}, {experiment}"), estimate.value, unit)
            .within(estimate.interval, 1.0)
    };
    let error = |what: &str, part: f64| {
        Finding::new(kernel, format!("{what}, {experiment}"), 100.0 * part, Unit::Percent)
    };
    let mut found = Vec::new();
    if let (Some((per_swap, _)), Some(latency)) = (each.per_swap, each.latency()) {
        found.push(finding("a", per_swap, Unit::Seconds));
        found.push(finding("latency", latency, Unit::Seconds));
    }
    found.push(finding("b", each.per_byte, Unit::SecondsPerByte));
    found.push(finding("swap bandwidth", each.swap_bandwidth(), Unit::BytesPerSecond));
    let one_way = format!("{} bandwidth", each.one_way_name());
    found.push(finding(&one_way, each.one_way_bandwidth(), Unit::BytesPerSecond));
    found.extend(each.error.map(|part| error("error of the linear model", part)));
    found.extend(each.dominant.map(|dominant| {
        let [from, to] = [dominant.from, dominant.to].map(panto_units::bytes);
        error(&format!("error of the linear model from {from} to {to}"), dominant.error)
    }));
    found
}
