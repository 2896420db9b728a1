//! Collectives: native ones of the message layer, or schedules; blocking, or overlapped with other
//! work.
//!
//! A schedule (`panto-schedule`) lists the steps of each rank. [`PreparedCollective`] materialises
//! and checks the steps of one rank once (planning costs more than many collectives), and runs them
//! on borrowed buffers. [`PersistentCollective`] owns its buffers, and also runs collectives with
//! blocks of different lengths and those of a user's library.
//!
//! Non-blocking schedules make progress only when polled or waited for, since a rank has no
//! progress thread. Each that is in flight has a [`CollectiveTag`], which keeps its messages apart
//! from others.

mod execute;
mod guarded;
mod layout;
mod nonblocking;
mod persistent;
mod spec;
mod worker;

use panto_schedule::{Algorithm, Plan, Problem, rules, schedule};

pub use guarded::OutOfBoundsWrite;
pub use layout::{BlockLayout, BufferLayouts};
pub use nonblocking::{CollectiveTag, Progress};
pub use persistent::{CollectiveImplementation, PersistentCollective, PersistentOptions};
pub use spec::CollectiveSpec;
pub use worker::WorkerThread;

use crate::error::{Error, Result};
use crate::message::COLLECTIVE_TAG;
use crate::transport::{Buffers, Transport};
use execute::PlanRun;
use nonblocking::InFlight;

/// What executes a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlgorithmChoice {
    /// The message layer's native collective; where it has none, the schedule that Panto's rules
    /// choose.
    Library,
    /// The schedule of this algorithm.
    Algorithm(Algorithm),
}

/// A collective that was planned once and can be run repeatedly.
pub struct PreparedCollective {
    problem: Problem,
    element: usize,
    method: Method,
}

enum Method {
    Native,
    Planned { plan: Plan, scratch: Vec<u8>, algorithm: Algorithm },
}

impl PreparedCollective {
    /// Plans a collective over elements of `element` bytes for the calling rank.
    pub fn new<T: Transport>(
        transport: &T,
        problem: Problem,
        element: usize,
        choice: AlgorithmChoice,
    ) -> Result<Self> {
        let method = match choice {
            AlgorithmChoice::Library if transport.has_native(&problem) => Method::Native,
            AlgorithmChoice::Library => {
                let chosen = transport.algorithm(&problem, element);
                plan(
                    transport,
                    &problem,
                    element,
                    chosen.unwrap_or_else(|| rules::for_problem(&problem, element)),
                )?
            }
            AlgorithmChoice::Algorithm(algorithm) => plan(transport, &problem, element, algorithm)?,
        };
        Ok(Self { problem, element, method })
    }

    /// Returns the algorithm of the schedule; `None` for a native collective.
    pub fn algorithm(&self) -> Option<Algorithm> {
        match &self.method {
            Method::Native => None,
            Method::Planned { algorithm, .. } => Some(*algorithm),
        }
    }

    /// Runs the collective. All ranks of the problem must call this.
    pub fn run<T: Transport>(&mut self, transport: &T, mut buffers: Buffers<'_>) -> Result<()> {
        self.check(transport.rank(), &buffers)?;
        match &mut self.method {
            Method::Native => transport.run_native(&self.problem, &mut buffers),
            Method::Planned { plan, scratch, .. } => {
                transport.set_collective(Some(self.problem.collective));
                // SAFETY: `check` has compared the sizes with the plan's, and everything is
                // borrowed until the run ends.
                let run =
                    unsafe { PlanRun::new(transport, &mut buffers, scratch.as_mut_ptr(), COLLECTIVE_TAG) };
                let outcome = run.run(plan);
                transport.set_collective(None);
                outcome
            }
        }
    }

    /// Starts the collective, runs `work`, and waits for the collective. All ranks of the problem
    /// must call this, and start overlapping collectives in the same order.
    ///
    /// A schedule makes progress only in [`Progress::poll`] and in the wait at the end: ranks that
    /// wait for each other in their work must not depend on its completion. Collectives that are in
    /// flight at the same time need different tags.
    ///
    /// If `work` fails, a schedule is cancelled; its tag must not be used again, because messages
    /// of other ranks may still be in flight. A native collective cannot be cancelled, and is
    /// waited for.
    pub fn run_overlapped<T, R, E>(
        &mut self,
        transport: &T,
        mut buffers: Buffers<'_>,
        tag: CollectiveTag,
        work: impl FnOnce(&mut Progress<'_, T>) -> std::result::Result<R, E>,
    ) -> std::result::Result<R, E>
    where
        T: Transport,
        E: From<Error>,
    {
        self.check(transport.rank(), &buffers)?;
        let mut progress = self.start(transport, &mut buffers, tag)?;
        // Dropped on every path, also when `work` panics: only then are the buffers free.
        let result = work(&mut progress)?;
        progress.finish()?;
        Ok(result)
    }

    fn start<'a, T: Transport>(
        &'a mut self,
        transport: &'a T,
        buffers: &'a mut Buffers<'_>,
        tag: CollectiveTag,
    ) -> Result<Progress<'a, T>> {
        let in_flight = match &mut self.method {
            Method::Native => {
                // SAFETY: the memory is borrowed for `'a`, and dropping the result waits for the
                // collective.
                let handle = unsafe { transport.start_native(&self.problem, buffers) }?;
                // SAFETY: `handle` was started above on memory that is borrowed for `'a`.
                unsafe { InFlight::from_native(transport, handle) }
            }
            Method::Planned { plan, scratch, .. } => {
                // SAFETY: `check` has compared the sizes with the plan's, and everything is
                // borrowed for `'a`.
                let run = unsafe { PlanRun::new(transport, buffers, scratch.as_mut_ptr(), tag.get()) };
                InFlight::from_plan(run, &*plan, self.problem.collective)?
            }
        };
        Ok(Progress::new(in_flight))
    }

    fn check(&self, rank: usize, buffers: &Buffers<'_>) -> Result<()> {
        // A plan is only valid for its rank: another rank's buffers have other sizes.
        if let Method::Planned { plan, .. } = &self.method
            && plan.rank() != rank
        {
            let planner = plan.rank();
            return Err(Error::Buffers(format!(
                "rank {rank} cannot run a collective that was prepared on rank {planner}"
            )));
        }
        let (input, output) = (self.problem.input_len(rank), self.problem.output_len(rank));
        let fits = buffers.element == self.element
            && buffers.input.len() == input * self.element
            && buffers.output.len() == output * self.element;
        if fits {
            return Ok(());
        }
        Err(Error::Buffers(format!(
            "rank {rank} passed {} bytes of input and {} of output with elements of {}; the collective takes \
             {input} and {output} elements of {}",
            buffers.input.len(),
            buffers.output.len(),
            buffers.element,
            self.element
        )))
    }
}

fn plan<T: Transport>(
    transport: &T,
    problem: &Problem,
    element: usize,
    algorithm: Algorithm,
) -> Result<Method> {
    let plan = Plan::new(&*schedule(problem, algorithm)?, transport.rank(), problem.sizes(transport.rank()))?;
    let scratch = vec![0; plan.scratch() * element];
    Ok(Method::Planned { plan, scratch, algorithm })
}
