//! Suspect points: outliers caused by interference on a busy machine.
//!
//! A point is suspect if its time budget allowed only a few samples and it takes more than
//! [`SUSPECT_RATIO`] times as long as the next larger size that was measured well. A segmented
//! regression would take several of them for a piece of the curve, so they are excluded before the
//! fit, counted, and reported in the notes. Only echoes are checked: overheads are bounded by the
//! one-way time anyway. Points that are poor ([`panto_results::quality`]) are excluded as well.

use std::collections::BTreeMap;

use panto_bench::Effort;
use panto_results::quality::without_poor;
use panto_results::{Point, Record, kernel, param};

use crate::observations::seconds;

/// A time this many times as long as that of a larger message is interference.
const SUSPECT_RATIO: f64 = 2.0;

/// Returns the records without suspect points, and the number of suspect points.
pub fn exclude(records: &[Record]) -> (Vec<&Record>, usize) {
    let mut curves: BTreeMap<Point, Vec<(u64, f64)>> = BTreeMap::new();
    for record in records.iter().filter(|record| is_well_measured(record)) {
        if let (Some(curve), Some(seconds)) = (curve(record), seconds(record)) {
            curves.entry(curve).or_default().push((bytes(record), seconds));
        }
    }
    let is_suspect = |record: &Record| {
        let Some(points) =
            curve(record).filter(|_| !is_well_measured(record)).and_then(|key| curves.get(&key))
        else {
            return false;
        };
        let larger = points.iter().filter(|(size, _)| *size > bytes(record));
        let next = larger.min_by_key(|(size, _)| *size);
        next.zip(seconds(record)).is_some_and(|((_, next), own)| own > SUSPECT_RATIO * next)
    };
    let sound = without_poor(records);
    // Where most are poor, so is the model, and nothing better is to be had.
    let sound = if sound.len() * 2 > records.len() { sound } else { records.iter().collect() };
    let kept: Vec<&Record> = sound.into_iter().filter(|record| !is_suspect(record)).collect();
    let excluded = records.len() - kept.len();
    (kept, excluded)
}

/// Returns the curve that a record is a point of: its parameters without the size. `None` unless it
/// is an echo.
fn curve(record: &Record) -> Option<Point> {
    (record.kernel == kernel::comet::ECHO).then(|| record.point.clone().with(param::BYTES, 0))
}

fn bytes(record: &Record) -> u64 {
    record.point.number(param::BYTES).unwrap_or(0)
}

/// Virtual clocks are free of noise.
fn is_well_measured(record: &Record) -> bool {
    record.machine.is_some() || record.samples_ns.len() >= Effort::default().min_samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_results::Samples;
    use panto_transport::Time;

    fn echo(bytes: u64, nanos: u64, samples: usize) -> Record {
        let point = Point::new(2).with(param::BYTES, bytes);
        let exact = Samples::exact(Time::from_nanos(nanos));
        Record { samples_ns: vec![nanos as f64; samples], ..Record::new("comet/echo", &point, exact) }
    }

    #[test]
    fn few_samples_longer_than_a_larger_message_are_suspect() {
        let records = [
            echo(8, 260, 400),
            echo(11, 31_000, 3),
            echo(12, 300, 3),
            echo(16, 276, 600),
            echo(1 << 20, 200_000, 3),
            echo(64, 40_000, 90),
            echo(128, 500, 90),
        ];
        let (kept, excluded) = exclude(&records);
        let sizes: Vec<u64> = kept.into_iter().map(bytes).collect();
        assert_eq!((sizes, excluded), (vec![8, 12, 16, 1 << 20, 64, 128], 1));
    }
}
