//! Runs a script on one rank.

use std::time::Instant;

use panto_transport::{Result, Time, Transport, WaitPolicy};

use super::computer::{Computer, median, turn};
use super::footprint;
use super::language::Form;
use super::load::BackgroundMessages;
use super::operation::{
    CallOptions, Implementation, Progress, Ready, Task, compute_beside, ready, work_beside,
};
use super::options::Options;
use super::report::Report;
use super::script::{Instruction, Planned, Script};
use crate::measure::{BatchOutcome, Checked, Operation};

/// Bytes of all copies of an operation's buffers: more than the private caches of most cores (S10).
const ROTATED: u64 = 16 << 20;
/// Least and most copies.
const COPIES: (u64, u64) = (2, 64);
/// Time of computation between two polls of operations in flight.
const SLICE: Time = Time::from_nanos(10_000);
/// Delay from which on the rank sleeps, so that it does not keep a core from others.
const SLEEP_FROM: Time = Time::from_nanos(200_000);

/// A scenario from one rank's side.
pub(super) struct Runner<'t, T: Transport> {
    transport: &'t T,
    acts: Vec<Instruction>,
    operations: Vec<Ready<'t, T>>,
    /// Whether each operation is non-blocking.
    non_blocking: Vec<bool>,
    /// Operations in flight.
    in_flight: Vec<usize>,
    /// Loads in the order in which they start.
    loads: Vec<BackgroundMessages<'t, T>>,
    progress: Progress,
    /// `None` on a virtual clock, and where no computation is needed.
    computer: Option<Computer>,
    /// Times from start to stop.
    nanos: Vec<f64>,
    wrong: Option<String>,
}

impl<'t, T: Transport> Runner<'t, T> {
    pub fn new(
        transport: &'t T,
        script: &Script<'_>,
        who: &Implementation,
        progress: Progress,
        options: &Options,
    ) -> crate::Result<Self> {
        let acts = script.instructions(transport.rank());
        let mut operations = Vec::new();
        for (tag_index, planned) in script.operations.iter().enumerate() {
            let task = Task { call: planned.call, bytes: planned.bytes, root: planned.root };
            let how = CallOptions {
                non_blocking: planned.form == Form::NonBlocking,
                progress,
                tag_index,
                copies: copies(transport, planned),
                patience: options.patience,
            };
            operations.push(ready(transport, &task, who, how)?);
        }
        let mut loads = Vec::new();
        for act in &acts {
            if let Instruction::Load(load) = act {
                loads.push(BackgroundMessages::new(transport, load)?);
            }
        }
        let computes = acts.iter().any(|act| matches!(act, Instruction::Comp(_))) && !transport.is_virtual();
        Ok(Self {
            transport,
            non_blocking: script.operations.iter().map(|planned| planned.form == Form::NonBlocking).collect(),
            in_flight: Vec::with_capacity(operations.len()),
            acts,
            operations,
            loads,
            progress,
            computer: computes.then(Computer::new),
            nanos: Vec::new(),
            wrong: None,
        })
    }

    /// Runs once without measuring. An algorithm of the message layer that does not fit the number
    /// of ranks or the size fails here, on all ranks.
    pub fn trial(&mut self) -> Result<()> {
        self.prepare(0);
        self.run()
    }

    /// Returns the report for the root.
    pub fn report(&mut self) -> Report {
        let (comp_error, comp_cpu_error) = self.computer.as_ref().map_or((None, None), Computer::errors);
        Report {
            nanos: median(&self.nanos).unwrap_or(0.0),
            comp_error,
            comp_cpu_error,
            wrong: self.wrong.take(),
        }
    }

    /// Runs from the start of the clock to its stop.
    fn play(&mut self) -> Result<(Time, Time)> {
        let (mut start, mut stop, mut load) = (Time::ZERO, Time::ZERO, 0);
        for place in 0..self.acts.len() {
            match self.acts[place] {
                Instruction::Start => start = self.transport.now(),
                Instruction::Stop => stop = self.transport.now(),
                Instruction::Issue(operation) => {
                    self.operations[operation].issue()?;
                    if self.non_blocking[operation] {
                        self.in_flight.push(operation);
                    }
                }
                // A blocking call is complete: there is nothing to wait for (S4).
                Instruction::Sync(operation) if self.non_blocking[operation] => {
                    self.operations[operation].sync()?;
                    self.in_flight.retain(|other| *other != operation);
                }
                Instruction::Sync(_) => {}
                Instruction::Delay(time) => self.delay(time)?,
                Instruction::Comp(time) => self.compute(time)?,
                Instruction::Load(_) => {
                    self.loads[load].start()?;
                    load += 1;
                }
            }
        }
        Ok((start, stop))
    }

    /// Waits without polling the network.
    fn delay(&self, time: Time) -> Result<()> {
        let end = self.transport.now() + time;
        if time > SLEEP_FROM && self.transport.oversubscribed() {
            self.transport
                .wait_until(Time::from_picos(end.as_picos() - SLEEP_FROM.as_picos()), WaitPolicy::Sleep)?;
        }
        self.transport.wait_until(end, WaitPolicy::Spin)
    }

    /// Computes, and records how long that took; polls of operations in flight are not counted.
    fn compute(&mut self, time: Time) -> Result<()> {
        let beside = !self.in_flight.is_empty();
        let took = match self.progress {
            Progress::Poll if beside => self.in_slices(time)?,
            Progress::Helper if beside => self.beside(time)?,
            _ => self.alone(time),
        };
        if let Some(computer) = &mut self.computer {
            computer.note(time, took);
        }
        Ok(())
    }

    fn alone(&self, time: Time) -> Time {
        let Some(computer) = &self.computer else {
            self.transport.compute(time);
            return time;
        };
        let turns = computer.turns(time);
        let start = self.transport.now();
        turn(turns);
        self.transport.now().since(start)
    }

    /// Computes in slices, and polls operations in flight between them.
    fn in_slices(&mut self, time: Time) -> Result<Time> {
        let (mut left, mut took) = (time, Time::ZERO);
        while left > Time::ZERO {
            let slice = left.min(SLICE);
            took = took + self.alone(slice);
            left = left.since(slice);
            for &operation in &self.in_flight {
                self.operations[operation].poll()?;
            }
        }
        Ok(took)
    }
}

impl<T: Transport> Runner<'_, T> {
    /// Computes while the helper progresses what is in flight.
    fn beside(&mut self, time: Time) -> Result<Time> {
        let Some(computer) = &self.computer else {
            return compute_beside(self.transport, &mut self.operations, time).map(|()| time);
        };
        let turns = computer.turns(time);
        let mut took = Time::ZERO;
        work_beside(&mut self.operations, || {
            let start = Instant::now();
            turn(turns);
            took = start.elapsed().into();
        })?;
        Ok(took)
    }

    /// Runs after the clock has stopped: messages of loads arrive, and the speed of computations is
    /// checked.
    fn settle(&mut self) -> Result<()> {
        self.loads.iter_mut().try_for_each(BackgroundMessages::end)?;
        let Some(computer) = &mut self.computer else { return Ok(()) };
        let computations = self.acts.iter().filter_map(|act| match act {
            Instruction::Comp(time) => Some(*time),
            _ => None,
        });
        computer.look(computations.max().unwrap_or_default());
        Ok(())
    }
}

impl<T: Transport> Operation for Runner<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.operations.iter_mut().for_each(|operation| operation.prepare(round));
    }

    fn run(&mut self) -> Result<()> {
        self.play().map(drop)
    }

    /// Runs one pass; the scenario itself defines when a participant starts and stops.
    fn run_batch<U: Transport>(
        &mut self,
        _transport: &U,
        _repetitions: u64,
        together: impl FnOnce() -> Result<bool>,
    ) -> Result<BatchOutcome> {
        let late = together()?;
        let span = self.play()?;
        self.settle()?;
        self.nanos.push(span.1.since(span.0).as_nanos());
        Ok(BatchOutcome { late, span: Some(span) })
    }

    /// Records wrong data without stopping: it is a result about an implementation. The root gets
    /// it at the end.
    fn verify(&mut self) -> Checked {
        let seen = self.operations.iter_mut().find_map(|operation| operation.verify().err());
        self.wrong = self.wrong.take().or(seen);
        Ok(())
    }
}

/// Returns the number of alternating sets of buffers: enough for those of the last run to be
/// evicted from the caches. A simulated machine has no caches.
fn copies<T: Transport>(transport: &T, planned: &Planned) -> usize {
    if transport.is_virtual() || !planned.call.has_data() {
        return 1;
    }
    let (least, most) = COPIES;
    (ROTATED / footprint(planned.call, planned.bytes, transport.size()).max(1)).clamp(least, most) as usize
}
