//! The grade of a run.

use serde::{Deserialize, Serialize};

use super::Grade;
use super::consistency::contradictions;
use super::point::{Doubt, assess};
use super::trend::peaks;
use crate::Record;

/// Share of the points that may be worse than the run.
const EXCEPTIONS: f64 = 0.1;
/// Number of points from which on a single poor one, of which nothing is derived, does not make the
/// run poor.
const SOME: usize = 5;

/// How far the figures of a run can be believed, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunQuality {
    /// The grade that nine tenths of the points have at least. A single poor point leaves it fair.
    pub grade: Grade,
    /// Why it is not better, the most frequent reason first; what was left out, if it is good.
    pub reasons: Vec<String>,
    /// Points that were measured.
    pub points: usize,
    /// Points that are poor, whatever the run is.
    pub poor: usize,
}

impl RunQuality {
    /// Returns the verdict as a line, such as `poor: the passes differ by 40% at worst (9 of 12
    /// points)`.
    pub fn verdict(&self) -> String {
        format!("{}: {}", self.grade, self.reasons.join("; "))
    }

    /// Returns what to do about it; `None` if the run is good.
    pub fn remedy(&self) -> Option<&'static str> {
        match self.grade {
            Grade::Good => None,
            Grade::Fair => Some("For closer figures measure longer (-t), or on a quiet machine."),
            Grade::Poor => Some(
                "Stop what else runs here and measure again; --quiet-wait 60s waits for a quiet moment, and \
                 `panto info machine` shows what disturbs.",
            ),
        }
    }
}

/// Returns the doubts about each point, the worst first, as [`assess`] and with those that only its
/// neighbours raise.
pub fn point_doubts(records: &[&Record]) -> Vec<Vec<Doubt>> {
    let with_peak = |(record, peak): (&&Record, Option<f64>)| {
        let mut doubts = assess(record);
        doubts.extend(peak.filter(|_| record.machine.is_none()).map(Doubt::Peak));
        doubts
    };
    records.iter().zip(peaks(records)).map(with_peak).collect()
}

/// Returns the quality of the measured points; `None` if none was measured.
pub fn run_quality(records: &[Record]) -> Option<RunQuality> {
    let is_measured = |record: &&Record| record.machine.is_none() && !record.samples_ns.is_empty();
    let measured: Vec<&Record> = records.iter().filter(is_measured).collect();
    let doubts = point_doubts(&measured);
    let worse = |grade: Grade| doubts.iter().filter(|doubts| grade_of(doubts) >= grade).count();
    let (points, poor) = (measured.len(), worse(Grade::Poor));
    let many = |count: usize| count as f64 > EXCEPTIONS * points as f64;
    let of_points = match () {
        () if points == 0 => return None,
        () if many(poor) && (poor > 1 || points < SOME) => Grade::Poor,
        () if many(worse(Grade::Fair)) => Grade::Fair,
        () => Grade::Good,
    };
    let contradictions = contradictions(&measured);
    let grade = contradictions.iter().map(|found| found.grade).fold(of_points, Grade::max);
    let mut reasons = match grade {
        Grade::Good => vec![praise(&measured)].into_iter().chain(exceptions(worse(Grade::Fair))).collect(),
        _ => reasons(&doubts, of_points.max(Grade::Fair), points),
    };
    reasons.splice(0..0, contradictions.into_iter().map(|found| found.text));
    Some(RunQuality { grade, reasons, points, poor })
}

/// Returns the records without points that are poor.
pub fn without_poor(records: &[Record]) -> Vec<&Record> {
    let all: Vec<&Record> = records.iter().collect();
    let doubts = point_doubts(&all);
    all.into_iter()
        .zip(doubts)
        .filter(|(_, doubts)| grade_of(doubts) < Grade::Poor)
        .map(|(record, _)| record)
        .collect()
}

/// Returns the grade of a point with these doubts.
pub fn grade_of(doubts: &[Doubt]) -> Grade {
    doubts.iter().map(|doubt| doubt.grade()).max().unwrap_or(Grade::Good)
}

/// Describes a good run: how far its passes agree, and what was left out.
fn praise(measured: &[&Record]) -> String {
    let (kept, left_out) = measured.iter().fold((0, 0), |(kept, left_out), record| {
        (kept + record.samples_ns.len(), left_out + record.disturbed_ns.len())
    });
    let points = if measured.len() == 1 { "1 point".into() } else { format!("{} points", measured.len()) };
    match left_out {
        0 => format!("{points}, {kept} samples, none disturbed"),
        _ => format!("{points}, {kept} samples; {left_out} more were disturbed and left out"),
    }
}

/// Describes the points of a good run that are not good.
fn exceptions(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("one point is less certain; its note says why".into()),
        _ => Some(format!("{count} points are less certain; their notes say why")),
    }
}

/// Returns the reasons for a grade, those of most points first.
fn reasons(doubts: &[Vec<Doubt>], grade: Grade, points: usize) -> Vec<String> {
    let at_fault = || doubts.iter().flatten().filter(|doubt| doubt.grade() >= grade);
    let mut kinds: Vec<(usize, Doubt)> = Vec::new();
    for doubt in at_fault() {
        let same =
            |kind: &&mut (usize, Doubt)| std::mem::discriminant(&kind.1) == std::mem::discriminant(doubt);
        match kinds.iter_mut().find(same) {
            Some((count, worst)) => {
                *count += 1;
                *worst = if doubt.size() > worst.size() { *doubt } else { *worst };
            }
            None => kinds.push((1, *doubt)),
        }
    }
    kinds.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    kinds.iter().map(|(count, worst)| format!("{worst} at worst ({count} of {points} points)")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, Samples, param};
    use panto_units::Time;

    fn point(size: u64) -> Record {
        let samples = Samples { nanos: vec![100.0; 30], ..Samples::exact(Time::ZERO) };
        let point = Point::new(2).with(param::BYTES, size);
        Record { passes: vec![10, 10, 10], ..Record::new("comet/echo", &point, samples) }
    }

    fn run(change: impl Fn(usize, &mut Record)) -> RunQuality {
        let mut records: Vec<Record> = (0..20).map(point).collect();
        records.iter_mut().enumerate().for_each(|(place, record)| change(place, record));
        run_quality(&records).unwrap()
    }

    #[test]
    fn quiet_runs_are_good_and_say_what_was_left_out() {
        let quality = run(|_, record| record.disturbed_ns = vec![9e6]);
        assert_eq!(quality.verdict(), "good: 20 points, 600 samples; 20 more were disturbed and left out");
        assert_eq!(quality.remedy(), None);
    }

    #[test]
    fn one_bad_point_is_an_exception_and_three_are_not() {
        let spoil = |count: usize| {
            run(move |place, record| {
                if place < count {
                    record.samples_ns[..10].fill(150.0);
                }
            })
        };
        assert_eq!((spoil(1).grade, spoil(1).poor), (Grade::Good, 1));
        assert!(spoil(1).verdict().ends_with("; one point is less certain; its note says why"));
        let few: Vec<Record> =
            (0..3).map(|size| Record { others: Some(0.5), ..point(size) }).take(1).collect();
        assert_eq!(run_quality(&few).map(|quality| quality.grade), Some(Grade::Poor));
        let quality = spoil(3);
        assert_eq!(quality.verdict(), "poor: the passes differ by 50.0% at worst (3 of 20 points)");
        assert!(quality.remedy().unwrap().contains("--quiet-wait"));
    }

    #[test]
    fn each_disturbance_has_its_limits() {
        type Change = fn(&mut Record);
        let cases: [(Change, Grade); 7] = [
            (|record| record.others = Some(0.04), Grade::Good),
            (|record| record.others = Some(0.3), Grade::Poor),
            (|record| record.steal = Some(0.1), Grade::Fair),
            (|record| record.disturbed_ns = vec![1e6; 50], Grade::Fair),
            (|record| record.disturbed_ns = vec![1e6; 500], Grade::Poor),
            (|record| record.samples_ns[..10].fill(115.0), Grade::Fair),
            (|record| record.machine = Some("cm5".into()), Grade::Good),
        ];
        for (place, (change, grade)) in cases.into_iter().enumerate() {
            let mut record = point(8);
            change(&mut record);
            assert_eq!(grade_of(&assess(&record)), grade, "case {place}");
        }
    }

    #[test]
    fn simulated_times_have_no_grade() {
        let simulated = Record { machine: Some("cm5".into()), ..point(8) };
        assert_eq!(run_quality(&[simulated]), None);
        assert_eq!(run_quality(&[]), None);
    }
}
