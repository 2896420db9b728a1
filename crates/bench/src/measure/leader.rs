//! The root's part: which orders to give, and when to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use panto_transport::{Result, Time, Transport};

use super::lab::Lab;
use super::operation::{Operation, Sample, Timing};
use super::pulse::{Answer, Order};
use super::samples::{Clock, Samples, Start, Stop};
use crate::settings::Effort;

/// How much longer: a millisecond where a sample usually takes 20 us, time for a hundred messages of a load.
const LONG: u32 = 50;
/// How much longer where ranks start after a barrier: half a millisecond, in which those that have nothing to
/// do fall asleep again.
const CROWDED: u32 = 25;
/// Runs of a train,
const TRAIN: u64 = 8;
/// as far as they do not take longer than this.
const LONGEST_TRAIN: Duration = Duration::from_millis(2);
/// A batch of this part of the wanted time is long enough.
const NEARLY: f64 = 0.7;
/// Repetitions in a sample never exceed this, however short the operation.
const MOST_REPETITIONS: u64 = 1 << 20;
/// Repetitions of a sample under load, at least, on a virtual clock.
const LEAST_UNDER_LOAD: u64 = 64;
/// On a virtual clock, which is exact, so many show an operation in its stride, and so many times [`LONG`] one under load.
const MOST_VIRTUAL_REPETITIONS: u64 = 32;
/// The number of samples is looked at each time it has grown by an eighth.
const LOOK_AGAIN: usize = 8;

/// Samples of a virtual clock that are all the same: there is nothing more to know.
fn is_exact<T: Transport>(lab: &Lab<'_, T>, nanos: &[f64]) -> bool {
    lab.transport.is_virtual()
        && !nanos.is_empty()
        && nanos.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-3)
}

/// The samples of a point as they were taken.
struct Taken {
    nanos: Vec<f64>,
    first_to_last: Vec<f64>,
    late: u64,
    stop: Stop,
}

/// The root's part of one point.
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
        let Taken { nanos, first_to_last, late, stop } = self.sample(lab, batch, deadline)?;
        self.checked(lab)?;
        lab.pulse.order(lab.transport, Order::End)?;
        let half = if timing.metric.half { 0.5 } else { 1.0 };
        let empty_nanos = lab.empty.nanos(batch) / batch as f64 * half;
        let (start, metric, clock_error) = (lab.start(), timing.metric, None);
        Ok(Samples { nanos, first_to_last, batch, late, stop, start, metric, empty_nanos, clock_error })
    }

    fn command<T: Transport>(&mut self, lab: &mut Lab<'_, T>, order: Order) -> Result<Answer> {
        lab.pulse.order(lab.transport, order)?;
        lab.obey(order, self.timing, self.operation, &mut self.round)
    }

    /// One run whose data is checked.
    fn checked<T: Transport>(&mut self, lab: &mut Lab<'_, T>) -> Result<Answer> {
        let repetitions = match self.timing.sample {
            Sample::Prepared(repetitions) => repetitions,
            _ => 1,
        };
        let answer = self.prepared(lab, repetitions)?;
        self.command(lab, Order::Verify)?;
        Ok(answer)
    }

    fn prepared<T: Transport>(&mut self, lab: &mut Lab<'_, T>, repetitions: u64) -> Result<Answer> {
        self.command(lab, Order::Prepare)?;
        self.go(lab, repetitions)
    }

    /// What a sample consists of.
    fn one<T: Transport>(&mut self, lab: &mut Lab<'_, T>, batch: u64) -> Result<Answer> {
        match self.timing.sample {
            Sample::Checked => self.checked(lab),
            Sample::Prepared(_) => self.prepared(lab, batch),
            Sample::Batch | Sample::LongBatch | Sample::Train | Sample::Single => self.go(lab, batch),
        }
    }

    fn go<T: Transport>(&mut self, lab: &mut Lab<'_, T>, repetitions: u64) -> Result<Answer> {
        let start = lab.next_start();
        self.command(lab, Order::Go { repetitions, start })
    }

    /// Warms up, and finds how often the operation must be repeated to last long enough.
    fn batch<T: Transport>(&mut self, lab: &mut Lab<'_, T>, times: u32, deadline: Instant) -> Result<u64> {
        if let Some(repetitions) = lab.settings.effort.repetitions {
            return Ok(repetitions);
        }
        let is_virtual = lab.transport.is_virtual();
        let most = if is_virtual { MOST_VIRTUAL_REPETITIONS * u64::from(times) } else { MOST_REPETITIONS };
        let times = if lab.start() == Start::Barrier && !is_virtual { times.max(CROWDED) } else { times };
        let wanted = (lab.settings.effort.sample_time * times).as_secs_f64() * 1e9;
        // Under load the first repetitions are not like the others, and on a virtual clock a few more cost little.
        let mut repetitions = if is_virtual && times > 1 { LEAST_UNDER_LOAD } else { 1 };
        loop {
            let nanos = self.quicker_of_two(lab, repetitions)?;
            let stop = over(deadline) || lab.interrupt.load(Ordering::Relaxed);
            if nanos >= wanted * NEARLY || repetitions >= most || stop {
                return Ok(repetitions);
            }
            // At most eightfold: the first runs are slower than the later ones.
            let factor = (wanted / nanos.max(1.0)).clamp(2.0, 8.0);
            repetitions = ((repetitions as f64 * factor) as u64).min(most);
        }
    }

    /// A batch, but one after the other even where the clock could time a single run, unless that takes long.
    fn train<T: Transport>(&mut self, lab: &mut Lab<'_, T>, deadline: Instant) -> Result<u64> {
        let enough = self.batch(lab, 1, deadline)?;
        if enough >= TRAIN || lab.settings.effort.repetitions.is_some() {
            return Ok(enough);
        }
        let each = self.quicker_of_two(lab, enough)? / enough as f64;
        let fitting = LONGEST_TRAIN.as_secs_f64() * 1e9 / each.max(1.0);
        Ok(enough.max(TRAIN.min(fitting as u64)))
    }

    /// Of two, because a single hiccup would make the operation look long enough to be timed alone.
    fn quicker_of_two<T: Transport>(&mut self, lab: &mut Lab<'_, T>, repetitions: u64) -> Result<f64> {
        let (first, second) = (self.go(lab, repetitions)?, self.go(lab, repetitions)?);
        let quicker = self.span(&first).min(self.span(&second));
        Ok(quicker.as_nanos() - lab.empty.nanos(repetitions))
    }

    fn sample<T: Transport>(&mut self, lab: &mut Lab<'_, T>, batch: u64, deadline: Instant) -> Result<Taken> {
        let effort = &lab.settings.effort;
        let rule = lab.rule();
        let earliest = Instant::now() + effort.least_time;
        let (mut nanos, mut first_to_last) = (Vec::new(), Vec::new());
        let (mut late, mut look) = (0, effort.min_samples);
        let stop = loop {
            // After a barrier nobody is late, so there will be samples.
            let in_vain = if lab.start() == Start::Barrier { 0 } else { late };
            if let Some(stop) = over_because(lab.interrupt, effort, nanos.len(), in_vain, deadline) {
                // What ended it matters only if the precision was not reached.
                let sure = stop != Stop::Interrupted && (rule.reached(&nanos) || is_exact(lab, &nanos));
                break if sure { Stop::Confidence } else { stop };
            }
            if nanos.len() >= look && over(earliest) {
                if rule.reached(&nanos) {
                    break Stop::Confidence;
                }
                look = nanos.len() + nanos.len() / LOOK_AGAIN + 1;
            }
            let answer = self.one(lab, batch)?;
            if answer.late {
                late += 1;
                if late > nanos.len() as u64 {
                    lab.allow_more_slack();
                }
                let hopeless = if over(deadline) { FEW_LATE } else { MOST_LATE };
                if nanos.is_empty() && late >= hopeless {
                    lab.start_after_barriers();
                }
            } else {
                nanos.push(self.nanos(lab, self.span(&answer), batch));
                if self.timing.metric.clock == Clock::Longest {
                    first_to_last.push(self.nanos(lab, answer.end.since(answer.start), batch));
                }
            }
        };
        Ok(Taken { nanos, first_to_last, late, stop })
    }

    fn span(&self, answer: &Answer) -> Time {
        match self.timing.metric.clock {
            Clock::OnRank(_) | Clock::Longest => answer.elapsed,
            Clock::FirstToLast | Clock::SendToHandler => answer.end.since(answer.start),
        }
    }

    fn nanos<T: Transport>(&self, lab: &Lab<'_, T>, span: Time, batch: u64) -> f64 {
        let one = (span.as_nanos() - lab.empty.nanos(batch)).max(0.0) / batch as f64;
        let one = if self.timing.metric.half { one / 2.0 } else { one };
        // Picoseconds are finer than any clock here, and keep result files short.
        (one * 1e3).round() / 1e3
    }
}

fn over(deadline: Instant) -> bool {
    Instant::now() >= deadline
}

/// Samples that a point gets even when its time is over: fewer would be no distribution.
const LEAST_SAMPLES: usize = 3;
/// Late ones after which there will be no good ones either.
const MOST_LATE: u64 = 64;
/// And if the time is over: a machine on which everybody is late is slow as well.
const FEW_LATE: u64 = 4;

/// Why no more samples should be taken, if so.
pub(super) fn over_because(
    interrupt: &AtomicBool,
    effort: &Effort,
    samples: usize,
    late: u64,
    deadline: Instant,
) -> Option<Stop> {
    if interrupt.load(Ordering::Relaxed) {
        return Some(Stop::Interrupted);
    }
    if samples >= effort.max_samples {
        return Some(Stop::Count);
    }
    let enough = samples >= LEAST_SAMPLES || late >= MOST_LATE;
    (enough && over(deadline)).then_some(Stop::Budget)
}
