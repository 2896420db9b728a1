//! The statistics of COMMTEST: latency, bandwidths, and the error of its linear model (T6, T7).
//!
//! COMMTEST moves a volume of `V` bytes in `N` messages and models the time as `a N + b V`: `b`
//! comes from the fastest size, `a` from two sizes whose times differ by more than their intervals.
//! Where the message layer changes its protocol with the size, one `a` cannot hold for all sizes,
//! so the error of the model is also given for the sizes that most of the data belongs to.

use std::collections::BTreeMap;

use panto_results::swap::{Order, Protocol};
use panto_results::{FindingKind, Point, Record, param};
use panto_stats::{Interval, Segmentation, median};

use crate::series::{NANO, Series, series};
use crate::{Finding, Unit};

/// A figure with the interval that follows from the intervals of the medians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// The range of the figure if each median lies in its interval.
    pub interval: Interval,
}

/// The statistics of one protocol in one experiment. Times are in seconds; counts are those of a
/// single rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// The point of the sweep, without the size.
    pub point: Point,
    /// The protocol.
    pub protocol: Protocol,
    /// `b`: the smallest time over all sizes, divided by the bytes that a rank sends.
    pub per_byte: Estimate,
    /// The message size of the smallest time, in bytes.
    pub best_size: u64,
    /// The smallest time: the longest over the ranks.
    pub longest: f64,
    /// The time at the same size from the first start to the last end; `None` where it was not
    /// recorded (T6).
    pub first_to_last: Option<f64>,
    /// `a`: the time that each further swap adds, and the two numbers of swaps it comes from.
    /// `None` where no two neighbouring sizes differ by more than their intervals.
    pub per_swap: Option<(Estimate, [u64; 2])>,
    /// The mean relative deviation of `a N + b V` from the times, over all sizes.
    pub error: Option<f64>,
    /// The mean relative deviation over the largest segment, where there are several segments.
    pub dominant: Option<Dominant>,
}

/// The segment that most sizes belong to, where a message layer changes its protocol with the size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dominant {
    /// The smallest size, in bytes.
    pub from: u64,
    /// The largest size, in bytes.
    pub to: u64,
    /// The mean relative deviation of the model in this segment.
    pub error: f64,
}

impl Statistics {
    /// Returns what each message costs besides its bytes: `a`, or half of it where messages take
    /// turns.
    pub fn latency(&self) -> Option<Estimate> {
        let (per_swap, _) = self.per_swap?;
        Some(per_swap.times(if self.protocol.order == Order::Ordered { 0.5 } else { 1.0 }))
    }

    /// Returns the bytes per second that move in both directions together: `2/b`.
    pub fn swap_bandwidth(&self) -> Estimate {
        self.per_byte.inverse(2.0)
    }

    /// Returns the bytes per second in one direction: `1/b` while as much comes back (busy), `2/b`
    /// while the other direction is idle.
    pub fn one_way_bandwidth(&self) -> Estimate {
        self.per_byte.inverse(if self.protocol.order == Order::Ordered { 2.0 } else { 1.0 })
    }

    /// Returns the name of the one-way bandwidth, `idle` or `busy`.
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

/// The time in seconds of a volume in messages of one size.
#[derive(Clone, Copy)]
struct Timed {
    bytes: u64,
    swaps: u64,
    seconds: f64,
    interval: Interval,
}

/// Returns the statistics of every protocol and experiment in these records, which must be of one
/// kernel on one machine.
pub fn statistics(records: &[&Record]) -> Vec<Statistics> {
    let mut all: Vec<Statistics> = series(records, param::BYTES).into_iter().filter_map(of_series).collect();
    let place = |point: &Point| {
        let volume = std::cmp::Reverse(point.number(param::VOLUME));
        let text = |name| point.text(name).to_owned();
        (point.ranks, text(param::BETWEEN), volume, text(param::LOOP), text(param::CACHE_MODE))
    };
    all.sort_by_cached_key(|each| (place(&each.point), each.protocol.place()));
    all
}

fn of_series((point, series): (Point, Series)) -> Option<Statistics> {
    let volume = point.number(param::VOLUME)?;
    let protocol = point.text(param::PROTOCOL).parse().ok()?;
    let timed = times(volume, &series);
    let best = *timed.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let per_byte = Estimate { value: best.seconds, interval: best.interval }.times(1.0 / volume as f64);
    let segments = segments(&timed);
    let per_swap = per_swap(&timed, &segments);
    let model = |timed: &[Timed]| {
        let (a, _) = per_swap?;
        let predicted = |t: &Timed| a.value * t.swaps as f64 + per_byte.value * volume as f64;
        let off: Vec<f64> = timed.iter().map(|t| (predicted(t) / t.seconds - 1.0).abs()).collect();
        Some(off.iter().sum::<f64>() / off.len() as f64)
    };
    let dominant = dominant(&timed, &segments)
        .and_then(|(from, to, times)| Some(Dominant { from, to, error: model(&times)? }));
    let error = model(&timed);
    Some(Statistics {
        point,
        protocol,
        per_byte,
        best_size: best.bytes,
        longest: best.seconds,
        first_to_last: first_to_last(&series, best.bytes),
        per_swap,
        error,
        dominant,
    })
}

/// Returns the time from the first start to the last end at one size, over all launches.
fn first_to_last(series: &[(u64, &Record)], size: u64) -> Option<f64> {
    let at = series.iter().filter(|(bytes, _)| *bytes == size);
    let medians: Vec<f64> = at.filter_map(|(_, record)| record.first_to_last()).collect();
    median(&medians).ok().map(|nanos| nanos * NANO)
}

/// Returns the times by size. Several launches of a point count as one, with an interval that
/// contains all of theirs.
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

/// Returns the first and last size of each segment of the time per message against the size.
fn segments(timed: &[Timed]) -> Vec<(u64, u64)> {
    let points: Vec<(f64, f64)> =
        timed.iter().map(|t| (t.bytes as f64, t.seconds / t.swaps as f64)).collect();
    let Ok(fit) = Segmentation::default().fit(&points) else { return Vec::new() };
    fit.segments.iter().map(|segment| (segment.from_x as u64, segment.to_x as u64)).collect()
}

/// Returns `a` from 1024 and 512 swaps, or from the next two numbers that are representative: of
/// one segment, and with times that differ by more than their intervals.
fn per_swap(timed: &[Timed], segments: &[(u64, u64)]) -> Option<(Estimate, [u64; 2])> {
    let same_segment = |pair: &&[Timed]| {
        segments.is_empty()
            || segments.iter().any(|(from, to)| pair.iter().all(|t| (*from..=*to).contains(&t.bytes)))
    };
    let differ = |pair: &&[Timed]| pair[0].interval.low > pair[1].interval.high;
    let pair = timed.windows(2).filter(same_segment).find(differ)?;
    let [many, few] = [pair[0], pair[1]];
    let each = 1.0 / (many.swaps - few.swaps) as f64;
    let interval =
        Interval { low: many.interval.low - few.interval.high, high: many.interval.high - few.interval.low };
    let estimate = Estimate { value: many.seconds - few.seconds, interval }.times(each);
    Some((estimate, [few.swaps, many.swaps]))
}

/// Returns the segment that most sizes belong to; `None` where there is only one.
fn dominant(timed: &[Timed], segments: &[(u64, u64)]) -> Option<(u64, u64, Vec<Timed>)> {
    if segments.len() < 2 {
        return None;
    }
    let sizes = |&(from, to): &(u64, u64)| -> Vec<Timed> {
        timed.iter().filter(|t| (from..=to).contains(&t.bytes)).copied().collect()
    };
    segments
        .iter()
        .map(|segment| (segment.0, segment.1, sizes(segment)))
        .max_by_key(|(_, _, sizes)| sizes.len())
}

/// A point whose longest time over the ranks differs from the time between first start and last end
/// (T6).
#[derive(Debug, Clone, PartialEq)]
pub struct Discrepancy {
    /// The point.
    pub point: Point,
    /// The excess of the time between first start and last end, as a fraction of the longest time.
    pub excess: f64,
}

/// Relative difference above which the two times are reported as different.
const NOTABLE: f64 = 0.1;

/// Returns the points whose two times differ notably, and by more than the clock error; the largest
/// difference first.
pub fn discrepancies(records: &[&Record]) -> Vec<Discrepancy> {
    let of_record = |record: &&Record| {
        let (longest, whole) = (median(&record.samples_ns).ok()?, record.first_to_last()?);
        let clocks = record.clock_error_ns.unwrap_or(0.0) / record.batch.max(1) as f64;
        let excess = (whole - longest) / longest;
        let notable = longest > 0.0 && excess.abs() > NOTABLE && (whole - longest).abs() > clocks;
        notable.then(|| Discrepancy { point: record.point.clone(), excess })
    };
    let mut found: Vec<Discrepancy> = records.iter().filter_map(of_record).collect();
    found.sort_by(|a, b| b.excess.abs().total_cmp(&a.excess.abs()));
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
        text(param::CACHE_MODE),
        panto_units::bytes(each.point.number(param::VOLUME).unwrap_or(0)),
        text(param::BETWEEN)
    );
    let finding = |kind, what: &str, value| {
        Finding::new((kernel, kind), &each.point, format!("{what}, {experiment}"), value)
    };
    let estimated = |kind, what: &str, estimate: Estimate, unit| {
        finding(kind, what, (estimate.value, unit)).within(estimate.interval, 1.0)
    };
    let error = |what: &str, fraction: f64| {
        finding(FindingKind::LinearModelError, what, (100.0 * fraction, Unit::Percent))
    };
    let mut found = Vec::new();
    if let (Some((per_swap, _)), Some(latency)) = (each.per_swap, each.latency()) {
        found.push(estimated(FindingKind::PerSwap, "a", per_swap, Unit::Seconds));
        found.push(estimated(FindingKind::Latency, "latency", latency, Unit::Seconds));
    }
    let (both, one_way) = (each.swap_bandwidth(), format!("{} bandwidth", each.one_way_name()));
    found.extend([
        estimated(FindingKind::PerByte, "b", each.per_byte, Unit::SecondsPerByte),
        estimated(FindingKind::SwapBandwidth, "swap bandwidth", both, Unit::BytesPerSecond),
        estimated(FindingKind::OneWayBandwidth, &one_way, each.one_way_bandwidth(), Unit::BytesPerSecond),
    ]);
    found.extend(each.error.map(|fraction| error("error of the linear model", fraction)));
    found.extend(each.dominant.map(|dominant| {
        let [from, to] = [dominant.from, dominant.to].map(panto_units::bytes);
        error(&format!("error of the linear model from {from} to {to}"), dominant.error)
    }));
    found
}
