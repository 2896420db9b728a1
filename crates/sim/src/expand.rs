//! Runs schedules of collectives without stacks, so that a million ranks are ordinary.
//!
//! A rank is a position in its list of steps; the list is made round by round, since schedules are
//! lazy. A step costs what it costs a rank that runs as a program with a stack: both use
//! [`costs`](crate::costs), and tests compare them to the picosecond.

use std::fmt;

use panto_machine::{Machine, Sharing};
use panto_schedule::{Collective, Schedule, Span, Step};
use panto_units::Time;

use crate::costs;
use crate::engine::{Engine, Envelope, RequestId, Selector};

/// A collective on a machine, with sizes and no bytes.
#[derive(Debug, Clone, Copy)]
pub struct Expansion<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// What messages share.
    pub sharing: Sharing,
    /// The collective that schedules carry out, which may have a network of its own.
    pub collective: Collective,
    /// Size of an element, in bytes.
    pub element: u64,
}

/// Why a schedule does not run to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpansionError {
    /// Some ranks wait for something that never happens.
    Deadlock {
        /// How many are blocked.
        ranks: usize,
        /// The first of them.
        rank: usize,
    },
    /// The run takes longer than virtual time can count.
    TimeOverflow,
}

/// The tag of all messages.
const TAG: u32 = 0;
/// The first tag that wildcards do not match; no message has it.
const RESERVED: u32 = 1;

impl Expansion<'_> {
    /// Starts all ranks at time zero and runs the schedule. Returns when each rank ends.
    pub fn run(&self, schedule: &dyn Schedule) -> Result<Vec<Time>, ExpansionError> {
        let ranks = schedule.ranks();
        let mut engine = Engine::new(self.machine, ranks, self.sharing, RESERVED);
        let mut progress: Vec<Progress> = (0..ranks).map(|_| Progress::default()).collect();
        while let Some(rank) = engine.next_rank() {
            discard_deliveries(&mut engine);
            let mut executor = Executor { expansion: self, schedule, engine: &mut engine, rank };
            if executor.run(&mut progress[rank as usize]) {
                engine.finish(rank);
            }
            discard_deliveries(&mut engine);
        }
        if engine.is_time_exhausted() {
            return Err(ExpansionError::TimeOverflow);
        }
        match progress.iter().position(|rank| !rank.done) {
            Some(rank) => Err(ExpansionError::Deadlock {
                ranks: progress.iter().filter(|rank| !rank.done).count(),
                rank,
            }),
            None => Ok((0..ranks as u32).map(|rank| engine.clock(rank)).collect()),
        }
    }
}

/// Discards deliveries: messages have no bytes.
fn discard_deliveries(engine: &mut Engine) {
    while engine.next_delivery().is_some() {}
}

/// Where a rank is in its schedule.
#[derive(Default)]
struct Progress {
    /// The next round.
    round: usize,
    steps: Vec<Step>,
    /// The current step.
    step: usize,
    /// The next phase of the current step: a step that blocks continues here.
    phase: usize,
    /// Requests started and not waited for; true for receives.
    pending: Vec<(RequestId, bool)>,
    /// The request that the current step waits for.
    waiting_for: Option<RequestId>,
    done: bool,
}

/// Executes the steps of one rank.
struct Executor<'a> {
    expansion: &'a Expansion<'a>,
    schedule: &'a dyn Schedule,
    engine: &'a mut Engine,
    rank: u32,
}

impl Executor<'_> {
    /// Executes steps until the rank blocks. Returns true if it has ended.
    fn run(&mut self, progress: &mut Progress) -> bool {
        loop {
            while progress.step < progress.steps.len() {
                let step = progress.steps[progress.step];
                if !self.step(step, progress) {
                    return false;
                }
                progress.step += 1;
                progress.phase = 0;
            }
            if progress.round == self.schedule.rounds(self.rank as usize) {
                *progress = Progress { done: true, ..Progress::default() };
                return true;
            }
            progress.steps.clear();
            progress.step = 0;
            self.schedule.round(self.rank as usize, progress.round, &mut progress.steps);
            progress.round += 1;
        }
    }

    /// Executes a step from the phase where it was left. Returns false if the rank is blocked.
    fn step(&mut self, step: Step, progress: &mut Progress) -> bool {
        match step {
            Step::Send { to, span } => {
                self.once(progress, 0, |executor, _| executor.work_before(span, false))
                    && self.once(progress, 1, |executor, progress| executor.send(progress, to, span))
                    && self.once(progress, 2, Self::sent)
            }
            Step::Receive { from, .. } => {
                self.once(progress, 0, |executor, progress| executor.receive(progress, from))
                    && self.once(progress, 1, Self::work_after)
            }
            Step::StartSend { to, span } => {
                self.once(progress, 0, |executor, _| executor.work_before(span, true))
                    && self.once(progress, 1, |executor, progress| executor.start_send(progress, to, span))
            }
            Step::StartReceive { from, .. } => {
                self.once(progress, 0, |executor, _| executor.work_to_post())
                    && self.once(progress, 1, |executor, progress| executor.start_receive(progress, from))
            }
            Step::WaitAll => self.wait_all(progress),
            Step::Copy { from, .. } => self.once(progress, 0, |executor, _| executor.copy(from)),
            Step::Reduce { from, .. } => self.once(progress, 0, |executor, _| executor.reduce(from)),
        }
    }

    /// Executes a phase unless it was executed before.
    fn once(
        &mut self,
        progress: &mut Progress,
        phase: usize,
        act: impl FnOnce(&mut Self, &mut Progress) -> bool,
    ) -> bool {
        if progress.phase > phase {
            return true;
        }
        progress.phase = phase + 1;
        act(self, progress)
    }

    fn wait_all(&mut self, progress: &mut Progress) -> bool {
        // Two phases for each request: waiting, and the overhead of a receive.
        while progress.phase < 2 * progress.pending.len() {
            let (request, is_receive) = progress.pending[progress.phase / 2];
            let waiting_for = progress.phase.is_multiple_of(2);
            progress.phase += 1;
            let ready = match (waiting_for, is_receive) {
                (true, _) => {
                    progress.waiting_for = Some(request);
                    self.engine.wait(self.rank, request)
                }
                (false, true) => self.work_after(progress),
                (false, false) => {
                    self.engine.release(request);
                    true
                }
            };
            if !ready {
                return false;
            }
        }
        progress.pending.clear();
        true
    }

    fn send(&mut self, progress: &mut Progress, to: usize, span: Span) -> bool {
        progress.waiting_for = self.post(to, span);
        progress.waiting_for.is_none_or(|request| self.engine.wait(self.rank, request))
    }

    fn sent(&mut self, progress: &mut Progress) -> bool {
        if let Some(request) = progress.waiting_for.take() {
            self.engine.release(request);
        }
        true
    }

    fn start_send(&mut self, progress: &mut Progress, to: usize, span: Span) -> bool {
        let request = self.post(to, span);
        progress.pending.extend(request.map(|request| (request, false)));
        true
    }

    fn post(&mut self, to: usize, span: Span) -> Option<RequestId> {
        let (machine, operation) = (self.expansion.machine, Some(self.expansion.collective));
        let bytes = self.bytes(span);
        let envelope = Envelope {
            to: to as u32,
            tag: TAG,
            bytes,
            network_bytes: costs::network_bytes(machine, operation, bytes),
            collective: operation,
            protocol: costs::standard_protocol(machine, operation, bytes),
            bypass: false,
        };
        self.engine.send(self.rank, envelope).1
    }

    fn receive(&mut self, progress: &mut Progress, from: usize) -> bool {
        let request = self.post_receive(from);
        progress.waiting_for = Some(request);
        self.engine.wait(self.rank, request)
    }

    fn start_receive(&mut self, progress: &mut Progress, from: usize) -> bool {
        let request = self.post_receive(from);
        progress.pending.push((request, true));
        true
    }

    fn post_receive(&mut self, from: usize) -> RequestId {
        self.engine.receive(self.rank, Selector { source: Some(from as u32), tag: Some(TAG) })
    }

    fn work_before(&mut self, span: Span, started: bool) -> bool {
        let (expansion, bytes) = (self.expansion, self.bytes(span));
        let time = costs::send_overhead(expansion.machine, Some(expansion.collective), bytes, started);
        self.engine.work(self.rank, time)
    }

    fn work_to_post(&mut self) -> bool {
        let time = costs::post_overhead(self.expansion.machine, Some(self.expansion.collective));
        self.engine.work(self.rank, time)
    }

    /// Charges the overhead of receiving a message that has arrived.
    fn work_after(&mut self, progress: &mut Progress) -> bool {
        let Some(request) = progress.waiting_for.take() else { return true };
        let Some(completion) = self.engine.completion(request) else { return true };
        self.engine.release(request);
        let expansion = self.expansion;
        let (machine, operation) = (expansion.machine, Some(expansion.collective));
        let time =
            costs::receive_overhead(machine, operation, completion.message.bytes, completion.unexpected);
        self.engine.work(self.rank, time)
    }

    fn copy(&mut self, span: Span) -> bool {
        let time = self.expansion.machine.processor.copy.of(self.bytes(span));
        self.engine.work(self.rank, time)
    }

    fn reduce(&mut self, span: Span) -> bool {
        let time = self.expansion.machine.processor.reduce.of(self.bytes(span));
        self.engine.work(self.rank, time)
    }

    fn bytes(&self, span: Span) -> u64 {
        (span.len as u64).saturating_mul(self.expansion.element)
    }
}

impl fmt::Display for ExpansionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadlock { ranks, rank } => {
                write!(f, "{ranks} ranks are blocked, the first is rank {rank}")
            }
            Self::TimeOverflow => f.write_str("the run exceeds the limit of virtual time, 213 days"),
        }
    }
}

impl std::error::Error for ExpansionError {}
