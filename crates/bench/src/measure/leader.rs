//! The root's side of the measuring loop: which orders to give, and when to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use panto_results::{Clock, Samples, StopReason, SyncMethod};
use panto_transport::{Result, Time, Transport};

use super::coordinator::{Command, Report};
use super::lab::Lab;
use super::operation::{Operation, Sample, Timing};
use super::run_queue::is_disturbed;
use crate::settings::Effort;

/// Factor of the sample time of a long batch: a millisecond instead of 20 us, time for a hundred
/// messages of a load.
const LONG: u32 = 50;
/// Factor of the sample time where ranks start after a barrier: half a millisecond, in which ranks
/// that take no part fall asleep again.
const CROWDED: u32 = 25;
/// Repetitions of a train.
const TRAIN: u64 = 8;
/// Maximum duration of a train, which has fewer repetitions if they take longer.
const LONGEST_TRAIN: Duration = Duration::from_millis(2);
/// Fraction of the intended sample time from which a batch is long enough.
const NEARLY: f64 = 0.7;
/// Maximum repetitions of a sample.
const MOST_REPETITIONS: u64 = 1 << 20;
/// Minimum repetitions of a sample under load on a virtual clock.
const LEAST_UNDER_LOAD: u64 = 64;
/// Maximum repetitions on a virtual clock, enough for a steady state; times [`LONG`] under load.
const MOST_VIRTUAL_REPETITIONS: u64 = 32;
/// Attempts at the time of a repetition, and repetitions of each.
const TRIES: usize = 4;
const TRIED: u64 = 8;
/// The stop rule is evaluated each time the number of samples has grown by one part in this many.
const LOOK_AGAIN: usize = 8;

/// Returns whether all samples of a virtual clock are equal, so that more would add nothing.
fn is_exact<T: Transport>(lab: &Lab<'_, T>, nanos: &[f64]) -> bool {
    lab.transport.is_virtual()
        && !nanos.is_empty()
        && nanos.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-3)
}

/// The samples of a point.
struct Taken {
    undisturbed: Series,
    disturbed: Series,
    late: u64,
    stop: StopReason,
}

/// Samples of one kind: times, and times from the first start to the last end where those are kept
/// as well.
#[derive(Default)]
struct Series {
    nanos: Vec<f64>,
    first_to_last: Vec<f64>,
}

/// The root's side of one point.
pub(super) struct Leader<'o, O> {
    timing: Timing,
    operation: &'o mut O,
    round: u64,
}

impl<'o, O: Operation> Leader<'o, O> {
    pub(super) fn new(timing: Timing, operation: &'o mut O) -> Self {
        Self { timing, operation, round: 0 }
    }

    /// Measures one point.
    pub(super) fn measure<T: Transport>(mut self, lab: &mut Lab<'_, T>) -> Result<Samples> {
        let (timing, deadline) = (self.timing, Instant::now() + lab.budget());
        self.checked(lab)?;
        let batch = match timing.sample {
            Sample::Batch => self.batch(lab, 1, deadline)?,
            Sample::LongBatch => self.batch(lab, LONG, deadline)?,
            Sample::Train => self.train(lab, deadline)?,
            Sample::Single | Sample::Checked => 1,
            Sample::Prepared(repetitions) => repetitions,
        };
        let Taken { undisturbed, disturbed, late, stop } = self.sample(lab, batch, deadline)?;
        let all_disturbed = undisturbed.nanos.is_empty() && !disturbed.nanos.is_empty();
        let (kept, disturbed) =
            if all_disturbed { (disturbed, Series::default()) } else { (undisturbed, disturbed) };
        self.checked(lab)?;
        lab.coordinator.broadcast(lab.transport, Command::End)?;
        let half = if timing.metric.half { 0.5 } else { 1.0 };
        let empty_nanos = lab.empty.nanos(batch) / batch as f64 * half;
        let (start, metric, clock_error) = (lab.start(), timing.metric, None);
        Ok(Samples {
            nanos: kept.nanos,
            first_to_last: kept.first_to_last,
            disturbed: disturbed.nanos,
            all_disturbed,
            batch,
            late,
            stop,
            start,
            metric,
            empty_nanos,
            clock_error,
        })
    }

    fn command<T: Transport>(&mut self, lab: &mut Lab<'_, T>, command: Command) -> Result<Report> {
        lab.coordinator.broadcast(lab.transport, command)?;
        lab.execute(command, self.timing, self.operation, &mut self.round)
    }

    /// Executes one run and verifies its data.
    fn checked<T: Transport>(&mut self, lab: &mut Lab<'_, T>) -> Result<Report> {
        let repetitions = match self.timing.sample {
            Sample::Prepared(repetitions) => repetitions,
            _ => 1,
        };
        let report = self.prepared(lab, repetitions)?;
        self.command(lab, Command::Verify)?;
        Ok(report)
    }

    fn prepared<T: Transport>(&mut self, lab: &mut Lab<'_, T>, repetitions: u64) -> Result<Report> {
        self.command(lab, Command::Prepare)?;
        self.go(lab, repetitions)
    }

    /// Takes one sample.
    fn one<T: Transport>(&mut self, lab: &mut Lab<'_, T>, batch: u64) -> Result<Report> {
        match self.timing.sample {
            Sample::Checked => self.checked(lab),
            Sample::Prepared(_) => self.prepared(lab, batch),
            Sample::Batch | Sample::LongBatch | Sample::Train | Sample::Single => self.go(lab, batch),
        }
    }

    fn go<T: Transport>(&mut self, lab: &mut Lab<'_, T>, repetitions: u64) -> Result<Report> {
        let start = lab.next_start();
        self.command(lab, Command::Go { repetitions, start })
    }

    /// Warms up, and returns how often the operation must be repeated to reach the sample time.
    fn batch<T: Transport>(&mut self, lab: &mut Lab<'_, T>, times: u32, deadline: Instant) -> Result<u64> {
        if let Some(repetitions) = lab.settings.effort.repetitions {
            return self.fitting(lab, repetitions);
        }
        let is_virtual = lab.transport.is_virtual();
        let most = if is_virtual { MOST_VIRTUAL_REPETITIONS * u64::from(times) } else { MOST_REPETITIONS };
        let times =
            if lab.start() == SyncMethod::Barrier && !is_virtual { times.max(CROWDED) } else { times };
        let wanted = (lab.settings.effort.sample_time * times).as_secs_f64() * 1e9;
        // Under load the first repetitions differ from the others; on a virtual clock a few more
        // cost little.
        let mut repetitions = if is_virtual && times > 1 { LEAST_UNDER_LOAD } else { 1 };
        loop {
            let nanos = self.quicker_of_two(lab, repetitions)?;
            let stop = over(deadline) || lab.interrupt.load(Ordering::Relaxed);
            if nanos >= wanted * NEARLY || repetitions >= most || stop {
                return Ok(repetitions);
            }
            // At most eightfold, since the first runs are slower than later ones.
            let factor = (wanted / nanos.max(1.0)).clamp(2.0, 8.0);
            repetitions = ((repetitions as f64 * factor) as u64).min(most);
        }
    }

    /// Returns the repetitions that the user chose. A sample is not interrupted, so one that takes
    /// longer than the whole run may is an error.
    fn fitting<T: Transport>(&mut self, lab: &mut Lab<'_, T>, repetitions: u64) -> Result<u64> {
        let seconds = self.least_seconds(lab)? * repetitions as f64;
        let budget = lab.settings.effort.budget.as_secs_f64();
        if seconds <= budget {
            return Ok(repetitions);
        }
        Err(lab.transport.abort(&format!(
            "a sample of {repetitions} repetitions takes about {}, longer than the time budget of {}; use fewer repetitions, \
             or a longer -t",
            panto_units::time(seconds),
            panto_units::time(budget)
        )))
    }

    /// Returns the least time of one repetition on this host's clock, whatever delays the others.
    fn least_seconds<T: Transport>(&mut self, lab: &mut Lab<'_, T>) -> Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..TRIES {
            let begin = Instant::now();
            let nanos = self.quicker_of_two(lab, TRIED)? / TRIED as f64;
            // A virtual clock does not show how long the simulation takes.
            let elapsed = begin.elapsed().as_secs_f64() / (2 * TRIED) as f64;
            least = least.min(if lab.transport.is_virtual() { elapsed } else { nanos * 1e-9 });
        }
        Ok(least)
    }

    /// Returns the repetitions of a train: several even where the clock could time one, unless they
    /// take too long.
    fn train<T: Transport>(&mut self, lab: &mut Lab<'_, T>, deadline: Instant) -> Result<u64> {
        let enough = self.batch(lab, 1, deadline)?;
        if enough >= TRAIN || lab.settings.effort.repetitions.is_some() {
            return Ok(enough);
        }
        let each = self.quicker_of_two(lab, enough)? / enough as f64;
        let fitting = LONGEST_TRAIN.as_secs_f64() * 1e9 / each.max(1.0);
        Ok(enough.max(TRAIN.min(fitting as u64)))
    }

    /// Returns the shorter of two batches in nanoseconds, because a single outlier would make the
    /// operation seem long enough to be timed alone.
    fn quicker_of_two<T: Transport>(&mut self, lab: &mut Lab<'_, T>, repetitions: u64) -> Result<f64> {
        let (first, second) = (self.go(lab, repetitions)?, self.go(lab, repetitions)?);
        let quicker = self.span(&first).min(self.span(&second));
        Ok(quicker.as_nanos() - lab.empty.nanos(repetitions))
    }

    fn sample<T: Transport>(&mut self, lab: &mut Lab<'_, T>, batch: u64, deadline: Instant) -> Result<Taken> {
        let effort = &lab.settings.effort;
        let rule = lab.rule();
        let earliest = Instant::now() + effort.least_time;
        let (mut undisturbed, mut disturbed) = (Series::default(), Series::default());
        let (mut late, mut look) = (0, effort.min_samples);
        let stop = loop {
            // After a barrier no rank is late, so there will be samples.
            let in_vain = if lab.start() == SyncMethod::Barrier { 0 } else { late };
            let nanos = &undisturbed.nanos;
            let taken = nanos.len() + disturbed.nanos.len();
            if let Some(stop) = over_because(lab.interrupt, effort, taken, in_vain, deadline) {
                // The reason matters only if the precision was not reached.
                let sure = stop != StopReason::Interrupted && (rule.reached(nanos) || is_exact(lab, nanos));
                break if sure { StopReason::Confidence } else { stop };
            }
            if nanos.len() >= look && over(earliest) {
                if rule.reached(nanos) {
                    break StopReason::Confidence;
                }
                look = nanos.len() + nanos.len() / LOOK_AGAIN + 1;
            }
            let report = self.one(lab, batch)?;
            if report.late {
                late += 1;
                if late > taken as u64 {
                    lab.allow_more_slack();
                }
                let hopeless = if over(deadline) { FEW_LATE } else { MOST_LATE };
                if taken == 0 && late >= hopeless {
                    lab.start_after_barriers();
                }
            } else if is_disturbed(report.waited, self.span(&report)) {
                self.keep(lab, &report, batch, &mut disturbed);
            } else {
                self.keep(lab, &report, batch, &mut undisturbed);
            }
        };
        Ok(Taken { undisturbed, disturbed, late, stop })
    }

    fn keep<T: Transport>(&self, lab: &Lab<'_, T>, report: &Report, batch: u64, series: &mut Series) {
        series.nanos.push(self.nanos(lab, self.span(report), batch));
        if self.timing.metric.clock == Clock::Longest {
            series.first_to_last.push(self.nanos(lab, report.end.since(report.start), batch));
        }
    }

    fn span(&self, report: &Report) -> Time {
        match self.timing.metric.clock {
            Clock::OnRank(_) | Clock::Longest => report.elapsed,
            Clock::FirstToLast | Clock::SendToHandler => report.end.since(report.start),
        }
    }

    fn nanos<T: Transport>(&self, lab: &Lab<'_, T>, span: Time, batch: u64) -> f64 {
        let one = (span.as_nanos() - lab.empty.nanos(batch)).max(0.0) / batch as f64;
        let one = if self.timing.metric.half { one / 2.0 } else { one };
        // Picoseconds are finer than any clock here, and keep results files short.
        (one * 1e3).round() / 1e3
    }
}

fn over(deadline: Instant) -> bool {
    Instant::now() >= deadline
}

/// Minimum samples of a point even beyond its time limit: fewer are no distribution.
const LEAST_SAMPLES: usize = 3;
/// Late samples in a row after which announced starts are given up.
const MOST_LATE: u64 = 64;
/// Late samples after which announced starts are given up once the time limit is reached.
const FEW_LATE: u64 = 4;

/// Returns why sampling must end; `None` to continue.
pub(super) fn over_because(
    interrupt: &AtomicBool,
    effort: &Effort,
    samples: usize,
    late: u64,
    deadline: Instant,
) -> Option<StopReason> {
    if interrupt.load(Ordering::Relaxed) {
        return Some(StopReason::Interrupted);
    }
    if samples >= effort.max_samples {
        return Some(StopReason::Count);
    }
    let enough = samples >= LEAST_SAMPLES || late >= MOST_LATE;
    (enough && over(deadline)).then_some(StopReason::Budget)
}
