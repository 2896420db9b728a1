//! Which of several ways is best, at each point, and from where on (M6, M7, T9).
//!
//! Records that differ in nothing but the way something was done are a [`Round`]. Whoever cannot be told from the fastest, because
//! the 95 % intervals of their medians overlap, is tied with it. Where the best changes along an axis is a [`Crossover`], and how
//! certain its place is follows from the same intervals.

mod collectives;
mod crossover;
mod rules;

use std::collections::BTreeMap;

use panto_stats::{Interval, Summary};

pub use crossover::{Crossover, crossovers, crossovers_between};
pub use rules::{Choices, can_choose, choices};

use crate::cm5;
use crate::point::{Point, param};
use crate::results::Record;

/// The axis that is no parameter: the number of ranks.
pub const RANKS: &str = "ranks";
/// The candidates' name where they are the algorithms that the records name.
pub const ALGORITHM: &str = "algorithm";

/// Samples from which on a measured median has a 95 % interval.
const LEAST_SAMPLES: usize = 6;

/// What the points of a kernel decide.
struct Question {
    kernel: &'static str,
    /// The parameter that names the candidates.
    candidate: &'static str,
    title: &'static str,
    takes_part: fn(&str) -> bool,
}

const QUESTIONS: [Question; 3] = [
    Question {
        kernel: "cm5/exchange",
        candidate: param::VARIANT,
        title: "the fastest complete exchange",
        takes_part: |_| true,
    },
    Question {
        kernel: "cm5/broadcast",
        candidate: param::VARIANT,
        title: "the fastest broadcast",
        takes_part: |_| true,
    },
    Question {
        kernel: "cm5/broadcast",
        candidate: param::VARIANT,
        title: "the best number of segments of reb",
        takes_part: |name| cm5::segments(name).is_some(),
    },
];

/// The rounds of one kernel, on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Contest {
    /// The kernel.
    pub kernel: String,
    /// What it decides, in words.
    pub title: String,
    /// The machine that was simulated; absent where the times were measured.
    pub machine: Option<String>,
    /// The rounds, by their points.
    pub rounds: Vec<Round>,
}

/// All candidates at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The point without the candidate.
    pub point: Point,
    /// The candidates, the fastest first.
    pub entries: Vec<Entry>,
}

/// One candidate at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The median time in nanoseconds.
    pub nanos: f64,
    /// The 95 % interval of the median; everything is possible where there were too few samples for one.
    pub interval: Interval,
}

/// The contests in these records, by kernel and machine.
pub fn contests(records: &[Record]) -> Vec<Contest> {
    let mut groups: BTreeMap<(&str, Option<&str>), Vec<&Record>> = BTreeMap::new();
    for record in records {
        groups.entry((&record.kernel, record.machine.as_deref())).or_default().push(record);
    }
    let mut contests = Vec::new();
    for ((kernel, machine), records) in groups {
        for question in QUESTIONS.iter().filter(|question| question.kernel == kernel) {
            let mut rounds = rounds(&records, question.candidate);
            for round in &mut rounds {
                round.entries.retain(|entry| (question.takes_part)(&entry.name));
            }
            rounds.retain(|round| !round.entries.is_empty());
            let machine = machine.map(str::to_owned);
            contests.push(Contest { kernel: kernel.into(), title: question.title.into(), machine, rounds });
        }
        if kernel.starts_with(SCENARIOS) {
            contests.extend(collectives::contests(kernel, machine, &records));
        }
    }
    contests.retain(|contest| !contest.rounds.is_empty());
    contests
}

/// The suite in which implementations of collectives meet, in many contexts.
const SCENARIOS: &str = "scenario/";

impl Contest {
    /// The parameters, besides size and ranks, that are not the same in all rounds: delays, computations.
    pub fn varying(&self) -> Vec<&str> {
        collectives::varying(&self.rounds)
    }
}

/// The rounds of records that differ in this parameter, which is a text, or in their [`ALGORITHM`]. The records are those of
/// one kernel on one machine; several launches of a point count as one. A point of which nothing was measured does not take part.
pub fn rounds(records: &[&Record], candidate: &str) -> Vec<Round> {
    let mut groups: BTreeMap<Point, BTreeMap<String, Vec<&Record>>> = BTreeMap::new();
    // Who gives wrong data has won nothing.
    for &record in records.iter().filter(|record| record.wrong.is_none()) {
        let mut point = record.point.clone();
        let name = match candidate {
            ALGORITHM => record.algorithm.clone(),
            _ => point.params.remove(candidate).map(|value| value.to_string()),
        };
        if let Some(name) = name {
            groups.entry(point).or_default().entry(name).or_default().push(record);
        }
    }
    let round = |(point, candidates): (Point, BTreeMap<String, Vec<&Record>>)| {
        let entry = |(name, launches): (String, Vec<&Record>)| Entry::of(name, &launches);
        let mut entries: Vec<Entry> = candidates.into_iter().filter_map(entry).collect();
        entries.sort_by(|a, b| a.nanos.total_cmp(&b.nanos));
        Round { point, entries }
    };
    groups.into_iter().map(round).filter(|round| !round.entries.is_empty()).collect()
}

impl Entry {
    fn of(name: String, launches: &[&Record]) -> Option<Self> {
        let samples: Vec<f64> =
            launches.iter().flat_map(|record| record.samples_ns.iter().copied()).collect();
        let Summary { n, median, interval, .. } = Summary::of(&samples).ok()?;
        // What a model says is exact, however often it was asked.
        let is_known = n >= LEAST_SAMPLES || launches.iter().all(|record| record.machine.is_some());
        let anything = Interval { low: 0.0, high: f64::INFINITY };
        Some(Self { name, nanos: median, interval: if is_known { interval } else { anything } })
    }

    /// Do the intervals of the medians overlap?
    pub fn is_tied_with(&self, other: &Self) -> bool {
        self.interval.low <= other.interval.high && other.interval.low <= self.interval.high
    }

    /// The natural logarithm of the time against that of another: least, middle and most.
    fn against(&self, other: &Self) -> [f64; 3] {
        let Interval { low, high } = self.interval;
        [(low, other.interval.high), (self.nanos, other.nanos), (high, other.interval.low)]
            .map(|(time, base)| (time / base).ln())
    }
}

impl Round {
    /// The fastest. It has won only if [`tied`](Self::tied) names nobody.
    pub fn fastest(&self) -> &Entry {
        &self.entries[0]
    }

    /// Those that cannot be told from the fastest.
    pub fn tied(&self) -> impl Iterator<Item = &Entry> {
        self.entries[1..].iter().filter(|entry| entry.is_tied_with(self.fastest()))
    }

    /// The one that is faster than all others, if it can be told.
    pub fn winner(&self) -> Option<&Entry> {
        self.tied().next().is_none().then(|| self.fastest())
    }

    /// The candidate of this name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The same among these candidates alone.
    pub fn among(&self, names: &[&str]) -> Option<Self> {
        let entries: Vec<Entry> =
            self.entries.iter().filter(|entry| names.contains(&entry.name.as_str())).cloned().collect();
        (!entries.is_empty()).then(|| Self { point: self.point.clone(), entries })
    }
}

#[cfg(test)]
mod tests {
    use panto_transport::Time;

    use super::*;
    use crate::measure::Samples;

    /// Ten samples around a time, so that the interval of the median is about as wide as they spread.
    pub(super) fn record(way: &str, bytes: u64, nanos: f64, spread: f64) -> Record {
        let point = Point::new(4).with(param::BYTES, bytes).with_text(param::VARIANT, way);
        let nanos = (0..10).map(|i| nanos * (1.0 + spread * (f64::from(i) - 4.5) / 4.5)).collect();
        Record::new("cm5/exchange", &point, Samples { nanos, ..Samples::exact(Time::ZERO) })
    }

    #[test]
    fn nobody_wins_with_a_handful_of_samples() {
        let mut records = [record("a", 8, 1.0, 0.0), record("b", 8, 100.0, 0.0)];
        let wins = |records: &[Record]| {
            let rounds = rounds(&records.iter().collect::<Vec<_>>(), param::VARIANT);
            rounds[0].winner().map(|entry| entry.name.clone())
        };
        assert_eq!(wins(&records).as_deref(), Some("a"));
        for record in &mut records {
            record.samples_ns.truncate(3);
        }
        assert_eq!(wins(&records), None);
        // A model is never in doubt.
        for record in &mut records {
            record.machine = Some("cm5".into());
        }
        assert_eq!(wins(&records).as_deref(), Some("a"));
    }

    #[test]
    fn what_was_not_measured_takes_no_part() {
        let records = [record("a", 8, 5.0, 0.0), {
            let point = record("b", 8, 1.0, 0.0).point;
            Record::absent("cm5/exchange", &point, "there is no such thing")
        }];
        let found = contests(&records);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].rounds[0].winner().map(|entry| entry.name.as_str()), Some("a"));
        assert_eq!(found[0].rounds[0].among(&["c"]), None);
    }
}
