//! Points that speak of a busy machine and not of their size: few samples were taken before the time was over, and they are far longer than
//! those of a larger message that was measured well. As pieces of a curve they would be believed.

use std::collections::BTreeMap;

use panto_bench::results::Record;
use panto_bench::{Effort, Point, param};

use crate::observe::seconds;

/// So many times as long as a larger message is no message's own time.
const FAR: f64 = 2.0;

/// The records that are believed, and how many are not.
pub fn without(records: &[Record]) -> (Vec<&Record>, usize) {
    let mut curves: BTreeMap<Point, Vec<(u64, f64)>> = BTreeMap::new();
    for record in records.iter().filter(|record| is_well_measured(record)) {
        if let (Some(curve), Some(seconds)) = (curve(record), seconds(record)) {
            curves.entry(curve).or_default().push((bytes(record), seconds));
        }
    }
    let is_mood = |record: &Record| {
        let Some(points) =
            curve(record).filter(|_| !is_well_measured(record)).and_then(|key| curves.get(&key))
        else {
            return false;
        };
        let larger = points.iter().filter(|(size, _)| *size > bytes(record));
        let next = larger.min_by_key(|(size, _)| *size);
        next.zip(seconds(record)).is_some_and(|((_, next), own)| own > FAR * next)
    };
    let kept: Vec<&Record> = records.iter().filter(|record| !is_mood(record)).collect();
    let left_out = records.len() - kept.len();
    (kept, left_out)
}

/// What an echo is a point of: everything but its size. No side is taken to pay more than an echo anyway, so that overheads need no look.
fn curve(record: &Record) -> Option<Point> {
    (record.kernel == "comet/echo").then(|| record.point.clone().with(param::BYTES, 0))
}

fn bytes(record: &Record) -> u64 {
    record.point.number(param::BYTES).unwrap_or(0)
}

/// Simulated clocks have no moods.
fn is_well_measured(record: &Record) -> bool {
    record.machine.is_some() || record.samples_ns.len() >= Effort::default().min_samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_bench::measure::Samples;
    use panto_transport::Time;

    fn echo(bytes: u64, nanos: u64, samples: usize) -> Record {
        let point = Point::new(2).with(param::BYTES, bytes);
        let exact = Samples::exact(Time::from_nanos(nanos));
        Record { samples_ns: vec![nanos as f64; samples], ..Record::new("comet/echo", &point, exact) }
    }

    #[test]
    fn few_long_samples_below_a_shorter_message_are_a_mood() {
        let records = [
            echo(8, 260, 400),
            echo(11, 31_000, 3),
            echo(12, 300, 3),
            echo(16, 276, 600),
            echo(1 << 20, 200_000, 3),
            echo(64, 40_000, 90),
            echo(128, 500, 90),
        ];
        let (kept, left_out) = without(&records);
        let sizes: Vec<u64> = kept.into_iter().map(bytes).collect();
        assert_eq!((sizes, left_out), (vec![8, 12, 16, 1 << 20, 64, 128], 1));
    }
}
