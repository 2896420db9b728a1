//! The record of one point.

use std::collections::BTreeMap;

use panto_schedule::Distance;
use panto_stats::{Summary, median};
use panto_units::Time;
use serde::{Deserialize, Serialize};

use crate::kernel;
use crate::point::Point;
use crate::quality::RunQuality;
use crate::samples::{Clock, Metric, Samples, StopReason, SyncMethod};
use crate::separation::Separation;

/// Least number of samples of which the median of a pass is taken.
const MIN_PASS: usize = 3;

/// One measured point with all its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Suite and kernel, `comet/echo`.
    pub kernel: String,
    /// The point of the sweep.
    #[serde(flatten)]
    pub point: Point,
    /// Which time the samples are.
    pub metric: Metric,
    /// The samples, in nanoseconds per operation, in the order in which they were taken.
    pub samples_ns: Vec<f64>,
    /// Samples that interference made longer, in nanoseconds per operation. No figure uses them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed_ns: Vec<f64>,
    /// Whether `samples_ns` were disturbed as well, because no sample was not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_disturbed: bool,
    /// Whether this is the first pass of a point that more will follow. The record of all passes
    /// replaces it when the file is read; it remains if the run was killed before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// Number of samples of `samples_ns` from each pass over the points, in order; empty where
    /// there was one pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<usize>,
    /// Operations in one sample.
    pub batch: u64,
    /// Samples that were discarded because a rank started late.
    pub late: u64,
    /// Why sampling ended.
    pub stop: StopReason,
    /// How the ranks were synchronised before each sample.
    pub start: SyncMethod,
    /// Overhead of the empty loop that was subtracted, in nanoseconds per operation.
    pub empty_ns: f64,
    /// Bytes that one operation moves, where a bandwidth is meaningful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<u64>,
    /// Messages that one operation moves, where a message rate is meaningful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Algorithm of a collective; `library` for the message layer's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Clock error between hosts right after the samples, in nanoseconds; absent where all ranks
    /// read one clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_ns: Option<f64>,
    /// Steal time as a fraction of the cores' time; absent where the system does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// CPU time of other processes as a fraction of the cores' time; absent where unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<f64>,
    /// The simulated machine; absent where the time was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Whether the data was verified. (Barriers move none.)
    pub verified: bool,
    /// Times from the first start to the last end on one global clock, one per sample of
    /// `samples_ns`, where the metric is another one (T6).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_to_last_ns: Vec<f64>,
    /// Results of a kernel that are not times, by name, such as a limit in bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, f64>,
    /// Time of a model for the same point, where the measurement is compared with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// Why the point has no samples: the message layer lacks the operation, or the point equals
    /// another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// Median time of each rank from its own start to its own end, in nanoseconds (S7).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks_ns: Vec<f64>,
    /// What was wrong with the data, where that does not end the run: a user-supplied
    /// implementation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
}

/// The time that a model predicts for a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The machine that the model describes.
    pub machine: String,
    /// Time in nanoseconds per operation.
    pub time_ns: f64,
}

impl Record {
    /// Returns a record of these samples; kernels set further fields.
    pub fn new(kernel: &str, point: &Point, samples: Samples) -> Self {
        Self {
            kernel: kernel.into(),
            point: point.clone(),
            metric: samples.metric,
            samples_ns: samples.nanos,
            disturbed_ns: samples.disturbed,
            all_disturbed: samples.all_disturbed,
            provisional: false,
            passes: Vec::new(),
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
            others: None,
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

    /// Returns a record without samples, and why there are none.
    pub fn absent(kernel: &str, point: &Point, why: impl Into<String>) -> Self {
        let nothing = Samples { nanos: Vec::new(), batch: 0, ..Samples::exact(Time::ZERO) };
        Self { absent: Some(why.into()), verified: false, ..Self::new(kernel, point, nothing) }
    }

    /// Returns the median time from the first start to the last end, in nanoseconds, where it was
    /// recorded beside another one.
    pub fn first_to_last(&self) -> Option<f64> {
        median(&self.first_to_last_ns).ok()
    }

    /// Returns the suite of the kernel, such as `comet`.
    pub fn suite(&self) -> &str {
        kernel::suite_of(&self.kernel)
    }

    /// Returns the summary of the samples in nanoseconds; `None` without samples.
    ///
    /// Passes differ by more than their samples tell: memory, caches and the clock frequency are
    /// not the same in each. So the interval of the median contains the medians of the passes.
    pub fn summary(&self) -> Option<Summary> {
        let mut summary = Summary::of(&self.samples_ns).ok()?;
        if let Some((low, high)) = self.pass_medians() {
            summary.interval.low = summary.interval.low.min(low);
            summary.interval.high = summary.interval.high.max(high);
        }
        Some(summary)
    }

    /// Returns the share of the samples that were not disturbed; 1 without samples.
    pub fn undisturbed_share(&self) -> f64 {
        let (kept, disturbed) = (self.samples_ns.len() as f64, self.disturbed_ns.len() as f64);
        match (self.all_disturbed, disturbed > 0.0) {
            (true, _) => 0.0,
            (false, true) => kept / (kept + disturbed),
            (false, false) => 1.0,
        }
    }

    /// Iterates over the samples of each pass. Passes that the file does not tell apart are one.
    pub fn pass_samples(&self) -> impl Iterator<Item = &[f64]> {
        let told = self.passes.iter().sum::<usize>() == self.samples_ns.len();
        let counts = if told { self.passes.as_slice() } else { &[] };
        let mut rest = self.samples_ns.as_slice();
        let passes = counts.iter().map(move |&count| rest.split_off(..count).unwrap_or_default());
        passes.chain((!told).then_some(self.samples_ns.as_slice()))
    }

    /// Returns how far the medians of the passes are apart, relative to the median of all; `None`
    /// if fewer than two passes have enough samples.
    pub fn spread(&self) -> Option<f64> {
        let (low, high) = self.pass_medians()?;
        let all = median(&self.samples_ns).ok().filter(|&all| all > 0.0)?;
        Some((high - low) / all)
    }

    /// Returns the least and the greatest median of a pass, of many passes without the extremes;
    /// `None` if fewer than two passes have enough samples.
    fn pass_medians(&self) -> Option<(f64, f64)> {
        let enough = |samples: &&[f64]| samples.len() >= MIN_PASS;
        let medians = self.pass_samples().filter(enough).filter_map(|pass| median(pass).ok());
        let mut medians: Vec<f64> = medians.collect();
        medians.sort_unstable_by(f64::total_cmp);
        // Of many passes the extremes are far apart by chance.
        let trimmed = medians.len() / 5;
        let medians = &medians[trimmed..medians.len() - trimmed];
        (medians.len() > 1).then(|| Some((*medians.first()?, *medians.last()?)))?
    }

    /// Returns the uncertainty of the time of one operation that comes from the clock error between
    /// hosts, in nanoseconds; `None` where a single clock was read and started all ranks.
    pub fn clock_doubt(&self) -> Option<f64> {
        let on_one_host = match self.point.separation() {
            Some(Separation::Placed(distance)) => distance < Distance::Network,
            _ => false,
        };
        let reads_several = match self.metric.clock {
            Clock::FirstToLast | Clock::SendToHandler => true,
            // A skewed start delays the batch once.
            Clock::OnRank(_) | Clock::Longest => self.start == SyncMethod::RoundTime,
        };
        let half = if self.metric.half { 0.5 } else { 1.0 };
        self.clock_error_ns
            .filter(|_| reads_several && !on_one_host)
            .map(|error| error * half / self.batch.max(1) as f64)
    }

    /// Returns the residual of the model as a fraction of the median: -0.1 if it is 10% too low.
    pub fn residual(&self) -> Option<f64> {
        let (expected, summary) = (self.expected.as_ref()?, self.summary()?);
        Some(expected.time_ns / summary.median - 1.0).filter(|residual| residual.is_finite())
    }

    /// Returns the bytes per second of an operation that takes `nanos` nanoseconds.
    pub fn bandwidth(&self, nanos: f64) -> Option<f64> {
        self.moved.filter(|_| nanos > 0.0).map(|bytes| bytes as f64 / (nanos * 1e-9))
    }

    /// Returns the messages per second of an operation that takes `nanos` nanoseconds.
    pub fn message_rate(&self, nanos: f64) -> Option<f64> {
        self.messages.filter(|_| nanos > 0.0).map(|messages| messages as f64 / (nanos * 1e-9))
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Whether all points were measured.
    pub complete: bool,
    /// Points that were planned.
    pub planned: usize,
    /// Points that were measured.
    pub measured: usize,
    /// How far the figures can be believed; absent for simulated runs and in files of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<RunQuality>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_error_counts_where_several_clocks_are_read() {
        let record = |metric, start, batch, error| {
            let samples = Samples { batch, start, metric, ..Samples::exact(Time::from_nanos(500)) };
            Record { clock_error_ns: error, ..Record::new("x/y", &Point::new(2), samples) }
        };
        let doubt = |metric, start, batch, error| record(metric, start, batch, error).clock_doubt();
        let (timed, error) = (Metric::on(0), Some(1_000.0));
        assert_eq!(doubt(Metric::first_to_last(), SyncMethod::Barrier, 1, error), error);
        assert_eq!(doubt(timed, SyncMethod::RoundTime, 10, error), Some(100.0));
        assert_eq!(doubt(Metric::one_way(0), SyncMethod::RoundTime, 10, error), Some(50.0));
        assert_eq!(doubt(timed, SyncMethod::Barrier, 10, error), None);
        assert_eq!(doubt(Metric::first_to_last(), SyncMethod::RoundTime, 1, None), None);
        // Two ranks of one host read one clock.
        for (distance, doubt) in [(Distance::Node, None), (Distance::Network, error)] {
            let point = Point::new(4).apart(Separation::Placed(distance));
            let pair = Record { point, ..record(timed, SyncMethod::RoundTime, 1, error) };
            assert_eq!(pair.clock_doubt(), doubt);
        }
    }
}
