//! Times that break the trend of their neighbours.

use crate::{Record, param};

/// A time this much above those of both neighbouring sizes is a peak: a change of protocol moves
/// all sizes from it on.
const PEAK: f64 = 0.5;

/// Returns the share by which each record is above both of its neighbours in size, if that is a
/// peak. Records are neighbours if they differ in nothing but their size.
pub(super) fn peaks(records: &[&Record]) -> Vec<Option<f64>> {
    let mut order: Vec<usize> = (0..records.len()).filter(|&place| is_sized(records[place])).collect();
    order.sort_by_cached_key(|&place| (series(records[place]), records[place].point.get(param::BYTES)));
    let mut peaks = vec![None; records.len()];
    for group in order.chunk_by(|&a, &b| series(records[a]) == series(records[b])) {
        for three in group.windows(3) {
            let [left, middle, right] = [0, 1, 2].map(|place| time(records[three[place]]));
            peaks[three[1]] = peak(left, middle, right);
        }
    }
    peaks
}

fn is_sized(record: &Record) -> bool {
    record.point.params.contains_key(param::BYTES) && !record.samples_ns.is_empty()
}

/// Names what the records of a curve share: the kernel and the point without its size.
fn series(record: &Record) -> String {
    let mut point = record.point.clone();
    point.params.remove(param::BYTES);
    format!("{} {} {point}", record.kernel, record.algorithm.as_deref().unwrap_or_default())
}

fn time(record: &Record) -> Option<f64> {
    record.summary().map(|summary| summary.median)
}

fn peak(left: Option<f64>, middle: Option<f64>, right: Option<f64>) -> Option<f64> {
    let neighbours = left?.max(right?);
    let above = middle? / neighbours - 1.0;
    (neighbours > 0.0 && above > PEAK).then_some(above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, Samples};
    use panto_units::Time;

    fn curve(nanos: &[u64]) -> Vec<Record> {
        let point = |place: usize| Point::new(2).with(param::BYTES, 1 << place);
        let record = |(place, &nanos): (usize, &u64)| {
            Record::new("comet/echo", &point(place), Samples::exact(Time::from_nanos(nanos)))
        };
        nanos.iter().enumerate().map(record).collect()
    }

    #[test]
    fn a_peak_is_not_a_change_of_protocol() {
        let found = |nanos: &[u64]| {
            let records = curve(nanos);
            let peaks = peaks(&records.iter().collect::<Vec<_>>());
            peaks.iter().map(Option::is_some).collect::<Vec<_>>()
        };
        assert_eq!(found(&[100, 100, 500, 110, 120]), [false, false, true, false, false]);
        assert_eq!(found(&[100, 100, 500, 510, 520]), [false; 5]);
        assert_eq!(found(&[100, 120, 60, 70, 80]), [false; 5]);
    }

    #[test]
    fn only_curves_of_one_kind_are_compared() {
        let mut records = curve(&[100, 900, 100]);
        records[2].kernel = "comet/exchange".into();
        assert_eq!(peaks(&records.iter().collect::<Vec<_>>()), [None; 3]);
    }
}
