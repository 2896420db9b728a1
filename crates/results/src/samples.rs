//! The samples of a point, and how they were taken.

use std::fmt;

use panto_units::Time;
use serde::{Deserialize, Serialize};

/// The samples of one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// The samples, in nanoseconds per operation.
    pub nanos: Vec<f64>,
    /// Samples that interference made longer, in nanoseconds per operation.
    pub disturbed: Vec<f64>,
    /// Whether `nanos` were disturbed as well, because no sample was not.
    pub all_disturbed: bool,
    /// The times from the first start to the last end, where the metric is the longest time over
    /// the ranks (T6).
    pub first_to_last: Vec<f64>,
    /// Repetitions of the operation in one sample.
    pub batch: u64,
    /// Samples that were discarded because a rank started late.
    pub late: u64,
    /// Why sampling ended.
    pub stop: StopReason,
    /// How the ranks were synchronised.
    pub start: SyncMethod,
    /// The metric.
    pub metric: Metric,
    /// Overhead of the empty loop that was subtracted, in nanoseconds per operation.
    pub empty_nanos: f64,
    /// The clock error between ranks; `None` where all read one clock.
    pub clock_error: Option<Time>,
}

impl Samples {
    /// Returns the single sample of an exact time from the common start to the last end.
    pub fn exact(time: Time) -> Self {
        Self {
            nanos: vec![time.as_nanos()],
            disturbed: Vec::new(),
            all_disturbed: false,
            first_to_last: Vec::new(),
            batch: 1,
            late: 0,
            stop: StopReason::Confidence,
            start: SyncMethod::RoundTime,
            metric: Metric::first_to_last(),
            empty_nanos: 0.0,
            clock_error: None,
        }
    }
}

/// Why sampling ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The confidence interval of the median is narrow enough.
    Confidence,
    /// The time limit was reached.
    Budget,
    /// The maximum number of samples was reached.
    Count,
    /// The user interrupted the run.
    Interrupted,
}

/// How the ranks were synchronised before a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncMethod {
    /// At a time announced in advance, on one clock.
    RoundTime,
    /// After a barrier.
    Barrier,
}

/// Which time a sample is. The benchmark papers define it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "clock", content = "rank")]
pub enum Clock {
    /// The elapsed time on one rank (C2).
    OnRank(usize),
    /// The longest time over the ranks (T6).
    Longest,
    /// From the first start to the last end on one global clock (S7).
    FirstToLast,
    /// From before the send on one rank to the arrival in a handler on another, on their shared
    /// clock (C19).
    SendToHandler,
}

/// Which time a sample is, and whether it is halved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// The clock.
    #[serde(flatten)]
    pub clock: Clock,
    /// Whether the sample is half of a round trip (C4).
    pub half: bool,
}

impl Metric {
    /// Returns the metric of the elapsed time on a rank.
    pub const fn on(rank: usize) -> Self {
        Self { clock: Clock::OnRank(rank), half: false }
    }

    /// Returns the metric of half the round trip that is timed on a rank.
    pub const fn one_way(rank: usize) -> Self {
        Self { clock: Clock::OnRank(rank), half: true }
    }

    /// Returns the metric of the longest time over the ranks.
    pub const fn longest() -> Self {
        Self { clock: Clock::Longest, half: false }
    }

    /// Returns the metric of the time from the first start to the last end.
    pub const fn first_to_last() -> Self {
        Self { clock: Clock::FirstToLast, half: false }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.half {
            f.write_str("one way, half the round trip ")?;
        }
        match self.clock {
            Clock::OnRank(rank) => write!(f, "timed on rank {rank}"),
            Clock::Longest => f.write_str("longest over the ranks"),
            Clock::FirstToLast => f.write_str("first start to last end"),
            Clock::SendToHandler => f.write_str("from the send to the handler"),
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Confidence => "confidence",
            Self::Budget => "budget",
            Self::Count => "count",
            Self::Interrupted => "interrupted",
        })
    }
}
