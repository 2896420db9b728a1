//! Suspect points: outliers caused by interference on a busy machine.
//!
//! A point is suspect if its time budget allowed only a few samples and it takes more than
//! [`SUSPECT_RATIO`] times as long as the next larger size that was measured well. A segmented
//! regression would take several of them for a piece of the curve, so they are excluded before the
//! fit, counted, and reported in the notes. Only echoes are checked: overheads are bounded by the
//! one-way time anyway. Points that are poor ([`panto_results::quality`]) are excluded as well.

use std::collections::BTreeMap;

use panto_bench::Effort;
use panto_results::quality::{Grade, grade_of, point_doubts};
use panto_results::{Point, Record, Separation, kernel, param};

use crate::observations::seconds;

/// A time this many times as long as that of a larger message is interference.
const SUSPECT_RATIO: f64 = 2.0;
/// One in this number of points must be sound, so that a curve is fitted to sound ones alone.
const FEW: usize = 4;

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
    let kept: Vec<&Record> =
        without_few_poor(records).into_iter().filter(|record| !is_suspect(record)).collect();
    let excluded = records.len() - kept.len();
    (kept, excluded)
}

/// Returns the records without poor points, but all of them where most are poor: so is the model
/// then, and nothing better is to be had. For the same reason all points of a kernel at a distance
/// are kept if nearly all of them are poor.
fn without_few_poor(records: &[Record]) -> Vec<&Record> {
    let all: Vec<&Record> = records.iter().collect();
    let is_sound: Vec<bool> =
        point_doubts(&all).iter().map(|doubts| grade_of(doubts) < Grade::Poor).collect();
    let group = |record: &Record| (record.kernel.clone(), record.point.separation());
    let mut counts: BTreeMap<(String, Option<Separation>), (usize, usize)> = BTreeMap::new();
    for (record, is_sound) in records.iter().zip(&is_sound) {
        let (sound, points) = counts.entry(group(record)).or_default();
        (*sound, *points) = (*sound + usize::from(*is_sound), *points + 1);
    }
    let most_are_poor = 2 * is_sound.iter().filter(|is_sound| **is_sound).count() <= records.len();
    let is_kept = |(record, is_sound): &(&Record, bool)| {
        let (sound, points) = counts[&group(record)];
        *is_sound || most_are_poor || sound * FEW < points
    };
    all.into_iter().zip(is_sound).filter(is_kept).map(|(record, _)| record).collect()
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

    /// Poor points are left out where there are others, but not a whole kernel or distance.
    #[test]
    fn a_kernel_whose_points_are_poor_is_kept() {
        let poor = |record: Record| Record { others: Some(0.9), ..record };
        let elsewhere = |record: Record| Record { kernel: "comet/barrier".into(), ..record };
        let mut records: Vec<Record> = (1..5).map(|size| poor(echo(size, 300, 400))).collect();
        records.extend((1..8).map(|size| elsewhere(echo(size, 300, 400))));
        records.push(elsewhere(poor(echo(9, 300, 400))));
        let (kept, excluded) = exclude(&records);
        assert_eq!(kept.iter().filter(|record| record.kernel == "comet/echo").count(), 4);
        assert_eq!((kept.len(), excluded), (11, 1));
    }
}
