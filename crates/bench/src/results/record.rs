//! What is kept of a point.

use panto_stats::Summary;
use serde::{Deserialize, Serialize};

use crate::measure::{Metric, Samples, Start, Stop};
use crate::point::Point;

/// One measured point with all its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Suite and kernel, `comet/echo`.
    pub kernel: String,
    /// Where in the sweep.
    #[serde(flatten)]
    pub point: Point,
    /// Which time the samples are.
    pub metric: Metric,
    /// Nanoseconds for one operation, each sample, in the order in which they were taken.
    pub samples_ns: Vec<f64>,
    /// Operations in one sample.
    pub batch: u64,
    /// Samples that were thrown away because a rank started late.
    pub late: u64,
    /// Why sampling ended.
    pub stop: Stop,
    /// How the ranks started together.
    pub start: Start,
    /// What the empty loop took of each operation, in nanoseconds, and was subtracted.
    pub empty_ns: f64,
    /// Bytes that one operation moves, where a bandwidth makes sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<u64>,
    /// The algorithm of a collective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Part of the cores' time that was stolen meanwhile; absent where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// The machine that was simulated; absent where the time was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Was the data checked? (Barriers move none.)
    pub verified: bool,
}

impl Record {
    /// A record of these samples; the kernel adds what else it knows.
    pub fn new(kernel: &str, point: &Point, samples: Samples) -> Self {
        Self {
            kernel: kernel.into(),
            point: point.clone(),
            metric: samples.metric,
            samples_ns: samples.nanos,
            batch: samples.batch,
            late: samples.late,
            stop: samples.stop,
            start: samples.start,
            empty_ns: samples.empty_nanos,
            moved: None,
            algorithm: None,
            steal: None,
            machine: None,
            verified: true,
        }
    }

    /// Median, interval and so on, in nanoseconds. `None` without samples.
    pub fn summary(&self) -> Option<Summary> {
        Summary::of(&self.samples_ns).ok()
    }

    /// Bytes a second at this time.
    pub fn bandwidth(&self, nanos: f64) -> Option<f64> {
        self.moved.filter(|_| nanos > 0.0).map(|bytes| bytes as f64 / (nanos * 1e-9))
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Were all points measured?
    pub complete: bool,
    /// Points that were planned.
    pub planned: usize,
    /// Points that were measured.
    pub measured: usize,
}
