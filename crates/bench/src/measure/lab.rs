//! Where a rank measures: carrying out the root's orders.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use panto_stats::StopRule;
use panto_transport::{Patience, Result, Time, Transport};

use super::empty::EmptyLoop;
use super::leader::{Leader, over_because};
use super::operation::{Operation, Sample, Timing};
use super::pulse::{Answer, Order, Pulse, ROOT};
use super::samples::{Clock, Metric, Samples, Start, Stop};
use crate::settings::Settings;

/// Where a rank measures.
pub struct Lab<'a, T: Transport> {
    /// The rank's end of the message layer.
    pub transport: &'a T,
    /// What the user asked for.
    pub settings: &'a Settings,
    /// Set when the user wants to stop.
    pub interrupt: &'a AtomicBool,
    pub(super) empty: EmptyLoop,
    pub(super) pulse: Pulse,
    /// How far ahead a common start is named; a point that has late ranks lets it grow.
    pub(super) slack: Time,
    usual_slack: Time,
    /// No rank came in time for any start that was named: this point starts after barriers.
    after_barrier: bool,
    budget: Duration,
    /// By how much the clocks of the ranks differed when they were compared last; nothing where all read one clock.
    clock_error: Time,
}

/// Slack never grows beyond this: a rank that is later than that will not come in time anyway.
const MOST_SLACK: Time = Time::from_nanos(10_000_000);
/// On a virtual clock no rank is late but because the order itself takes that long, and waiting costs nothing. An
/// hour, so that sums of a few of them are still times.
const MOST_VIRTUAL_SLACK: Time = Time::from_nanos(3_600_000_000_000);
/// Slack where data is set up and checked between samples: some ranks are done long before others, and fall asleep.
const AFTER_CHECKS: Time = Time::from_nanos(200_000);
/// Starts that are apart by no more than this count as one, or by no more than the clocks can tell.
const TOLERATED: Time = Time::from_nanos(5_000);
/// Rounds from which the time of an order and its answer is estimated.
const ESTIMATES: usize = 15;
/// On a virtual clock all but the first take the same time.
const VIRTUAL_ESTIMATES: usize = 3;
/// Empty samples from which the cost of reading the clock is taken.
const READINGS: usize = 31;

impl<'a, T: Transport> Lab<'a, T> {
    /// Gets ready to measure. All ranks must call this together.
    pub fn new(transport: &'a T, settings: &'a Settings, interrupt: &'a AtomicBool) -> Result<Self> {
        let empty = EmptyLoop::measure(transport);
        let (pulse, slack, budget) = (Pulse::new(transport)?, Time::ZERO, settings.effort.budget);
        let mut lab = Self {
            transport,
            settings,
            interrupt,
            empty,
            pulse,
            slack,
            usual_slack: slack,
            after_barrier: false,
            budget,
            clock_error: Time::ZERO,
        };
        lab.compare_clocks()?;
        lab.usual_slack = lab.estimate_slack()?;
        lab.slack = lab.usual_slack;
        if !transport.is_virtual() {
            lab.empty.reading = lab.estimate_reading()?;
        }
        Ok(lab)
    }

    /// Is this the rank that gives orders and keeps samples?
    pub fn is_root(&self) -> bool {
        self.transport.rank() == ROOT
    }

    /// The time that the next point may take. Only the root's counts.
    pub fn set_budget(&mut self, budget: Duration) {
        self.budget = budget;
    }

    /// The time that this point may take. Only the root's counts.
    pub fn budget(&self) -> Duration {
        self.budget
    }

    /// Why a kernel that takes its samples itself should take no more, if it should.
    pub fn enough(&self, nanos: &[f64], late: u64, deadline: Instant) -> Option<Stop> {
        let over = over_because(self.interrupt, &self.settings.effort, nanos.len(), late, deadline);
        over.or_else(|| self.rule().reached(nanos).then_some(Stop::Confidence))
    }

    pub(super) fn rule(&self) -> StopRule {
        let effort = &self.settings.effort;
        StopRule { relative: effort.precision, min_samples: effort.min_samples }
    }

    /// What the loop itself costs on this rank.
    pub fn empty(&self) -> EmptyLoop {
        self.empty
    }

    /// Measures an operation. All ranks must call this together; the root gets the samples.
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

    /// By how much the clocks of the ranks differ now (S7); `None` where all read one clock, as on a simulated machine. All
    /// ranks must call this together, outside of what is timed.
    pub fn compare_clocks(&mut self) -> Result<Option<Time>> {
        let error = if self.transport.is_virtual() { None } else { self.transport.clock_error()? };
        self.clock_error = error.unwrap_or_default();
        Ok(error)
    }

    /// Shall the next point be measured? All ranks must ask together; they get the root's answer.
    pub fn go_on(&mut self) -> Result<bool> {
        let stop = self.interrupt.load(Ordering::Relaxed);
        let order = self.pulse.order(self.transport, if stop { Order::End } else { Order::Prepare })?;
        Ok(order != Order::End)
    }

    /// How ranks start together here.
    pub fn start(&self) -> Start {
        let in_time = !self.after_barrier && !self.transport.oversubscribed();
        if self.transport.shares_clock() && in_time { Start::RoundTime } else { Start::Barrier }
    }

    fn follow(&mut self, timing: Timing, operation: &mut impl Operation) -> Result<()> {
        let mut round = 0;
        loop {
            let order = self.pulse.order(self.transport, Order::End)?;
            if order == Order::End {
                return Ok(());
            }
            self.obey(order, timing, operation, &mut round)?;
        }
    }

    pub(super) fn obey(
        &mut self,
        order: Order,
        timing: Timing,
        operation: &mut impl Operation,
        round: &mut u64,
    ) -> Result<Answer> {
        let mut answer = Answer::default();
        match order {
            Order::Prepare => {
                *round += 1;
                operation.prepare(*round);
            }
            Order::Go { repetitions, start } => {
                answer = self.go(repetitions, start, timing.metric, operation)?;
            }
            Order::Verify => {
                operation.verify().map_err(|what| self.transport.abort(&format!("wrong data: {what}")))?;
            }
            Order::End => {}
        }
        self.pulse.answer(self.transport, answer)
    }

    fn go(
        &mut self,
        repetitions: u64,
        start: Time,
        metric: Metric,
        operation: &mut impl Operation,
    ) -> Result<Answer> {
        let transport = self.transport;
        let passage = operation.pass(transport, repetitions, || self.start_together(start))?;
        let late = passage.late;
        let Some((start, end)) = passage.span else { return Ok(Answer { late, ..Answer::idle() }) };
        let speaks = match metric.clock {
            Clock::OnRank(rank) => rank == transport.rank(),
            Clock::Longest | Clock::FirstToLast | Clock::SendToHandler => true,
        };
        Ok(Answer { late, elapsed: if speaks { end.since(start) } else { Time::ZERO }, end, start })
    }

    /// At the moment that was named, or after a barrier if none was: the order alone reaches some ranks long after
    /// others, and its way would be timed. True if this rank is late.
    fn start_together(&mut self, start: Time) -> Result<bool> {
        if start == Time::ZERO {
            self.pulse.meet(self.transport)?;
            return Ok(false);
        }
        // A rank that lost its core while it waited did not start with the others either. Clocks that differ cannot tell
        // whether it was less late than they differ.
        let tolerated = TOLERATED.max(self.clock_error);
        Ok(self.wait_for(start)? || self.transport.now().since(start) > tolerated)
    }

    /// Spins until the moment has come; true if it had passed already.
    fn wait_for(&self, start: Time) -> Result<bool> {
        if self.transport.now() > start {
            return Ok(true);
        }
        self.transport.wait_until(start, Patience::Spin)?;
        Ok(false)
    }

    /// Names no more starts at this point. Only the root's word counts: its orders say how to start.
    pub(super) fn start_after_barriers(&mut self) {
        self.after_barrier = true;
    }

    /// Names starts further ahead from now on: ranks came late.
    pub(super) fn allow_more_slack(&mut self) {
        self.slack = self.slack.saturating_add(self.slack).min(self.most_slack());
    }

    fn most_slack(&self) -> Time {
        if self.transport.is_virtual() { MOST_VIRTUAL_SLACK } else { MOST_SLACK }
    }

    pub(super) fn next_start(&self) -> Time {
        match self.start() {
            // A clock that is ahead reaches the moment so much earlier.
            Start::RoundTime => self.transport.now() + self.slack + self.clock_error,
            Start::Barrier => Time::ZERO,
        }
    }

    /// Three times what an order and its answer usually take.
    fn estimate_slack(&mut self) -> Result<Time> {
        let rounds = if self.transport.is_virtual() { VIRTUAL_ESTIMATES } else { ESTIMATES };
        let mut times = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            let start = self.transport.now();
            self.pulse.order(self.transport, Order::Prepare)?;
            self.pulse.answer(self.transport, Answer::default())?;
            times.push(self.transport.now().since(start));
        }
        times.sort_unstable();
        Ok(Time::from_picos(times[rounds / 2].as_picos().saturating_mul(3)).min(self.most_slack()))
    }

    /// What an empty sample takes in the course of a measurement, where caches and branch predictors have seen
    /// other code since the last one. Less would be subtracted from single runs than they cost.
    fn estimate_reading(&mut self) -> Result<f64> {
        let timing = Timing::batched(Metric::on(ROOT));
        let mut nanos = Vec::with_capacity(READINGS);
        for _ in 0..READINGS {
            let start = self.next_start();
            let order = self.pulse.order(self.transport, Order::Go { repetitions: 0, start })?;
            nanos.push(self.obey(order, timing, &mut Nothing, &mut 0)?.elapsed.as_nanos());
        }
        nanos.sort_by(f64::total_cmp);
        // Only the root hears an answer, and only its figure is subtracted.
        Ok(if self.is_root() { nanos[READINGS / 2] } else { self.empty.reading })
    }
}

/// The operation of an empty sample.
struct Nothing;

impl Operation for Nothing {
    fn run(&mut self) -> Result<()> {
        Ok(())
    }
}
