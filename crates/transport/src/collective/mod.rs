//! Collectives: the message layer's own, or any schedule; alone, or beside other work.

mod beside;
mod guarded;
mod helper;
mod persistent;
mod run;
mod uneven;
mod what;

use panto_schedule::{Algorithm, Plan, Problem, rules, schedule};

pub use beside::{Lane, Progress};
pub use guarded::Spilled;
pub use helper::Helper;
pub use persistent::{Carrier, Kept, PersistentCollective};
pub use uneven::{Extents, Parts as BlockParts};
pub use what::What;

use crate::error::{Error, Result};
use crate::message::COLLECTIVE_TAG;
use crate::transport::{Buffers, Transport};
use beside::Flight;
use run::Run;

/// Who carries a collective out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The message layer's own collective; where it has none, what Panto's rules choose.
    Library,
    /// This algorithm.
    Algorithm(Algorithm),
}

/// A collective that is ready to run, again and again: planning costs more than many collectives.
pub struct Prepared {
    problem: Problem,
    element: usize,
    way: Way,
}

enum Way {
    Native,
    Planned { plan: Plan, scratch: Vec<u8>, algorithm: Algorithm },
}

impl Prepared {
    /// Plans a collective over elements of `element` bytes for the calling rank.
    pub fn new<T: Transport>(
        transport: &T,
        problem: Problem,
        element: usize,
        choice: Choice,
    ) -> Result<Self> {
        let way = match choice {
            Choice::Library if transport.has_native(&problem) => Way::Native,
            Choice::Library => {
                let chosen = transport.algorithm(&problem, element);
                plan(
                    transport,
                    &problem,
                    element,
                    chosen.unwrap_or_else(|| rules::for_problem(&problem, element)),
                )?
            }
            Choice::Algorithm(algorithm) => plan(transport, &problem, element, algorithm)?,
        };
        Ok(Self { problem, element, way })
    }

    /// The algorithm that is used; `None` is the message layer's own.
    pub fn algorithm(&self) -> Option<Algorithm> {
        match &self.way {
            Way::Native => None,
            Way::Planned { algorithm, .. } => Some(*algorithm),
        }
    }

    /// Runs it. All ranks of the problem must.
    pub fn run<T: Transport>(&mut self, transport: &T, mut buffers: Buffers<'_>) -> Result<()> {
        self.check(transport.rank(), &buffers)?;
        match &mut self.way {
            Way::Native => transport.run_native(&self.problem, &mut buffers),
            Way::Planned { plan, scratch, .. } => {
                transport.on_behalf_of(Some(self.problem.collective));
                // SAFETY: the sizes were compared with the plan's, and all is borrowed until the run is over.
                let run = unsafe { Run::new(transport, &mut buffers, scratch.as_mut_ptr(), COLLECTIVE_TAG) };
                let outcome = run.all(plan);
                transport.on_behalf_of(None);
                outcome
            }
        }
    }

    /// Starts it, does `work` beside it, and waits for it. All ranks of the problem must run it, and start what they run
    /// beside each other in the same order.
    ///
    /// A schedule goes on only while it is asked about by [`Progress::poll`] or waited for at the end: ranks that wait for
    /// each other in their work must not need it to be complete for that. Collectives that are in flight together need
    /// different lanes.
    ///
    /// If `work` fails, a schedule is cancelled: its lane is not to be used again, because messages of others may still be on
    /// their way. A message layer's own collective cannot be cancelled, and is waited for.
    pub fn run_beside<T, R, E>(
        &mut self,
        transport: &T,
        mut buffers: Buffers<'_>,
        lane: Lane,
        work: impl FnOnce(&mut Progress<'_, T>) -> std::result::Result<R, E>,
    ) -> std::result::Result<R, E>
    where
        T: Transport,
        E: From<Error>,
    {
        self.check(transport.rank(), &buffers)?;
        let mut progress = self.start(transport, &mut buffers, lane)?;
        // Dropped in any case, also when `work` panics: the buffers are free only then.
        let result = work(&mut progress)?;
        progress.finish()?;
        Ok(result)
    }

    fn start<'a, T: Transport>(
        &'a mut self,
        transport: &'a T,
        buffers: &'a mut Buffers<'_>,
        lane: Lane,
    ) -> Result<Progress<'a, T>> {
        let flight = match &mut self.way {
            Way::Native => {
                // SAFETY: the memory is borrowed for `'a`, and the collective is waited for before `'a` ends.
                let handle = unsafe { transport.start_native(&self.problem, buffers) }?;
                // SAFETY: as above.
                unsafe { Flight::of_native(transport, handle) }
            }
            Way::Planned { plan, scratch, .. } => {
                // SAFETY: the sizes were compared with the plan's, and all is borrowed for `'a`.
                let run = unsafe { Run::new(transport, buffers, scratch.as_mut_ptr(), lane.tag()) };
                Flight::of_plan(run, &*plan, self.problem.collective)?
            }
        };
        Ok(Progress::new(flight))
    }

    fn check(&self, rank: usize, buffers: &Buffers<'_>) -> Result<()> {
        // The sizes of one rank say nothing about the spans of another one's plan.
        if let Way::Planned { plan, .. } = &self.way
            && plan.rank() != rank
        {
            let planner = plan.rank();
            return Err(Error::Buffers(format!("rank {rank} ran a collective that rank {planner} prepared")));
        }
        let (input, output) = (self.problem.input_len(rank), self.problem.output_len(rank));
        let fits = buffers.element == self.element
            && buffers.input.len() == input * self.element
            && buffers.output.len() == output * self.element;
        if fits {
            return Ok(());
        }
        Err(Error::Buffers(format!(
            "rank {rank} gave {} bytes of input and {} of output in elements of {}; the collective takes {input} \
             and {output} elements of {}",
            buffers.input.len(),
            buffers.output.len(),
            buffers.element,
            self.element
        )))
    }
}

fn plan<T: Transport>(transport: &T, problem: &Problem, element: usize, algorithm: Algorithm) -> Result<Way> {
    let plan = Plan::new(&*schedule(problem, algorithm)?, transport.rank(), problem.sizes(transport.rank()))?;
    let scratch = vec![0; plan.scratch() * element];
    Ok(Way::Planned { plan, scratch, algorithm })
}
