//! Findings of a curve of times against message sizes: start-up time and time per byte of each
//! regime, peak bandwidth and n1/2, time per hop (C17).
//!
//! A message layer changes its protocol with the size, so one line does not fit all sizes. Exact
//! segmented regression finds the breakpoints; each segment has a line of its own.

use panto_results::{FindingKind, Point, Record, Separation, param};
use panto_stats::{Bandwidth, Interval, Segment, Segmentation, quantile};

use crate::series::{NANO, seconds, series};
use crate::{Finding, IntervalKind, Unit};

/// Number of sizes below which nothing can be concluded about regimes.
const MIN_SIZES: usize = 4;

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let curves: Vec<Curve> = series(records, param::BYTES)
        .into_iter()
        .filter_map(|(point, series)| Some(Curve::new(point.separation()?, point, &series)))
        .collect();
    let mut findings: Vec<Finding> = curves.iter().flat_map(|curve| curve.findings(kernel)).collect();
    findings.extend(per_hop(kernel, &curves));
    findings
}

/// Times in seconds against sizes in bytes, at one distance.
struct Curve {
    separation: Separation,
    /// The point that all records share.
    point: Point,
    points: Vec<(f64, f64)>,
    /// Median and interval of the empty message, in nanoseconds.
    zero: Option<(f64, Interval)>,
    /// Bytes moved per byte of the message: an exchange moves two messages.
    factor: f64,
    /// Whether the times are one way, which every label must say (C17).
    direction: &'static str,
}

impl Curve {
    fn new(separation: Separation, point: Point, series: &[(u64, &Record)]) -> Self {
        let points = series.iter().filter_map(|(x, record)| Some((*x as f64, seconds(record)?)));
        let moved = |(x, record): &(u64, &Record)| Some(record.moved? as f64 / *x as f64).filter(|_| *x > 0);
        let zero = series.first().filter(|(x, _)| *x == 0).and_then(|(_, record)| record.summary());
        Self {
            separation,
            point,
            points: points.collect(),
            zero: zero.map(|summary| (summary.median, summary.interval)),
            factor: series.iter().find_map(moved).unwrap_or(1.0),
            direction: match series.first() {
                Some((_, record)) if record.metric.half => "one way",
                _ => "both ways at once",
            },
        }
    }

    fn finding(&self, (kernel, kind): (&str, FindingKind), label: String, value: (f64, Unit)) -> Finding {
        Finding::new((kernel, kind), &self.point, label, value)
    }

    fn findings(&self, kernel: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Some((nanos, interval)) = self.zero {
            let label = format!("empty message, {}, {}", self.separation, self.direction);
            let value = (nanos * NANO, Unit::Seconds);
            let empty = self.finding((kernel, FindingKind::EmptyMessage), label, value);
            findings.push(empty.within(interval, NANO));
        }
        findings.extend(self.regimes(kernel));
        findings.extend(self.bandwidth(kernel));
        findings
    }

    /// Returns one line per protocol regime. The thesis had to ignore the jumps between them.
    fn regimes(&self, kernel: &str) -> Vec<Finding> {
        self.segments().iter().flat_map(|segment| self.regime(kernel, segment)).collect()
    }

    /// Returns the protocol regimes; none if there are too few sizes to tell.
    fn segments(&self) -> Vec<Segment> {
        if self.points.len() < MIN_SIZES {
            return Vec::new();
        }
        Segmentation::default().fit(&thinned(&self.points)).map(|fit| fit.segments).unwrap_or_default()
    }

    fn regime(&self, kernel: &str, segment: &Segment) -> [Finding; 2] {
        let range = format!(
            "{}, {} to {}, {}",
            self.separation,
            panto_units::bytes(segment.from_x as u64),
            panto_units::bytes(segment.to_x as u64),
            self.direction
        );
        // A line through large sizes alone may have a negative intercept, which is no start-up
        // time.
        let what = if segment.intercept < 0.0 { "intercept" } else { "start-up" };
        let startup = (segment.intercept, Unit::Seconds);
        let per_byte = (segment.slope, Unit::SecondsPerByte);
        [
            self.finding((kernel, FindingKind::Startup), format!("{what}, {range}"), startup)
                .within(segment.intercept_interval, 1.0),
            self.finding((kernel, FindingKind::PerByte), format!("per byte, {range}"), per_byte)
                .within(segment.slope_interval, 1.0),
        ]
    }

    fn bandwidth(&self, kernel: &str) -> Vec<Finding> {
        let sized: Vec<(f64, f64)> = self.points.iter().copied().filter(|(bytes, _)| *bytes > 0.0).collect();
        if sized.len() < MIN_SIZES {
            return Vec::new();
        }
        let Ok(bandwidth) = Bandwidth::of(&sized) else { return Vec::new() };
        let at = panto_units::bytes(bandwidth.peak_size as u64);
        let finding = |kind, label: String, value, unit| self.finding((kernel, kind), label, (value, unit));
        let distance = self.separation;
        vec![
            finding(
                FindingKind::PeakBandwidth,
                format!("peak bandwidth, {distance}, {} (at {at})", self.direction),
                bandwidth.peak * self.factor,
                Unit::BytesPerSecond,
            ),
            finding(
                FindingKind::HalfPeakSize,
                format!("size of half the peak, {distance}"),
                bandwidth.half_size,
                Unit::Bytes,
            ),
            finding(
                FindingKind::NinetyPercentSize,
                format!("size of 90% of the peak, {distance}"),
                bandwidth.ninety_size,
                Unit::Bytes,
            ),
        ]
    }
}

/// Number of sizes above which a curve is thinned, evenly on a logarithmic scale: the time of the
/// exact fit grows with the cube of the number of sizes.
const MAX_SIZES: usize = 300;

fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= MAX_SIZES {
        return points.to_vec();
    }
    let log = |x: f64| x.max(1.0).ln();
    let step = log(points[points.len() - 1].0) / MAX_SIZES as f64;
    let mut next = f64::NEG_INFINITY;
    let mut kept = Vec::with_capacity(MAX_SIZES + 1);
    for &(x, y) in points {
        if log(x) >= next {
            kept.push((x, y));
            next = log(x) + step;
        }
    }
    kept
}

/// Overheads of a further hop over a range of sizes, ascending, in seconds.
struct HopRegime {
    /// Smallest and largest size of the range, in bytes.
    sizes: (f64, f64),
    overheads: Vec<f64>,
}

/// Share by which the overheads of two regimes may differ beyond their quartiles to be one: they
/// are differences of times, so even exact ones are rounded.
const SAME_OVERHEAD: f64 = 0.01;

impl HopRegime {
    fn new(sizes: (f64, f64), mut overheads: Vec<f64>) -> Option<Self> {
        overheads.sort_by(f64::total_cmp);
        (!overheads.is_empty()).then_some(Self { sizes, overheads })
    }

    fn at(&self, share: f64) -> f64 {
        quantile(&self.overheads, share).expect("there are overheads")
    }

    fn is_like(&self, other: &Self) -> bool {
        let slack = SAME_OVERHEAD * self.at(0.5).abs().max(other.at(0.5).abs());
        self.at(0.25) <= other.at(0.75) + slack && other.at(0.25) <= self.at(0.75) + slack
    }

    /// Joins this regime with the next one.
    fn joined(self, next: Self) -> Self {
        let overheads = [self.overheads, next.overheads].concat();
        Self::new((self.sizes.0, next.sizes.1), overheads).expect("both have overheads")
    }

    fn finding(&self, kernel: &str, ranks: usize, direction: &str) -> Finding {
        let [from, to] = [self.sizes.0, self.sizes.1].map(|size| panto_units::bytes(size as u64));
        let label = format!("each further hop, {from} to {to}, {direction}");
        let value = (self.at(0.5), Unit::Seconds);
        Finding::new((kernel, FindingKind::PerHop), &Point::new(ranks), label, value)
            .between((self.at(0.25), self.at(0.75)), IntervalKind::Quartiles)
    }
}

/// Returns the overhead `h` of each further hop, `t(n) = t(1) + (n - 1) h`, in each protocol regime
/// of neighbours: the median over its sizes and all distances, with the quartiles. Successive
/// regimes with the same overhead are one.
fn per_hop(kernel: &str, curves: &[Curve]) -> Vec<Finding> {
    let Some(near) = curves.iter().find(|curve| curve.separation == Separation::Hops(1)) else {
        return Vec::new();
    };
    let mut ranges: Vec<(f64, f64)> =
        near.segments().iter().map(|segment| (segment.from_x, segment.to_x)).collect();
    if let (true, Some(first), Some(last)) = (ranges.is_empty(), near.points.first(), near.points.last()) {
        ranges.push((first.0, last.0));
    }
    let mut regimes: Vec<HopRegime> = Vec::new();
    for regime in ranges.into_iter().filter_map(|range| HopRegime::new(range, overheads(near, curves, range)))
    {
        match regimes.pop() {
            Some(before) if before.is_like(&regime) => regimes.push(before.joined(regime)),
            before => regimes.extend(before.into_iter().chain([regime])),
        }
    }
    regimes.iter().map(|regime| regime.finding(kernel, near.point.ranks, near.direction)).collect()
}

/// Returns the overheads of a further hop at sizes within a range, over all distances.
fn overheads(near: &Curve, curves: &[Curve], range: (f64, f64)) -> Vec<f64> {
    let further = |curve: &Curve| match curve.separation {
        Separation::Hops(hops) => hops.checked_sub(1).filter(|further| *further > 0),
        Separation::Placed(_) => None,
    };
    let far = curves.iter().filter_map(|curve| Some((curve, further(curve)?)));
    far.flat_map(|(curve, further)| curve.beyond(near, further, range)).collect()
}

impl Curve {
    /// Returns the time of each of `further` hops, at sizes within a range.
    fn beyond<'a>(
        &'a self,
        near: &'a Self,
        further: u64,
        (from, to): (f64, f64),
    ) -> impl Iterator<Item = f64> + 'a {
        let within = self.points.iter().filter(move |(bytes, _)| (from..=to).contains(bytes));
        within.filter_map(move |(bytes, time)| {
            let same = near.points.iter().find(|(size, _)| size.total_cmp(bytes).is_eq())?;
            Some((time - same.1) / further as f64)
        })
    }
}
