//! One rank's side of the measuring loop: executing the root's orders.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use panto_results::{Clock, Metric, Samples, StopReason, SyncMethod};
use panto_stats::StopRule;
use panto_transport::{Result, Time, Transport, WaitPolicy};

use super::coordinator::{Command, Coordinator, ROOT, Report};
use super::empty::EmptyLoop;
use super::leader::{Leader, over_because};
use super::operation::{Operation, Sample, Timing};
use super::run_queue::RunQueueMeter;
use crate::settings::Settings;

/// One rank's measuring loop.
pub struct Lab<'a, T: Transport> {
    /// The rank's endpoint of the message layer.
    pub transport: &'a T,
    /// The settings of the run.
    pub settings: &'a Settings,
    /// Set when the user interrupts the run.
    pub interrupt: &'a AtomicBool,
    pub(super) empty: EmptyLoop,
    pub(super) coordinator: Coordinator,
    /// How far ahead a common start is announced; grows at points with late ranks.
    pub(super) slack: Time,
    usual_slack: Time,
    /// Whether this point starts after barriers because every announced start was missed.
    after_barrier: bool,
    budget: Duration,
    /// Clock error at the last comparison; zero where all ranks read one clock.
    clock_error: Time,
    run_queue: RunQueueMeter,
}

/// Maximum slack on a real clock: a rank that is later than this will not be in time with more.
const MOST_SLACK: Time = Time::from_nanos(10_000_000);
/// Maximum slack on a virtual clock, where waiting costs nothing and a rank is late only because
/// the command itself takes that long. One hour, so that sums of a few still fit a [`Time`].
const MOST_VIRTUAL_SLACK: Time = Time::from_nanos(3_600_000_000_000);
/// Minimum slack where data is prepared and verified between samples: some ranks finish long before
/// others and sleep.
const AFTER_CHECKS: Time = Time::from_nanos(200_000);
/// Start skew that is tolerated, or the clock error if that is larger.
const TOLERATED: Time = Time::from_nanos(5_000);
/// Number of rounds from which the time of a command and its report is estimated.
const ESTIMATES: usize = 15;
/// Number of such rounds on a virtual clock, where all but the first take the same time.
const VIRTUAL_ESTIMATES: usize = 3;
/// Number of empty samples from which the cost of reading the clock is derived.
const READINGS: usize = 31;

impl<'a, T: Transport> Lab<'a, T> {
    /// Sets up the measuring loop. All ranks must call this together.
    pub fn new(transport: &'a T, settings: &'a Settings, interrupt: &'a AtomicBool) -> Result<Self> {
        let empty = EmptyLoop::measure(transport);
        let (coordinator, slack, budget) = (Coordinator::new(transport)?, Time::ZERO, settings.effort.budget);
        let mut lab = Self {
            transport,
            settings,
            interrupt,
            empty,
            coordinator,
            slack,
            usual_slack: slack,
            after_barrier: false,
            budget,
            clock_error: Time::ZERO,
            run_queue: run_queue_meter(transport),
        };
        lab.compare_clocks()?;
        lab.usual_slack = lab.estimate_slack()?;
        lab.slack = lab.usual_slack;
        if !transport.is_virtual() {
            lab.empty.reading = lab.estimate_reading()?;
        }
        Ok(lab)
    }

    /// Returns whether this is the rank that gives orders and keeps samples.
    pub fn is_root(&self) -> bool {
        self.transport.rank() == ROOT
    }

    /// Sets the time limit of the next point. Only the root's counts.
    pub fn set_budget(&mut self, budget: Duration) {
        self.budget = budget;
    }

    /// Returns the time limit of this point. Only the root's counts.
    pub fn budget(&self) -> Duration {
        self.budget
    }

    /// Returns why a kernel that takes its samples itself should stop; `None` to continue.
    pub fn enough(&self, nanos: &[f64], late: u64, deadline: Instant) -> Option<StopReason> {
        let over = over_because(self.interrupt, &self.settings.effort, nanos.len(), late, deadline);
        over.or_else(|| self.rule().reached(nanos).then_some(StopReason::Confidence))
    }

    pub(super) fn rule(&self) -> StopRule {
        let effort = &self.settings.effort;
        StopRule { relative: effort.precision, min_samples: effort.min_samples }
    }

    /// Returns the overhead of the loop on this rank.
    pub fn empty(&self) -> EmptyLoop {
        self.empty
    }

    /// Measures an operation. All ranks must call this together; the root returns the samples.
    pub fn measure(&mut self, timing: Timing, operation: &mut impl Operation) -> Result<Option<Samples>> {
        let samples = if self.is_root() {
            self.after_barrier = false;
            self.slack = match timing.sample {
                Sample::Checked | Sample::Prepared(_) => self.usual_slack.max(AFTER_CHECKS),
                _ => self.usual_slack,
            };
            Some(Leader::new(timing, operation).measure(self)?)
        } else {
            self.follow(timing, operation)?;
            None
        };
        let clock_error = self.compare_clocks()?;
        Ok(samples.map(|samples| Samples { clock_error, ..samples }))
    }

    /// Returns the current clock error between ranks (S7); `None` where all read one clock, as on a
    /// simulated machine. All ranks must call this together, outside the timed region.
    pub fn compare_clocks(&mut self) -> Result<Option<Time>> {
        let error = if self.transport.is_virtual() { None } else { self.transport.clock_error()? };
        self.clock_error = error.unwrap_or_default();
        Ok(error)
    }

    /// Returns the number of the point to be measured next, as the root decides; `None` if there is
    /// none, or if the run is interrupted. All ranks must call this together; only the root's
    /// argument counts.
    pub fn next_point(&mut self, next: Option<usize>) -> Result<Option<usize>> {
        let next = next.filter(|_| !self.interrupt.load(Ordering::Relaxed));
        let command = next.map_or(Command::End, Command::Point);
        Ok(match self.coordinator.broadcast(self.transport, command)? {
            Command::Point(index) => Some(index),
            _ => None,
        })
    }

    /// Returns how the ranks are synchronised.
    pub fn start(&self) -> SyncMethod {
        let in_time = !self.after_barrier && !self.transport.oversubscribed();
        if self.transport.shares_clock() && in_time { SyncMethod::RoundTime } else { SyncMethod::Barrier }
    }

    fn follow(&mut self, timing: Timing, operation: &mut impl Operation) -> Result<()> {
        let mut round = 0;
        loop {
            let command = self.coordinator.broadcast(self.transport, Command::End)?;
            if command == Command::End {
                return Ok(());
            }
            self.execute(command, timing, operation, &mut round)?;
        }
    }

    pub(super) fn execute(
        &mut self,
        command: Command,
        timing: Timing,
        operation: &mut impl Operation,
        round: &mut u64,
    ) -> Result<Report> {
        let mut report = Report::default();
        match command {
            Command::Prepare => {
                *round += 1;
                operation.prepare(*round);
            }
            Command::Go { repetitions, start } => {
                report = self.go(repetitions, start, timing.metric, operation)?;
            }
            Command::Verify => {
                operation.verify().map_err(|what| self.transport.abort(&format!("wrong data: {what}")))?;
            }
            Command::End | Command::Point(_) => {}
        }
        self.coordinator.reduce(self.transport, report)
    }

    fn go(
        &mut self,
        repetitions: u64,
        start: Time,
        metric: Metric,
        operation: &mut impl Operation,
    ) -> Result<Report> {
        let (transport, before) = (self.transport, self.run_queue.waited());
        let outcome = operation.run_batch(transport, repetitions, || self.start_together(start))?;
        let (late, waited) = (outcome.late, self.run_queue.waited().since(before));
        let Some((start, end)) = outcome.span else { return Ok(Report { late, waited, ..Report::idle() }) };
        let speaks = match metric.clock {
            Clock::OnRank(rank) => rank == transport.rank(),
            Clock::Longest | Clock::FirstToLast | Clock::SendToHandler => true,
        };
        let elapsed = if speaks { end.since(start) } else { Time::ZERO };
        Ok(Report { late, elapsed, end, start, waited })
    }

    /// Waits for the announced start, or for a barrier if none was announced: the command alone
    /// reaches some ranks long after others. Returns whether this rank is late.
    fn start_together(&mut self, start: Time) -> Result<bool> {
        if start == Time::ZERO {
            self.coordinator.barrier(self.transport)?;
            return Ok(false);
        }
        // A rank that lost its core while it waited is late as well. Lateness below the clock error
        // cannot be observed.
        let tolerated = TOLERATED.max(self.clock_error);
        Ok(self.wait_for(start)? || self.transport.now().since(start) > tolerated)
    }

    /// Spins until `start`; returns whether that time had already passed.
    fn wait_for(&self, start: Time) -> Result<bool> {
        if self.transport.now() > start {
            return Ok(true);
        }
        self.transport.wait_until(start, WaitPolicy::Spin)?;
        Ok(false)
    }

    /// Announces no more starts at this point. Effective on the root only, which announces them.
    pub(super) fn start_after_barriers(&mut self) {
        self.after_barrier = true;
    }

    /// Announces starts further ahead from now on, because ranks were late.
    pub(super) fn allow_more_slack(&mut self) {
        self.slack = self.slack.saturating_add(self.slack).min(self.most_slack());
    }

    fn most_slack(&self) -> Time {
        if self.transport.is_virtual() { MOST_VIRTUAL_SLACK } else { MOST_SLACK }
    }

    pub(super) fn next_start(&self) -> Time {
        match self.start() {
            // A clock that is ahead reaches the start that much earlier.
            SyncMethod::RoundTime => self.transport.now() + self.slack + self.clock_error,
            SyncMethod::Barrier => Time::ZERO,
        }
    }

    /// Returns three times the median time of a command and its report.
    fn estimate_slack(&mut self) -> Result<Time> {
        let rounds = if self.transport.is_virtual() { VIRTUAL_ESTIMATES } else { ESTIMATES };
        let mut times = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            let start = self.transport.now();
            self.coordinator.broadcast(self.transport, Command::Prepare)?;
            self.coordinator.reduce(self.transport, Report::default())?;
            times.push(self.transport.now().since(start));
        }
        times.sort_unstable();
        Ok(Time::from_picos(times[rounds / 2].as_picos().saturating_mul(3)).min(self.most_slack()))
    }

    /// Returns the time of an empty sample during a measurement, in nanoseconds. Caches and branch
    /// predictors have seen other code since the last sample, so it is larger than in a tight loop,
    /// and less would be subtracted from single runs than they cost.
    fn estimate_reading(&mut self) -> Result<f64> {
        let timing = Timing::batched(Metric::on(ROOT));
        let mut nanos = Vec::with_capacity(READINGS);
        for _ in 0..READINGS {
            let start = self.next_start();
            let command =
                self.coordinator.broadcast(self.transport, Command::Go { repetitions: 0, start })?;
            nanos.push(self.execute(command, timing, &mut Nothing, &mut 0)?.elapsed.as_nanos());
        }
        nanos.sort_by(f64::total_cmp);
        // Only the root receives reports, and only its overhead is subtracted.
        Ok(if self.is_root() { nanos[READINGS / 2] } else { self.empty.reading })
    }
}

/// Returns the meter that tells disturbed samples. Ranks that share cores wait for them by
/// intention, and a virtual clock knows no scheduler.
fn run_queue_meter<T: Transport>(transport: &T) -> RunQueueMeter {
    if transport.is_virtual() || transport.oversubscribed() {
        RunQueueMeter::blind()
    } else {
        RunQueueMeter::of_this_thread()
    }
}

/// The operation of an empty sample.
struct Nothing;

impl Operation for Nothing {
    fn run(&mut self) -> Result<()> {
        Ok(())
    }
}
