//! What runs a script on one rank.

use std::time::Instant;

use panto_transport::{Patience, Result, Time, Transport};

use super::comp::{Computer, median, turn};
use super::footprint;
use super::language::Form;
use super::load::Traffic;
use super::operation::{How, Implementation, Progress, Ready, Task, compute_beside, ready, work_beside};
use super::options::Options;
use super::report::Report;
use super::script::{Act, Planned, Script};
use crate::measure::{Checked, Operation, Passage};

/// Bytes of all copies of an operation's buffers: more than most cores have cache of their own (S10).
const ROTATED: u64 = 16 << 20;
/// Copies, at least and at most.
const COPIES: (u64, u64) = (2, 64);
/// Between looks at operations in flight a rank computes so long.
const SLICE: Time = Time::from_nanos(10_000);
/// A delay that lasts longer need not keep a core busy that others are waiting for.
const NAP: Time = Time::from_nanos(200_000);

/// One rank's part of a scenario.
pub(super) struct Runner<'t, T: Transport> {
    transport: &'t T,
    acts: Vec<Act>,
    operations: Vec<Ready<'t, T>>,
    /// Whether each operation is started and waited for later.
    non_blocking: Vec<bool>,
    /// Those that are in flight.
    flying: Vec<usize>,
    /// In the order in which they begin.
    loads: Vec<Traffic<'t, T>>,
    progress: Progress,
    /// Nothing on a clock that only the simulation turns, and where nobody computes.
    computer: Option<Computer>,
    /// From start to stop, each time.
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
        let acts = script.acts(transport.rank());
        let mut operations = Vec::new();
        for (lane, planned) in script.operations.iter().enumerate() {
            let task = Task { call: planned.call, bytes: planned.bytes, root: planned.root };
            let how = How {
                non_blocking: planned.form == Form::NonBlocking,
                progress,
                lane,
                copies: copies(transport, planned),
                patience: options.patience,
            };
            operations.push(ready(transport, &task, who, how)?);
        }
        let mut loads = Vec::new();
        for act in &acts {
            if let Act::Load(load) = act {
                loads.push(Traffic::new(transport, load)?);
            }
        }
        let computes = acts.iter().any(|act| matches!(act, Act::Comp(_))) && !transport.is_virtual();
        Ok(Self {
            transport,
            non_blocking: script.operations.iter().map(|planned| planned.form == Form::NonBlocking).collect(),
            flying: Vec::with_capacity(operations.len()),
            acts,
            operations,
            loads,
            progress,
            computer: computes.then(Computer::new),
            nanos: Vec::new(),
            wrong: None,
        })
    }

    /// What the root should know.
    pub fn report(&mut self) -> Report {
        let (comp_error, comp_cpu_error) = self.computer.as_ref().map_or((None, None), Computer::errors);
        Report {
            nanos: median(&self.nanos).unwrap_or(0.0),
            comp_error,
            comp_cpu_error,
            wrong: self.wrong.take(),
        }
    }

    /// From the start of the clock to its stop.
    fn play(&mut self) -> Result<(Time, Time)> {
        let (mut start, mut stop, mut load) = (Time::ZERO, Time::ZERO, 0);
        for place in 0..self.acts.len() {
            match self.acts[place] {
                Act::Start => start = self.transport.now(),
                Act::Stop => stop = self.transport.now(),
                Act::Issue(operation) => {
                    self.operations[operation].issue()?;
                    if self.non_blocking[operation] {
                        self.flying.push(operation);
                    }
                }
                // A blocking call is over: there is nothing to wait for (S4).
                Act::Sync(operation) if self.non_blocking[operation] => {
                    self.operations[operation].sync()?;
                    self.flying.retain(|other| *other != operation);
                }
                Act::Sync(_) => {}
                Act::Delay(time) => self.delay(time)?,
                Act::Comp(time) => self.compute(time)?,
                Act::Load(_) => {
                    self.loads[load].start()?;
                    load += 1;
                }
            }
        }
        Ok((start, stop))
    }

    /// Waits without a look at the network.
    fn delay(&self, time: Time) -> Result<()> {
        let end = self.transport.now() + time;
        if time > NAP && self.transport.oversubscribed() {
            self.transport.wait_until(Time::from_picos(end.as_picos() - NAP.as_picos()), Patience::Sleep)?;
        }
        self.transport.wait_until(end, Patience::Spin)
    }

    /// Computes, and notes how long that took; looks at what is in flight are not counted.
    fn compute(&mut self, time: Time) -> Result<()> {
        let beside = !self.flying.is_empty();
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

    /// Looks at what is in flight between slices.
    fn in_slices(&mut self, time: Time) -> Result<Time> {
        let (mut left, mut took) = (time, Time::ZERO);
        while left > Time::ZERO {
            let slice = left.min(SLICE);
            took = took + self.alone(slice);
            left = left.since(slice);
            for &operation in &self.flying {
                self.operations[operation].poll()?;
            }
        }
        Ok(took)
    }
}

impl<T: Transport> Runner<'_, T> {
    /// Computes while somebody else looks after what is in flight.
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

    /// What is done after the clock has stopped: messages of loads arrive, and the speed of computations is looked at.
    fn settle(&mut self) -> Result<()> {
        self.loads.iter_mut().try_for_each(Traffic::end)?;
        let Some(computer) = &mut self.computer else { return Ok(()) };
        let computations = self.acts.iter().filter_map(|act| match act {
            Act::Comp(time) => Some(*time),
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

    /// The scenario says itself when a participant starts and stops.
    fn pass<U: Transport>(
        &mut self,
        _transport: &U,
        _repetitions: u64,
        together: impl FnOnce() -> Result<bool>,
    ) -> Result<Passage> {
        let late = together()?;
        let span = self.play()?;
        self.settle()?;
        self.nanos.push(span.1.since(span.0).as_nanos());
        Ok(Passage { late, span: Some(span) })
    }

    /// Wrong data is no reason to stop: it is what the user wants to know of an implementation. The root hears of it at the end.
    fn verify(&mut self) -> Checked {
        let seen = self.operations.iter_mut().find_map(|operation| operation.verify().err());
        self.wrong = self.wrong.take().or(seen);
        Ok(())
    }
}

/// How many sets of buffers take turns: enough for those of the last run to be gone from the caches. A simulated machine has none.
fn copies<T: Transport>(transport: &T, planned: &Planned) -> usize {
    if transport.is_virtual() || !planned.call.has_data() {
        return 1;
    }
    let (least, most) = COPIES;
    (ROTATED / footprint(planned.call, planned.bytes, transport.size()).max(1)).clamp(least, most) as usize
}
