//! How fast a node computes: `r_infinity` and `n_half` (Hockney 1994) of each regime of vector
//! lengths.
//!
//! A loop over `n` elements takes `t = (n + n_half) / r`, so both follow from its line. Caches make
//! several lines of it.

use panto_results::{FindingKind, Point, Record, param};
use panto_stats::{Interval, Segment, Segmentation};

use crate::series::{seconds, series};
use crate::{Finding, Unit};

/// Floating-point operations for each element of y += a x.
const FLOPS: f64 = 2.0;

/// Number of lengths below which no line is drawn.
const MIN_LENGTHS: usize = 4;

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    series(records, param::LENGTH)
        .into_iter()
        .flat_map(|(point, series)| {
            let times = series.iter().filter_map(|(length, record)| Some((*length as f64, seconds(record)?)));
            of_times(kernel, &point, &times.collect::<Vec<_>>())
        })
        .collect()
}

fn of_times(kernel: &str, point: &Point, times: &[(f64, f64)]) -> Vec<Finding> {
    if times.len() < MIN_LENGTHS {
        return Vec::new();
    }
    let Ok(fit) = Segmentation::default().fit(times) else { return Vec::new() };
    let rising = fit.segments.iter().filter(|segment| segment.slope > 0.0);
    rising.flat_map(|segment| of_segment(kernel, point, segment)).collect()
}

fn of_segment(kernel: &str, point: &Point, segment: &Segment) -> Vec<Finding> {
    let lengths = format!("{} to {} elements", segment.from_x, segment.to_x);
    let Interval { low, high } = segment.slope_interval;
    let rate = Finding::new(
        (kernel, FindingKind::AsymptoticRate),
        point,
        format!("r-infinity, {lengths}"),
        (FLOPS / segment.slope, Unit::FlopsPerSecond),
    );
    let rate =
        if low > 0.0 { rate.within(Interval { low: FLOPS / high, high: FLOPS / low }, 1.0) } else { rate };
    let half = Finding::new(
        (kernel, FindingKind::HalfLength),
        point,
        format!("n-half, {lengths}: elements"),
        (segment.intercept / segment.slope, Unit::Number),
    );
    // A negative one is no length: the line is that of lengths beyond a cache.
    std::iter::once(rate).chain((segment.intercept >= 0.0).then_some(half)).collect()
}
