//! What was measured, and how.

use std::fmt;

use panto_transport::Time;
use serde::{Deserialize, Serialize};

/// The samples of one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Nanoseconds for one operation.
    pub nanos: Vec<f64>,
    /// The same from the first start to the last end, where the longest time over the ranks is meant (T6).
    pub first_to_last: Vec<f64>,
    /// Repetitions of the operation in one sample.
    pub batch: u64,
    /// Samples thrown away because a rank started late.
    pub late: u64,
    /// Why sampling ended.
    pub stop: Stop,
    /// How the ranks started together.
    pub start: Start,
    /// Which time it is.
    pub metric: Metric,
    /// What an empty loop took and was subtracted, in nanoseconds an operation.
    pub empty_nanos: f64,
    /// By how much the clocks of the ranks may have differed; `None` where all read one clock.
    pub clock_error: Option<Time>,
}

impl Samples {
    /// The one sample of what is known exactly: from the common start to the last end.
    pub fn exact(time: Time) -> Self {
        Self {
            nanos: vec![time.as_nanos()],
            first_to_last: Vec::new(),
            batch: 1,
            late: 0,
            stop: Stop::Confidence,
            start: Start::RoundTime,
            metric: Metric::first_to_last(),
            empty_nanos: 0.0,
            clock_error: None,
        }
    }
}

/// Why sampling ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The interval of the median is narrow enough.
    Confidence,
    /// The time is over.
    Budget,
    /// There are as many samples as were allowed.
    Count,
    /// The user stopped the run.
    Interrupted,
}

/// How the ranks started a sample together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// At a moment named in advance, on one clock.
    RoundTime,
    /// Each as soon as a barrier let it go.
    Barrier,
}

/// Which time a sample is; the documents define it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "clock", content = "rank")]
pub enum Clock {
    /// The time that passed on one designated rank (C2).
    OnRank(usize),
    /// The longest time over the ranks (T6).
    Longest,
    /// From the first start to the last end on one global clock (S7).
    FirstToLast,
    /// From before the send on one rank to the arrival in a handler on another, on their shared clock (C19).
    SendToHandler,
}

/// Which time a sample is, and whether it is half of what was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// Whose time.
    #[serde(flatten)]
    pub clock: Clock,
    /// Half of a round trip (C4)?
    pub half: bool,
}

impl Metric {
    /// The whole time on a rank.
    pub const fn on(rank: usize) -> Self {
        Self { clock: Clock::OnRank(rank), half: false }
    }

    /// One way: half the round trip timed on a rank.
    pub const fn one_way(rank: usize) -> Self {
        Self { clock: Clock::OnRank(rank), half: true }
    }

    /// The longest time over the ranks.
    pub const fn longest() -> Self {
        Self { clock: Clock::Longest, half: false }
    }

    /// First start to last end.
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

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Confidence => "confidence",
            Self::Budget => "budget",
            Self::Count => "count",
            Self::Interrupted => "interrupted",
        })
    }
}
