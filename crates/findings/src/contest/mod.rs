//! Which of several algorithms or implementations is fastest, at each point and from which size on
//! (M6, M7, T9).
//!
//! Records that differ only in the candidate form a [`Round`]. Candidates whose 95% intervals of
//! the median overlap with that of the fastest are tied with it. The place along an axis where the
//! winner changes is a [`Crossover`]; its uncertainty follows from the same intervals. [`choices`]
//! turns the winners into rules for choosing collective algorithms.

mod collectives;
mod crossover;
mod rules;

use std::collections::BTreeMap;

use panto_results::cm5::broadcast_segments;
use panto_results::{Point, Record, kernel, param};
use panto_stats::{Interval, Summary};

pub use crossover::{Crossover, crossovers, crossovers_between};
pub use rules::{Choices, choices, middle};

/// The candidate parameter for the algorithm that a record names.
pub const ALGORITHM: &str = "algorithm";

/// Number of samples from which a measured median has a 95% interval.
const MIN_SAMPLES: usize = 6;

/// A contest that the points of a kernel decide.
struct Question {
    kernel: &'static str,
    /// The parameter that names the candidates.
    candidate: &'static str,
    title: &'static str,
    takes_part: fn(&str) -> bool,
}

const QUESTIONS: [Question; 3] = [
    Question {
        kernel: kernel::cm5::EXCHANGE,
        candidate: param::VARIANT,
        title: "the fastest complete exchange",
        takes_part: |_| true,
    },
    Question {
        kernel: kernel::cm5::BROADCAST,
        candidate: param::VARIANT,
        title: "the fastest broadcast",
        takes_part: |_| true,
    },
    Question {
        kernel: kernel::cm5::BROADCAST,
        candidate: param::VARIANT,
        title: "the best number of segments of reb",
        takes_part: |name| broadcast_segments(name).is_some(),
    },
];

/// The rounds of one kernel on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Contest {
    /// The kernel.
    pub kernel: String,
    /// What is decided, such as `the fastest broadcast`.
    pub title: String,
    /// The machine that was simulated; `None` where the times were measured.
    pub machine: Option<String>,
    /// The rounds, ordered by point.
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
    /// The 95% interval of the median; unbounded where there were too few samples for one.
    pub interval: Interval,
}

/// Returns the contests in these records, by kernel and machine.
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
        if kernel::suite_of(kernel) == kernel::scenario::SUITE {
            contests.extend(collectives::contests(kernel, machine, &records));
        }
    }
    contests.retain(|contest| !contest.rounds.is_empty());
    contests
}

impl Contest {
    /// Returns the parameters besides size and ranks that vary between rounds: delays,
    /// computations.
    pub fn varying(&self) -> Vec<&str> {
        collectives::varying(&self.rounds)
    }
}

/// Returns the rounds of records that differ in the parameter `candidate`, which is a text, or in
/// their [`ALGORITHM`]. The records must be of one kernel on one machine. Several launches of a
/// point count as one; points without samples, or with wrong data, do not take part.
pub fn rounds(records: &[&Record], candidate: &str) -> Vec<Round> {
    let mut groups: BTreeMap<Point, BTreeMap<String, Vec<&Record>>> = BTreeMap::new();
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
        // Simulated times are exact, whatever the number of samples.
        let is_known = n >= MIN_SAMPLES || launches.iter().all(|record| record.machine.is_some());
        let anything = Interval { low: 0.0, high: f64::INFINITY };
        Some(Self { name, nanos: median, interval: if is_known { interval } else { anything } })
    }

    /// Returns whether the intervals of the medians overlap.
    pub fn is_tied_with(&self, other: &Self) -> bool {
        self.interval.low <= other.interval.high && other.interval.low <= self.interval.high
    }

    /// Returns the natural logarithm of the ratio to another time: lower bound, estimate, upper
    /// bound.
    fn against(&self, other: &Self) -> [f64; 3] {
        let Interval { low, high } = self.interval;
        [(low, other.interval.high), (self.nanos, other.nanos), (high, other.interval.low)]
            .map(|(time, base)| (time / base).ln())
    }
}

impl Round {
    /// Returns the fastest candidate. It has won only if [`tied`](Self::tied) is empty.
    pub fn fastest(&self) -> &Entry {
        &self.entries[0]
    }

    /// Iterates over the candidates that are tied with the fastest.
    pub fn tied(&self) -> impl Iterator<Item = &Entry> {
        self.entries[1..].iter().filter(|entry| entry.is_tied_with(self.fastest()))
    }

    /// Returns the candidate that is faster than all others; `None` if others are tied with it.
    pub fn winner(&self) -> Option<&Entry> {
        self.tied().next().is_none().then(|| self.fastest())
    }

    /// Returns the candidate with this name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns the round restricted to these candidates; `None` if none of them took part.
    pub fn among(&self, names: &[&str]) -> Option<Self> {
        let entries: Vec<Entry> =
            self.entries.iter().filter(|entry| names.contains(&entry.name.as_str())).cloned().collect();
        (!entries.is_empty()).then(|| Self { point: self.point.clone(), entries })
    }
}

#[cfg(test)]
mod tests {
    use panto_results::Samples;
    use panto_units::Time;

    use super::*;

    /// Returns a record of ten samples around a time, so that the interval of the median is about
    /// as wide as they spread.
    pub(super) fn record(variant: &str, bytes: u64, nanos: f64, spread: f64) -> Record {
        let point = Point::new(4).with(param::BYTES, bytes).with_text(param::VARIANT, variant);
        let nanos = (0..10).map(|i| nanos * (1.0 + spread * (f64::from(i) - 4.5) / 4.5)).collect();
        Record::new("cm5/exchange", &point, Samples { nanos, ..Samples::exact(Time::ZERO) })
    }

    #[test]
    fn too_few_samples_have_no_winner() {
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
        // Simulated times need no interval.
        for record in &mut records {
            record.machine = Some("cm5".into());
        }
        assert_eq!(wins(&records).as_deref(), Some("a"));
    }

    #[test]
    fn points_without_samples_take_no_part() {
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
