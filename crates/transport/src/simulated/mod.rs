//! Ranks on a machine that need not exist: coroutines in one thread, in the virtual time of a model (P21).
//!
//! Each rank has a stack from one `arena`. What it asks of the message layer goes to the `panto-sim` engine, which knows
//! sizes and times; the bytes themselves are moved here (`core`), so that kernels can verify them. An operation that can be
//! answered at once costs a function call; one that must wait switches to the next rank that can go on.

mod arena;
mod core;
mod endpoint;
mod handle;
mod listening;
mod meaning;
mod meter;
mod noise;
mod posting;
mod rank;
mod report;
mod shape;
mod waiting;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use corosensei::{Coroutine, CoroutineResult};
use panto_machine::Machine;
use panto_schedule::{Algorithm, HopShape, Problem, schedule};
use panto_sim::{Expansion, Jam};
use panto_units::Time;

pub use endpoint::Endpoint;
pub use handle::Handle;
pub use panto_sim::Model;

use crate::error::Error;
use crate::outcome::{Stopped, first_cause, panic_text};
use crate::transport::Transport;
use crate::world::World;
use arena::{Arena, ArenaStack};
use core::Core;
use noise::ClockNoise;

/// A world on a modelled machine.
#[derive(Debug, Clone)]
pub struct Simulated {
    machine: Arc<Machine>,
    model: Model,
    measured: bool,
    stack: Option<usize>,
    noise: Option<ClockNoise>,
}

/// More than this and even the guards of their stacks take long to set up.
const MOST_RANKS: usize = 1 << 17;
/// Ranks without stacks: more would need more memory than most have.
const MOST_EXPANDED: usize = 1 << 24;
/// Bytes of stack where there are few ranks, and where there are many.
const STACK: usize = 256 << 10;
const SMALL_STACK: usize = 64 << 10;
const FEW: usize = 4_096;

impl Simulated {
    /// On this machine. What ranks compute is declared: by [`Transport::charge`] and [`Transport::compute`].
    pub fn new(machine: Arc<Machine>, model: Model) -> Self {
        Self { machine, model, measured: false, stack: None, noise: None }
    }

    /// What ranks compute between their calls is measured on the host, and scaled by the machine's `processor.speed`. Then
    /// no two runs are alike.
    #[must_use]
    pub fn measured(self) -> Self {
        Self { measured: true, ..self }
    }

    /// Bytes of stack for each rank, rounded up to whole pages.
    #[must_use]
    pub fn with_stack(self, bytes: usize) -> Self {
        Self { stack: Some(bytes.next_multiple_of(4096).max(16 << 10)), ..self }
    }

    /// Ranks do not read the clock exactly: an interval that a rank looks at is off by a random factor with the standard deviation
    /// `relative`, at most a quarter; a share of `outliers` of them is from twice to ten times too long. The same seed gives the
    /// same run. The simulation itself stays exact, and so does what serves the measurement ([`Transport::set_aside`]).
    #[must_use]
    pub fn with_timing_noise(self, seed: u64, relative: f64, outliers: f64) -> Self {
        let noise =
            ClockNoise { seed, relative: relative.clamp(0.0, 0.25), outliers: outliers.clamp(0.0, 1.0) };
        Self { noise: Some(noise), ..self }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// How far its ranks are from each other, in the words that kernels know. Meant to be asked once in a run.
    pub fn shape(&self, ranks: usize) -> HopShape {
        shape::listed(&self.machine.network, ranks)
    }

    /// How messages get in each other's way.
    pub fn model(&self) -> Model {
        self.model
    }

    fn stack(&self, ranks: usize) -> usize {
        self.stack.unwrap_or(if ranks <= FEW { STACK } else { SMALL_STACK })
    }

    fn check(&self, ranks: usize) -> Result<(), Error> {
        if ranks == 0 || ranks > MOST_RANKS {
            return Err(Error::Start(format!("{ranks} ranks: a simulated machine runs 1 to {MOST_RANKS}")));
        }
        self.machine.check_ranks(ranks).map_err(|error| Error::Start(error.to_string()))
    }
}

impl World for Simulated {
    type Endpoint = Endpoint;

    fn most_ranks(&self) -> usize {
        MOST_RANKS
    }

    fn expand(
        &self,
        problem: &Problem,
        element: usize,
        algorithm: Option<Algorithm>,
    ) -> Result<(Algorithm, Time), Error> {
        let ranks = problem.ranks;
        if ranks > MOST_EXPANDED {
            return Err(Error::Start(format!("{ranks} ranks: there can be at most {MOST_EXPANDED}")));
        }
        self.machine.check_ranks(ranks).map_err(|error| Error::Start(error.to_string()))?;
        let algorithm = algorithm.unwrap_or_else(|| self.machine.algorithm(problem, element));
        let (machine, model) = (&*self.machine, self.model);
        let expansion = Expansion { machine, model, collective: problem.collective, element: element as u64 };
        let ends = expansion.run(&*schedule(problem, algorithm)?);
        let ends = ends.map_err(|jam| match jam {
            Jam::EndOfTime => Error::EndOfTime,
            jam @ Jam::Stuck { .. } => Error::Deadlock(format!("  {jam}").into()),
        })?;
        Ok((algorithm, ends.into_iter().max().unwrap_or_default()))
    }

    fn run<R, E, F>(&self, ranks: usize, body: F) -> Result<Vec<R>, E>
    where
        R: Send,
        E: From<Error> + Display + Send,
        F: Fn(&Endpoint) -> Result<R, E> + Sync,
    {
        self.check(ranks)?;
        let core =
            Rc::new(Core::new(Arc::clone(&self.machine), ranks, self.model, self.measured, self.noise));
        let arena = Arena::new(ranks, self.stack(ranks))?;
        let mut crew = Crew { members: Vec::with_capacity(ranks), outcomes: Vec::with_capacity(ranks), core };
        for rank in 0..ranks {
            crew.enlist(arena.stack(rank), rank as u32, &body);
        }
        crew.work();
        first_cause(std::mem::take(&mut crew.outcomes).into_iter().flatten(), crew.core.failure())
    }
}

/// What a rank returned, or why it did not.
type Outcome<R, E> = Result<R, Stopped<E>>;

/// The ranks, as coroutines.
struct Crew<R, E> {
    members: Vec<Coroutine<(), (), Outcome<R, E>, ArenaStack>>,
    outcomes: Vec<Option<Outcome<R, E>>>,
    core: Rc<Core>,
}

impl<R, E: Display> Crew<R, E> {
    fn enlist<F: Fn(&Endpoint) -> Result<R, E>>(&mut self, stack: ArenaStack, rank: u32, body: &F) {
        let core = Rc::clone(&self.core);
        let program = move |yielder: &corosensei::Yielder<(), ()>, ()| {
            // SAFETY: the yielder lives as long as this coroutine, and the endpoint does not leave it.
            let endpoint = unsafe { Endpoint::new(rank, core, yielder) };
            listening::runs(&endpoint);
            run_rank(&endpoint, body)
        };
        // SAFETY: the coroutine borrows `body`, which outlives the crew; both are gone when `run` returns.
        self.members.push(unsafe { Coroutine::with_stack_unchecked(stack, program) });
        self.outcomes.push(None);
    }

    /// Runs the ranks until all are done, or nobody can go on.
    fn work(&mut self) {
        while self.core.failure().is_none() {
            let Some(rank) = self.core.tell(panto_sim::Engine::turn) else { break };
            self.resume(rank as usize);
        }
        if self.outcomes.iter().any(Option::is_none) && self.core.failure().is_none() {
            let ranks = self.members.len();
            let stuck = self.core.tell(|engine| (!engine.is_over()).then(|| report::deadlock(engine, ranks)));
            self.core.fail(stuck.map_or(Error::EndOfTime, |report| Error::Deadlock(report.into())));
        }
        // Whoever waits hears of the failure, and goes home.
        for rank in 0..self.members.len() {
            while self.outcomes[rank].is_none() {
                self.resume(rank);
            }
        }
    }

    fn resume(&mut self, rank: usize) {
        let result = listening::while_ranks_run(|| self.members[rank].resume(()));
        if let CoroutineResult::Return(outcome) = result {
            self.outcomes[rank] = Some(outcome);
            self.core.tell(|engine| engine.finish(rank as u32));
        }
    }
}

impl<R, E> Drop for Crew<R, E> {
    /// Ranks that are still suspended when their scheduler unwinds are unwound too: from then on no bytes are moved, because
    /// their buffers go one by one.
    fn drop(&mut self) {
        self.core.fail(Error::Start("the world is gone".into()));
    }
}

fn run_rank<R, E: Display>(endpoint: &Endpoint, body: &impl Fn(&Endpoint) -> Result<R, E>) -> Outcome<R, E> {
    let outcome = catch_unwind(AssertUnwindSafe(|| body(endpoint)));
    let echo = endpoint.core.failure().is_some();
    match outcome {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => {
            // The world may have failed before, and this error be only its echo.
            let cause = endpoint.abort(&error.to_string());
            Err(if echo { Stopped::World(cause) } else { Stopped::Failed(error) })
        }
        Err(panic) => {
            Err(Stopped::World(endpoint.abort(&format!("it panicked: {}", panic_text(panic.as_ref())))))
        }
    }
}
