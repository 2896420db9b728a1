//! Start-up time, time a byte, time a hop, bandwidth (C17).

use panto_stats::{Bandwidth, Interval, Segment, Segmentation, quantile};

use super::{Finding, NANO, Range, Unit, seconds, series};
use crate::point::param;
use crate::results::Record;
use crate::separation::Separation;

/// Fewer sizes say nothing about regimes.
const LEAST_SIZES: usize = 4;

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let curves: Vec<Curve> = series(records, param::BYTES)
        .into_iter()
        .filter_map(|(point, series)| Some(Curve::new(point.separation()?, &series)))
        .collect();
    let mut findings: Vec<Finding> = curves.iter().flat_map(|curve| curve.findings(kernel)).collect();
    findings.extend(per_hop(kernel, &curves));
    findings
}

/// Times against sizes at one distance.
struct Curve {
    separation: Separation,
    points: Vec<(f64, f64)>,
    zero: Option<(f64, Interval)>,
    /// Bytes moved for each byte of the message: an exchange moves two messages.
    factor: f64,
    /// Whether the times are one way: always to be said (C17).
    way: &'static str,
}

impl Curve {
    fn new(separation: Separation, series: &[(u64, &Record)]) -> Self {
        let points = series.iter().filter_map(|(x, record)| Some((*x as f64, seconds(record)?)));
        let moved = |(x, record): &(u64, &Record)| Some(record.moved? as f64 / *x as f64).filter(|_| *x > 0);
        let zero = series.first().filter(|(x, _)| *x == 0).and_then(|(_, record)| record.summary());
        Self {
            separation,
            points: points.collect(),
            zero: zero.map(|summary| (summary.median, summary.interval)),
            factor: series.iter().find_map(moved).unwrap_or(1.0),
            way: match series.first() {
                Some((_, record)) if record.metric.half => "one way",
                _ => "both ways at once",
            },
        }
    }

    fn findings(&self, kernel: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Some((nanos, interval)) = self.zero {
            let label = format!("empty message, {}, {}", self.separation, self.way);
            findings.push(Finding::new(kernel, label, nanos * NANO, Unit::Seconds).within(interval, NANO));
        }
        findings.extend(self.regimes(kernel));
        findings.extend(self.bandwidth(kernel));
        findings
    }

    /// One line for each protocol regime: the thesis had to ignore the jumps, we find them.
    fn regimes(&self, kernel: &str) -> Vec<Finding> {
        if self.points.len() < LEAST_SIZES {
            return Vec::new();
        }
        let Ok(fit) = Segmentation::default().fit(&thinned(&self.points)) else { return Vec::new() };
        fit.segments.iter().flat_map(|segment| self.regime(kernel, segment)).collect()
    }

    fn regime(&self, kernel: &str, segment: &Segment) -> [Finding; 2] {
        let range = format!(
            "{}, {} to {}, {}",
            self.separation,
            panto_units::bytes(segment.from_x as u64),
            panto_units::bytes(segment.to_x as u64),
            self.way
        );
        // A line through large sizes alone may well begin below zero; that is no time to start up.
        let what = if segment.intercept < 0.0 { "intercept" } else { "start-up" };
        let start_up = Finding::new(kernel, format!("{what}, {range}"), segment.intercept, Unit::Seconds);
        let per_byte =
            Finding::new(kernel, format!("per byte, {range}"), segment.slope, Unit::SecondsPerByte);
        [start_up.within(segment.intercept_interval, 1.0), per_byte.within(segment.slope_interval, 1.0)]
    }

    fn bandwidth(&self, kernel: &str) -> Vec<Finding> {
        let sized: Vec<(f64, f64)> = self.points.iter().copied().filter(|(bytes, _)| *bytes > 0.0).collect();
        if sized.len() < LEAST_SIZES {
            return Vec::new();
        }
        let Ok(bandwidth) = Bandwidth::of(&sized) else { return Vec::new() };
        let at = panto_units::bytes(bandwidth.peak_size as u64);
        let finding = |label: String, value, unit| Finding::new(kernel, label, value, unit);
        let distance = self.separation;
        vec![
            finding(
                format!("peak bandwidth, {distance}, {} (at {at})", self.way),
                bandwidth.peak * self.factor,
                Unit::BytesPerSecond,
            ),
            finding(format!("size of half the peak, {distance}"), bandwidth.half_size, Unit::Bytes),
            finding(format!("size of 90% of the peak, {distance}"), bandwidth.ninety_size, Unit::Bytes),
        ]
    }
}

/// The fit takes time with the cube of the number of sizes; more than these are thinned out, evenly on a log scale.
const MOST_SIZES: usize = 300;

fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= MOST_SIZES {
        return points.to_vec();
    }
    let log = |x: f64| x.max(1.0).ln();
    let step = log(points[points.len() - 1].0) / MOST_SIZES as f64;
    let mut next = f64::NEG_INFINITY;
    let mut kept = Vec::with_capacity(MOST_SIZES + 1);
    for &(x, y) in points {
        if log(x) >= next {
            kept.push((x, y));
            next = log(x) + step;
        }
    }
    kept
}

/// The overhead `h` of each further hop: `t(n) = t(1) + (n - 1) h`. The median over all sizes and distances,
/// between their quartiles.
fn per_hop(kernel: &str, curves: &[Curve]) -> Option<Finding> {
    let near = curves.iter().find(|curve| curve.separation == Separation::Hops(1))?;
    let further = |curve: &Curve| match curve.separation {
        Separation::Hops(hops) => hops.checked_sub(1).filter(|further| *further > 0),
        Separation::Placed(_) => None,
    };
    let far = curves.iter().filter_map(|curve| Some((curve, further(curve)?)));
    let mut overheads: Vec<f64> = far.flat_map(|(curve, further)| curve.beyond(near, further)).collect();
    overheads.sort_by(f64::total_cmp);
    let at = |q| quantile(&overheads, q).ok();
    let interval = Interval { low: at(0.25)?, high: at(0.75)? };
    let finding = Finding::new(kernel, "each further hop", at(0.5)?, Unit::Seconds).within(interval, 1.0);
    Some(Finding { interval_is: Range::Quartiles, ..finding })
}

impl Curve {
    /// What each of so many further hops takes, by size.
    fn beyond<'a>(&'a self, near: &'a Self, further: u64) -> impl Iterator<Item = f64> + 'a {
        self.points.iter().filter_map(move |(bytes, time)| {
            let same = near.points.iter().find(|(size, _)| size.total_cmp(bytes).is_eq())?;
            Some((time - same.1) / further as f64)
        })
    }
}
