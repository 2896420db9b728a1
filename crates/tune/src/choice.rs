//! The choice at one size.

use panto_results::Record;
use panto_stats::{Summary, median};
use serde::{Deserialize, Serialize};

/// Least number of passes over a point whose medians have a 95 % interval.
const MIN_PASSES: usize = 6;

/// Least share of the time that an algorithm must save by the intervals. Less is not worth a file,
/// and is within what one placement of buffers in memory differs from another.
const MIN_GAIN: f64 = 0.05;

/// The time of an algorithm at a size, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The median of the medians of the passes.
    pub median_ns: f64,
    /// Lower bound of its 95 % interval.
    pub low_ns: f64,
    /// Upper bound of its 95 % interval.
    pub high_ns: f64,
}

/// The share of the default's time that an algorithm saves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// By the medians.
    pub share: f64,
    /// At least, by the 95 % intervals.
    pub low: f64,
    /// At most.
    pub high: f64,
}

/// What was measured and chosen at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeChoice {
    /// Bytes of the message, or of the block of one rank.
    pub bytes: u64,
    /// The library's own choice.
    pub default: Timing,
    /// The algorithm that is faster beyond doubt; `None` if the library's own choice stays.
    pub chosen: Option<(String, Timing)>,
    /// The number of algorithms that were measured beside the library's own choice.
    pub candidates: usize,
}

/// The library's own choice among what was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnChoice<'a> {
    /// The name of the implementation.
    pub name: &'a str,
    /// What the choice itself costs, in nanoseconds. Selected algorithms were measured without it,
    /// and will pay it when they are chosen by a file.
    pub cost_ns: f64,
}

impl Timing {
    /// Returns the time of a record. Samples of one pass share the noise of their moment, so the
    /// interval is that of the passes' medians. With too few passes it is unbounded, and `None`
    /// without samples or with wrong data. Simulated times are exact.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        if record.wrong.is_some() {
            return None;
        }
        if record.machine.is_some() {
            let median_ns = median(&record.samples_ns).ok()?;
            return Some(Self { median_ns, low_ns: median_ns, high_ns: median_ns });
        }
        // A record of one pass does not say so.
        let medians = match record.passes.len() {
            0 => vec![median(&record.samples_ns).ok()?],
            _ => pass_medians(record),
        };
        let summary = Summary::of(&medians).ok()?;
        let interval = summary.interval;
        let (low_ns, high_ns) =
            if medians.len() < MIN_PASSES { (0.0, f64::MAX) } else { (interval.low, interval.high) };
        Some(Self { median_ns: summary.median, low_ns, high_ns })
    }

    /// Returns the time with a cost that was not measured.
    fn plus(&self, nanos: f64) -> Self {
        let Self { median_ns, low_ns, high_ns } = *self;
        Self { median_ns: median_ns + nanos, low_ns: low_ns + nanos, high_ns: high_ns + nanos }
    }

    /// Returns whether it is shorter beyond doubt, and by enough to matter.
    fn beats(&self, other: &Self) -> bool {
        self.high_ns < other.low_ns * (1.0 - MIN_GAIN)
    }

    fn is_tied_with(&self, other: &Self) -> bool {
        self.low_ns <= other.high_ns && other.low_ns <= self.high_ns
    }
}

/// Returns the median of the medians of the passes of a record, in nanoseconds.
pub fn median_of(record: &Record) -> Option<f64> {
    Timing::of(record).map(|timing| timing.median_ns)
}

/// Returns the median of each pass over a point.
fn pass_medians(record: &Record) -> Vec<f64> {
    let mut rest = record.samples_ns.as_slice();
    let mut medians = Vec::new();
    for &count in &record.passes {
        let Some((pass, others)) = rest.split_at_checked(count) else { break };
        medians.extend(median(pass));
        rest = others;
    }
    medians
}

impl SizeChoice {
    /// Chooses among the times of algorithms, all of which but the default's have a further cost.
    /// The choice at the size before is kept while it is tied with the fastest. Returns `None` if
    /// the default was not measured.
    pub(crate) fn of(
        bytes: u64,
        times: &[(String, Timing)],
        default: &OwnChoice<'_>,
        before: Option<&str>,
    ) -> Option<Self> {
        let OwnChoice { name: default, cost_ns } = *default;
        let plus = |(name, time): &(String, Timing)| {
            (name.clone(), if name == default { *time } else { time.plus(cost_ns) })
        };
        let times: Vec<(String, Timing)> = times.iter().map(plus).collect();
        let time_of = |wanted: &str| times.iter().find(|(name, _)| name == wanted);
        let (_, usual) = time_of(default)?;
        let candidates = times.iter().filter(|(name, _)| name != default);
        let better = candidates.filter(|(_, time)| time.beats(usual));
        let fastest = better.min_by(|(_, a), (_, b)| a.median_ns.total_cmp(&b.median_ns));
        let kept = before.and_then(time_of).filter(|(_, time)| {
            time.beats(usual) && fastest.is_some_and(|(_, fastest)| time.is_tied_with(fastest))
        });
        let chosen = kept.or(fastest).cloned();
        Some(Self { bytes, default: *usual, chosen, candidates: times.len() - 1 })
    }

    /// Returns the name of the chosen algorithm; `None` if the default stays.
    pub fn name(&self) -> Option<&str> {
        self.chosen.as_ref().map(|(name, _)| name.as_str())
    }

    /// Returns what the chosen algorithm saves; `None` if the default stays.
    pub fn gain(&self) -> Option<Gain> {
        let (_, chosen) = self.chosen.as_ref()?;
        let saved = |chosen: f64, default: f64| 1.0 - chosen / default;
        Some(Gain {
            share: saved(chosen.median_ns, self.default.median_ns),
            low: saved(chosen.high_ns, self.default.low_ns),
            high: saved(chosen.low_ns, self.default.high_ns),
        })
    }
}
