//! What is kept of a point.

use std::collections::BTreeMap;

use panto_stats::Summary;
use panto_transport::{Distance, Time};
use serde::{Deserialize, Serialize};

use crate::measure::{Clock, Metric, Samples, Start, Stop};
use crate::point::Point;
use crate::separation::Separation;

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
    /// Messages that one operation moves, where there are several and their rate makes sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// The algorithm of a collective; `library` where it was the message layer's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// By how much the clocks of the hosts may have differed right after the samples; absent where all ranks read one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_ns: Option<f64>,
    /// Part of the cores' time that was stolen meanwhile; absent where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// The machine that was simulated; absent where the time was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Was the data checked? (Barriers move none.)
    pub verified: bool,
    /// From the first start to the last end on one global clock, sample by sample as in `samples_ns`, where that is kept beside
    /// another time (T6).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_to_last_ns: Vec<f64>,
    /// Figures that a kernel finds and that are no times, by name, such as a limit in bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, f64>,
    /// What a model says of the same point, where one was put beside the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// Why there is nothing to measure at this point: the message layer has no such thing, or it is the same as another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// The median time of each rank from its own start to its own end, where ranks have several (S7).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks_ns: Vec<f64>,
    /// What was wrong with the data, where that is no reason not to go on: somebody's own implementation is what is looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
}

/// What a model says of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The machine that the model describes.
    pub machine: String,
    /// Nanoseconds for one operation.
    pub time_ns: f64,
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
            messages: None,
            algorithm: None,
            clock_error_ns: samples.clock_error.map(Time::as_nanos),
            steal: None,
            machine: None,
            verified: true,
            first_to_last_ns: samples.first_to_last,
            figures: BTreeMap::new(),
            expected: None,
            absent: None,
            ranks_ns: Vec::new(),
            wrong: None,
        }
    }

    /// A point at which there is nothing to measure, and why.
    pub fn absent(kernel: &str, point: &Point, why: impl Into<String>) -> Self {
        let nothing = Samples { nanos: Vec::new(), batch: 0, ..Samples::exact(Time::ZERO) };
        Self { absent: Some(why.into()), verified: false, ..Self::new(kernel, point, nothing) }
    }

    /// Median, interval and so on, in nanoseconds. `None` without samples.
    pub fn summary(&self) -> Option<Summary> {
        Summary::of(&self.samples_ns).ok()
    }

    /// By how much the time of one operation may be wrong because the clocks of the hosts differed, in nanoseconds. `None`
    /// where it was read from a single clock, and the ranks that took part did not start by several either.
    pub fn clock_doubt(&self) -> Option<f64> {
        let on_one_host = match self.point.separation() {
            Some(Separation::Placed(distance)) => distance < Distance::Network,
            _ => false,
        };
        let reads_several = match self.metric.clock {
            Clock::FirstToLast | Clock::SendToHandler => true,
            // Ranks that start apart make each other wait, once in a batch.
            Clock::OnRank(_) | Clock::Longest => self.start == Start::RoundTime,
        };
        let half = if self.metric.half { 0.5 } else { 1.0 };
        self.clock_error_ns
            .filter(|_| reads_several && !on_one_host)
            .map(|error| error * half / self.batch.max(1) as f64)
    }

    /// How far the model is from the median, as a fraction of the median: -0.1 if it says a tenth too little.
    pub fn residual(&self) -> Option<f64> {
        let (expected, summary) = (self.expected.as_ref()?, self.summary()?);
        Some(expected.time_ns / summary.median - 1.0).filter(|residual| residual.is_finite())
    }

    /// Bytes a second at this time.
    pub fn bandwidth(&self, nanos: f64) -> Option<f64> {
        self.moved.filter(|_| nanos > 0.0).map(|bytes| bytes as f64 / (nanos * 1e-9))
    }

    /// Messages a second at this time.
    pub fn message_rate(&self, nanos: f64) -> Option<f64> {
        self.messages.filter(|_| nanos > 0.0).map(|messages| messages as f64 / (nanos * 1e-9))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_matter_where_several_are_read() {
        let record = |metric, start, batch, error| {
            let samples = Samples { batch, start, metric, ..Samples::exact(Time::from_nanos(500)) };
            Record { clock_error_ns: error, ..Record::new("x/y", &Point::new(2), samples) }
        };
        let doubt = |metric, start, batch, error| record(metric, start, batch, error).clock_doubt();
        let (timed, error) = (Metric::on(0), Some(1_000.0));
        assert_eq!(doubt(Metric::first_to_last(), Start::Barrier, 1, error), error);
        assert_eq!(doubt(timed, Start::RoundTime, 10, error), Some(100.0));
        assert_eq!(doubt(Metric::one_way(0), Start::RoundTime, 10, error), Some(50.0));
        assert_eq!(doubt(timed, Start::Barrier, 10, error), None);
        assert_eq!(doubt(Metric::first_to_last(), Start::RoundTime, 1, None), None);
        // Two ranks of one host read one clock, however many others wait meanwhile.
        for (distance, doubt) in [(Distance::Node, None), (Distance::Network, error)] {
            let point = Point::new(4).apart(Separation::Placed(distance));
            let pair = Record { point, ..record(timed, Start::RoundTime, 1, error) };
            assert_eq!(pair.clock_doubt(), doubt);
        }
    }
}
