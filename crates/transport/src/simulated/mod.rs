//! Ranks on a simulated machine: coroutines in one thread, in the virtual time of a model (P21).
//!
//! Each rank is a coroutine (`corosensei`) with a stack from one `arena`. Its calls of the message
//! layer go to the engine of `panto-sim`, which knows sizes and times but no bytes; the bytes are
//! copied here (`shared`), so that kernels can verify them. An operation that can complete at once
//! is a function call; one that must wait suspends the coroutine, and the `Scheduler` resumes the
//! rank that the engine names next.
//!
//! Invariants:
//!
//! - All ranks of a world run on one thread, so nothing is locked, and every run is identical.
//! - Bytes are copied when a send starts and when its receive is matched. The engine holds no
//!   pointer into a rank's memory except that of a posted receive.
//! - A world that has failed copies no bytes: ranks return from their calls with an error, and
//!   their buffers are freed one by one.
//! - Virtual time advances only by modelled messages and by declared or measured computation
//!   ([`Transport::charge`], [`Transport::compute`], [`Simulated::measured`]).
//!
//! Cost: a switch between coroutines takes some tens of nanoseconds; memory is one touched stack
//! page or more per rank. `World::expand` needs no stacks at all, but runs only schedules.

mod arena;
mod contending;
mod endpoint;
mod handle;
mod handlers;
mod meter;
mod noise;
mod posting;
mod rank;
mod report;
mod semantics;
mod shape;
mod shared;
mod waiting;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use corosensei::{Coroutine, CoroutineResult};
use panto_machine::Machine;
use panto_schedule::{Algorithm, HopShape, Problem, schedule};
use panto_sim::{Expansion, ExpansionError};
use panto_units::Time;

pub use contending::ContendingMessages;
pub use endpoint::Endpoint;
pub use handle::Handle;
pub use panto_sim::Sharing;

use crate::error::Error;
use crate::outcome::{RankFailure, first_failure, panic_text};
use crate::transport::Transport;
use crate::world::World;
use arena::{Arena, ArenaStack};
use noise::ClockNoise;
use shared::Shared;

/// A world on a modelled machine.
#[derive(Debug, Clone)]
pub struct Simulated {
    machine: Arc<Machine>,
    sharing: Sharing,
    measured: bool,
    stack: Option<usize>,
    noise: Option<ClockNoise>,
}

/// Maximum number of ranks with stacks. Above this, setting up guard pages takes long.
const MAX_RANKS: usize = 1 << 17;
/// Maximum number of ranks without stacks, which is limited by memory.
const MAX_EXPANDED_RANKS: usize = 1 << 24;
/// Bytes of stack per rank: for up to `FEW_RANKS` ranks, and for more.
const STACK: usize = 256 << 10;
const SMALL_STACK: usize = 64 << 10;
const FEW_RANKS: usize = 4_096;

impl Simulated {
    /// Makes a world on this machine. Computation is declared by [`Transport::charge`] and
    /// [`Transport::compute`].
    pub fn new(machine: Arc<Machine>, sharing: Sharing) -> Self {
        Self { machine, sharing, measured: false, stack: None, noise: None }
    }

    /// Measures on the host what ranks compute between calls, and scales it by the machine's
    /// `processor.speed`. Runs are not reproducible then.
    #[must_use]
    pub fn measured(self) -> Self {
        Self { measured: true, ..self }
    }

    /// Sets the bytes of stack per rank, rounded up to whole pages.
    #[must_use]
    pub fn with_stack(self, bytes: usize) -> Self {
        Self { stack: Some(bytes.next_multiple_of(4096).max(16 << 10)), ..self }
    }

    /// Makes ranks read the clock with noise: an interval is off by a random factor with the
    /// standard deviation `relative`, at most a quarter; a share of `outliers` of them is two to
    /// ten times too long. The same seed gives the same run. The simulation itself stays exact, and
    /// so does what is [out of band](Transport::set_out_of_band).
    #[must_use]
    pub fn with_timing_noise(self, seed: u64, relative: f64, outliers: f64) -> Self {
        let noise =
            ClockNoise { seed, relative: relative.clamp(0.0, 0.25), outliers: outliers.clamp(0.0, 1.0) };
        Self { noise: Some(noise), ..self }
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the distances between ranks, as a shape that kernels know. To be called once per
    /// run: a table of distances is leaked.
    pub fn shape(&self, ranks: usize) -> HopShape {
        shape::listed(&self.machine.network, ranks)
    }

    /// Returns two messages between four of the first `ranks` ranks that share a link; `None` if no
    /// two do, or if links are not shared.
    pub fn contending_messages(&self, ranks: usize) -> Option<ContendingMessages> {
        match self.sharing {
            Sharing::Links => contending::messages(&self.machine.network, ranks),
            Sharing::None | Sharing::Endpoints => None,
        }
    }

    /// Returns what messages share.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    fn stack(&self, ranks: usize) -> usize {
        self.stack.unwrap_or(if ranks <= FEW_RANKS { STACK } else { SMALL_STACK })
    }

    fn check(&self, ranks: usize) -> Result<(), Error> {
        if ranks == 0 || ranks > MAX_RANKS {
            return Err(Error::Start(format!("{ranks} ranks: a simulated machine runs 1 to {MAX_RANKS}")));
        }
        self.machine.check_ranks(ranks).map_err(|error| Error::Start(error.to_string()))
    }
}

impl World for Simulated {
    type Endpoint = Endpoint;

    fn max_ranks(&self) -> usize {
        MAX_RANKS
    }

    fn expand(
        &self,
        problem: &Problem,
        element: usize,
        algorithm: Option<Algorithm>,
    ) -> Result<(Algorithm, Time), Error> {
        let ranks = problem.ranks;
        if ranks > MAX_EXPANDED_RANKS {
            return Err(Error::Start(format!(
                "{ranks} ranks: a schedule can be simulated on at most {MAX_EXPANDED_RANKS}"
            )));
        }
        self.machine.check_ranks(ranks).map_err(|error| Error::Start(error.to_string()))?;
        let algorithm = algorithm.unwrap_or_else(|| self.machine.algorithm(problem, element));
        let (machine, sharing) = (&*self.machine, self.sharing);
        let expansion =
            Expansion { machine, sharing, collective: problem.collective, element: element as u64 };
        let ends = expansion.run(&*schedule(problem, algorithm)?);
        let ends = ends.map_err(|jam| match jam {
            ExpansionError::TimeOverflow => Error::TimeOverflow,
            error @ ExpansionError::Deadlock { .. } => Error::Deadlock(format!("  {error}").into()),
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
        let shared =
            Rc::new(Shared::new(Arc::clone(&self.machine), ranks, self.sharing, self.measured, self.noise));
        let arena = Arena::new(ranks, self.stack(ranks))?;
        let mut scheduler =
            Scheduler { coroutines: Vec::with_capacity(ranks), outcomes: Vec::with_capacity(ranks), shared };
        for rank in 0..ranks {
            scheduler.spawn(arena.stack(rank), rank as u32, &body);
        }
        scheduler.run();
        first_failure(
            std::mem::take(&mut scheduler.outcomes).into_iter().flatten(),
            scheduler.shared.failure(),
        )
    }
}

/// What a rank returned, or why it did not.
type Outcome<R, E> = Result<R, RankFailure<E>>;

/// Resumes ranks, which are coroutines, in the engine's order.
struct Scheduler<R, E> {
    coroutines: Vec<Coroutine<(), (), Outcome<R, E>, ArenaStack>>,
    outcomes: Vec<Option<Outcome<R, E>>>,
    shared: Rc<Shared>,
}

impl<R, E: Display> Scheduler<R, E> {
    fn spawn<F: Fn(&Endpoint) -> Result<R, E>>(&mut self, stack: ArenaStack, rank: u32, body: &F) {
        let shared = Rc::clone(&self.shared);
        let program = move |yielder: &corosensei::Yielder<(), ()>, ()| {
            // SAFETY: the yielder lives as long as this coroutine, and the endpoint does not leave
            // it.
            let endpoint = unsafe { Endpoint::new(rank, shared, yielder) };
            handlers::set_running(&endpoint);
            run_rank(&endpoint, body)
        };
        // SAFETY: the coroutine borrows `body`, which outlives the scheduler; coroutines are
        // dropped before `World::run` returns.
        self.coroutines.push(unsafe { Coroutine::with_stack_unchecked(stack, program) });
        self.outcomes.push(None);
    }

    /// Runs the ranks until all have finished, or until there is a deadlock.
    fn run(&mut self) {
        while self.shared.failure().is_none() {
            let Some(rank) = self.shared.with_engine(panto_sim::Engine::next_rank) else { break };
            self.resume(rank as usize);
        }
        if self.outcomes.iter().any(Option::is_none) && self.shared.failure().is_none() {
            let ranks = self.coroutines.len();
            let stuck = self
                .shared
                .with_engine(|engine| (!engine.is_time_exhausted()).then(|| report::deadlock(engine, ranks)));
            self.shared.fail(stuck.map_or(Error::TimeOverflow, |report| Error::Deadlock(report.into())));
        }
        // Ranks that are blocked return from their calls with the failure.
        for rank in 0..self.coroutines.len() {
            while self.outcomes[rank].is_none() {
                self.resume(rank);
            }
        }
    }

    fn resume(&mut self, rank: usize) {
        let result = handlers::preserving_running(|| self.coroutines[rank].resume(()));
        if let CoroutineResult::Return(outcome) = result {
            self.outcomes[rank] = Some(outcome);
            self.shared.with_engine(|engine| engine.finish(rank as u32));
        }
    }
}

impl<R, E> Drop for Scheduler<R, E> {
    /// Marks the world as failed. Ranks that are still suspended when the scheduler unwinds are
    /// unwound too, and their buffers freed one by one: no bytes may be copied from then on.
    fn drop(&mut self) {
        self.shared.fail(Error::Start("the world has ended".into()));
    }
}

fn run_rank<R, E: Display>(endpoint: &Endpoint, body: &impl Fn(&Endpoint) -> Result<R, E>) -> Outcome<R, E> {
    let outcome = catch_unwind(AssertUnwindSafe(|| body(endpoint)));
    let echo = endpoint.shared.failure().is_some();
    match outcome {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => {
            // The world may have failed before, and this error only be a consequence.
            let cause = endpoint.abort(&error.to_string());
            Err(if echo { RankFailure::World(cause) } else { RankFailure::Own(error) })
        }
        Err(panic) => {
            Err(RankFailure::World(endpoint.abort(&format!("panicked: {}", panic_text(panic.as_ref())))))
        }
    }
}
