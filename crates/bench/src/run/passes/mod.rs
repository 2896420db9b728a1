//! Several passes over the points of a kernel.
//!
//! Ten bad seconds of a machine must not spoil all samples of some points: so every point is
//! measured in several passes, each in another random order, and the passes are joined
//! ([`merge`]). Meanwhile the load of the host is observed in windows. Points whose passes disagree
//! or met a busy host are measured again as long as there is time.

mod merge;

use std::time::{Duration, Instant};

use panto_random::SplitMix64;
use panto_results::quality::{Doubt, point_doubts};
use panto_results::{Record, StopReason};

use self::merge::merge;
use crate::host::{HostLoad, HostMeter};
use crate::settings::Effort;

/// Share of the time for the passes over all points; the rest is for points that are measured
/// again.
const FIRST_SHARE: f64 = 0.6;

/// Least time over which the passes are spread on a real clock: that of a window of the load.
const LEAST_SPAN: Duration = Duration::from_millis(250);

/// Most passes over a point.
const MOST_PASSES: usize = 40;

/// Parts into which the time that is left is divided when points are measured again, so that
/// several attempts are made at different times.
const ATTEMPTS: u32 = 3;

/// One pass over one point.
struct Pass {
    record: Record,
    /// The load of the host meanwhile; `None` where it is unknown.
    load: Option<HostLoad>,
}

/// A point with its passes.
#[derive(Default)]
struct PointPasses {
    passes: Vec<Pass>,
    is_reported: bool,
}

/// What remains to be measured of the points of one world; the root decides by it.
pub(super) struct Passes<'a> {
    effort: &'a Effort,
    rng: SplitMix64,
    points: Vec<PointPasses>,
    /// The rest of the current pass, the last first.
    queue: Vec<usize>,
    /// Passes begun, the current one included.
    begun: usize,
    start: Instant,
    deadline: Instant,
    /// `None` on a virtual clock, where one pass is exact.
    meter: Option<HostMeter>,
    /// Points and passes since the last reading of the meter.
    in_window: Vec<(usize, usize)>,
}

impl<'a> Passes<'a> {
    /// Plans passes over this many points until the deadline. `meter` observes a real host.
    pub(super) fn new(
        effort: &'a Effort,
        points: usize,
        seed: u64,
        deadline: Instant,
        meter: Option<HostMeter>,
    ) -> Self {
        let (rng, start) = (SplitMix64::new(seed), Instant::now());
        let points = (0..points).map(|_| PointPasses::default()).collect();
        let (queue, in_window) = (Vec::new(), Vec::new());
        Self { effort, rng, points, queue, begun: 0, start, deadline, meter, in_window }
    }

    /// Returns the number of the next point and its time limit; `None` if nothing is left to
    /// measure or the time is over.
    pub(super) fn next(&mut self) -> Option<(usize, Duration)> {
        if self.begun > 1 && self.is_over() {
            self.queue.clear();
        } else if self.queue.is_empty() {
            self.begin_pass();
        }
        let limit = self.limit();
        Some((self.queue.pop()?, limit))
    }

    /// Returns whether the next pass over a point is its first of several.
    pub(super) fn is_first_of_several(&self, point: usize) -> bool {
        self.meter.is_some() && self.points[point].passes.is_empty()
    }

    /// Adds a pass over a point.
    pub(super) fn add(&mut self, point: usize, record: Record) {
        let passes = &mut self.points[point].passes;
        self.in_window.push((point, passes.len()));
        passes.push(Pass { record, load: None });
        if let Some(load) = self.meter.as_mut().and_then(HostMeter::lap) {
            for (point, pass) in self.in_window.drain(..) {
                self.points[point].passes[pass].load = Some(load);
            }
        }
    }

    /// Returns the points that are settled and were not reported before.
    pub(super) fn take_settled(&mut self) -> Vec<Record> {
        if self.begun < self.first_passes() || !self.queue.is_empty() || !self.in_window.is_empty() {
            return Vec::new();
        }
        let open = self.unsettled();
        self.take(|point| !open.contains(&point))
    }

    /// Returns the points that were not reported before.
    pub(super) fn take_rest(&mut self) -> Vec<Record> {
        self.take(|_| true)
    }

    fn take(&mut self, is_due: impl Fn(usize) -> bool) -> Vec<Record> {
        let mut due = Vec::new();
        for point in (0..self.points.len()).filter(|&point| is_due(point)) {
            if let Some(record) = self.record(point) {
                self.points[point].is_reported = true;
                due.push(record);
            }
        }
        due
    }

    /// Returns the record of a point that has passes and was not reported yet.
    fn record(&self, point: usize) -> Option<Record> {
        let PointPasses { passes, is_reported } = &self.points[point];
        if *is_reported { None } else { merge(passes, self.effort) }
    }

    /// Starts a pass over all points, or over those that are not settled.
    fn begin_pass(&mut self) {
        let is_short = self.meter.is_some() && self.start.elapsed() < LEAST_SPAN;
        self.queue = match () {
            () if self.begun > 0 && self.is_over() => Vec::new(),
            () if self.begun < self.first_passes() || is_short => {
                (0..self.points.len()).filter(|&point| self.is_unlimited(point)).collect()
            }
            () if self.meter.is_none() => Vec::new(),
            () => self.unsettled(),
        };
        self.begun += 1;
        self.rng.shuffle(&mut self.queue);
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline || self.begun >= MOST_PASSES
    }

    fn first_passes(&self) -> usize {
        if self.meter.is_some() { self.effort.passes.max(1) } else { 1 }
    }

    /// Returns whether a point may have more samples.
    fn is_unlimited(&self, point: usize) -> bool {
        let passes = &self.points[point].passes;
        let samples = |record: &Record| record.samples_ns.len() + record.disturbed_ns.len();
        let taken: usize = passes.iter().map(|pass| samples(&pass.record)).sum();
        taken < self.effort.max_samples && passes.iter().all(|pass| !is_final(&pass.record))
    }

    /// Returns the points to which more passes would add something.
    fn unsettled(&self) -> Vec<usize> {
        if self.meter.is_none() {
            return Vec::new();
        }
        // Peaks are found beside all neighbours, reported or not.
        let merged =
            |(number, point): (usize, &PointPasses)| Some((number, merge(&point.passes, self.effort)?));
        let (points, records): (Vec<usize>, Vec<Record>) =
            self.points.iter().enumerate().filter_map(merged).unzip();
        let doubts = point_doubts(&records.iter().collect::<Vec<_>>());
        let is_open = |record: &Record, doubts: &[Doubt]| {
            record.stop == StopReason::Budget
                || doubts.iter().any(|&doubt| self.is_worth_passes(doubt, record))
        };
        let judged = points.into_iter().zip(records.iter().zip(&doubts));
        let open = judged.filter(|(_, (record, doubts))| is_open(record, doubts)).map(|(point, _)| point);
        open.filter(|&point| !self.points[point].is_reported && self.is_unlimited(point)).collect()
    }

    /// Returns whether more passes may remove a doubt. A peak that lasts belongs to the machine.
    fn is_worth_passes(&self, doubt: Doubt, record: &Record) -> bool {
        !matches!(doubt, Doubt::Peak(_)) || record.passes.len() < 2 * self.first_passes()
    }

    /// Returns the time limit of the next point.
    fn limit(&self) -> Duration {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let queued = self.queue.len().max(1) as u32;
        match self.first_passes().checked_sub(self.begun) {
            None => left / ATTEMPTS / queued,
            Some(later) if self.meter.is_some() => {
                let reserve = self.deadline.saturating_duration_since(self.start).mul_f64(1.0 - FIRST_SHARE);
                left.saturating_sub(reserve) / (queued + (later * self.points.len()) as u32)
            }
            // Samples on a virtual clock must not depend on the host's speed.
            Some(_) => left,
        }
    }
}

/// Returns whether a record is what it is: a reason for no samples, wrong data, or an interruption.
fn is_final(record: &Record) -> bool {
    record.absent.is_some() || record.wrong.is_some() || record.stop == StopReason::Interrupted
}
