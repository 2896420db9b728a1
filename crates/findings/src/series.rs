//! Records that differ in one parameter only.

use std::collections::BTreeMap;

use panto_results::{Point, Record, Value, param};

/// Seconds in a nanosecond.
pub(crate) const NANO: f64 = 1e-9;

/// Records that differ in one parameter only, by ascending value of that parameter.
pub(crate) type Series<'a> = Vec<(u64, &'a Record)>;

/// Groups records that differ only in `axis`: a parameter that is a number, or [`param::RANKS`].
/// Returns each group with the point that its records share; of an axis of ranks that point has 0.
pub(crate) fn series<'a>(records: &[&'a Record], axis: &str) -> Vec<(Point, Series<'a>)> {
    let mut groups: BTreeMap<Point, Series<'a>> = BTreeMap::new();
    for record in records {
        let mut rest = record.point.clone();
        let x = match axis {
            param::RANKS => Some(std::mem::replace(&mut rest.ranks, 0) as u64),
            _ => match rest.params.remove(axis) {
                Some(Value::Number(x)) => Some(x),
                _ => None,
            },
        };
        if let Some(x) = x {
            groups.entry(rest).or_default().push((x, record));
        }
    }
    for series in groups.values_mut() {
        series.sort_by_key(|(x, _)| *x);
    }
    groups.into_iter().collect()
}

/// Returns the median time in seconds.
pub(crate) fn seconds(record: &Record) -> Option<f64> {
    record.summary().map(|summary| summary.median * NANO)
}
