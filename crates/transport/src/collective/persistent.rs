//! Persistent collectives: they own their buffers and are started repeatedly.

use std::rc::Rc;

use panto_schedule::{Algorithm, BlockProblem, Collective, Plan, Problem, rules, schedule};

use super::AlgorithmChoice;
use super::execute::PlanRun;
use super::guarded::{GuardedBuffer, OutOfBoundsWrite};
use super::layout::BufferLayouts;
use super::nonblocking::{CollectiveTag, InFlight};
use super::spec::CollectiveSpec;
use crate::error::{Error, Result};
use crate::message::COLLECTIVE_TAG;
use crate::reduce_op::ReduceOp;
use crate::transport::{Buffers, Transport};
use crate::user_implementation::{Session, UserImplementation};

/// What executes a collective.
#[derive(Debug, Clone)]
pub enum CollectiveImplementation {
    /// The message layer, or a schedule.
    BuiltIn(AlgorithmChoice),
    /// A user's shared library.
    User(UserImplementation),
}

/// Options of a persistent collective.
#[derive(Debug, Clone, Copy)]
pub struct PersistentOptions {
    /// The tag that keeps it apart from other collectives in flight. Without one it can only be run
    /// blocking.
    pub tag: Option<CollectiveTag>,
    /// The number of buffer sets that are used in turn; at least one. Several keep recently used
    /// buffers out of the caches.
    pub buffer_sets: usize,
}

/// A collective that owns its buffers, like [`PersistentSend`](crate::PersistentSend).
///
/// ```
/// # use panto_schedule::{Algorithm, Collective, Problem};
/// # use panto_transport::{CollectiveImplementation, AlgorithmChoice, Error, PersistentOptions, CollectiveTag, NO_REDUCTION, PersistentCollective, Transport, CollectiveSpec};
/// fn tell_all(t: &impl Transport) -> Result<(), Error> {
///     let problem = Problem { collective: Collective::Broadcast, ranks: t.size(), root: 0, count: 1 };
///     let spec = CollectiveSpec::Even { problem, element: 1, combine: NO_REDUCTION };
///     let by = CollectiveImplementation::BuiltIn(AlgorithmChoice::Algorithm(Algorithm::Binomial));
///     let options = PersistentOptions { tag: Some(CollectiveTag::ALL[0]), buffer_sets: 1 };
///     let mut broadcast = PersistentCollective::new(t, &spec, &by, options)?;
///     for number in 0..10 {
///         let (_, output) = broadcast.buffers_mut(0).ok_or(Error::AlreadyStarted)?;
///         output[0] = if t.rank() == 0 { number } else { 0 };
///         broadcast.start()?;
///         while !broadcast.poll()? {}
///         assert_eq!(broadcast.buffers(0).ok_or(Error::AlreadyStarted)?.1, [number]);
///     }
///     Ok(())
/// }
/// ```
pub struct PersistentCollective<'t, T: Transport> {
    // First, because fields are dropped in order and this one uses those below.
    in_flight: Option<Started<'t, T>>,
    transport: &'t T,
    method: Method<'t, T>,
    sets: Vec<BufferSet>,
    /// The index of the next set.
    next: usize,
    element: usize,
    combine: ReduceOp,
    collective: Collective,
    tag: Option<CollectiveTag>,
}

/// The buffers of one start.
struct BufferSet {
    input: GuardedBuffer,
    output: GuardedBuffer,
}

enum Method<'t, T: Transport> {
    Native(Problem),
    NativeBlocks(BlockProblem, BufferLayouts),
    Planned { plan: Rc<Plan>, scratch: GuardedBuffer, algorithm: Algorithm },
    User(Box<Session<'t, T>>),
}

enum Started<'t, T: Transport> {
    BuiltIn(InFlight<'t, T, Rc<Plan>>),
    /// In flight in the session.
    User,
}

impl<'t, T: Transport> PersistentCollective<'t, T> {
    /// Makes a persistent collective for the calling rank. All ranks must make the same one.
    pub fn new(
        transport: &'t T,
        spec: &CollectiveSpec,
        implementation: &CollectiveImplementation,
        options: PersistentOptions,
    ) -> Result<Self> {
        let (rank, ranks) = (transport.rank(), transport.size());
        if spec.ranks() != ranks {
            let planned = spec.ranks();
            return Err(Error::Buffers(format!(
                "the collective has {planned} ranks, but the world has {ranks}"
            )));
        }
        let (input, output) = spec.bytes(rank);
        let set = |_| BufferSet { input: GuardedBuffer::new(input), output: GuardedBuffer::new(output) };
        let tag = options.tag.map_or(COLLECTIVE_TAG, CollectiveTag::get);
        let method = match implementation {
            CollectiveImplementation::BuiltIn(choice) => built_in(transport, spec, *choice)?,
            CollectiveImplementation::User(user) => {
                Method::User(Box::new(Session::new(transport, *user, spec, tag)?))
            }
        };
        Ok(Self {
            in_flight: None,
            transport,
            method,
            sets: (0..options.buffer_sets.max(1)).map(set).collect(),
            next: 0,
            element: spec.element(),
            combine: spec.combine(),
            collective: spec.collective(),
            tag: options.tag,
        })
    }

    /// Returns the algorithm of the schedule; `None` for native and user-supplied implementations.
    pub fn algorithm(&self) -> Option<Algorithm> {
        match &self.method {
            Method::Planned { algorithm, .. } => Some(*algorithm),
            _ => None,
        }
    }

    /// Returns the number of buffer sets.
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// Returns input and output of a set; `None` while the collective is started.
    pub fn buffers(&self, set: usize) -> Option<(&[u8], &[u8])> {
        let set = self.sets.get(set).filter(|_| self.in_flight.is_none())?;
        // SAFETY: the collective is not in flight, and starting it needs `&mut self`.
        Some(unsafe { (set.input.bytes(), set.output.bytes()) })
    }

    /// Returns input and output of a set for changing them; `None` while the collective is started.
    pub fn buffers_mut(&mut self, set: usize) -> Option<(&mut [u8], &mut [u8])> {
        let set = self.sets.get_mut(set).filter(|_| self.in_flight.is_none())?;
        // SAFETY: the collective is not in flight, and starting it needs `&mut self`.
        Some(unsafe { (set.input.bytes_mut(), set.output.bytes_mut()) })
    }

    /// Returns an error if there was a write just outside of the buffers of a set. The guards are
    /// reset.
    pub fn check_guards(&mut self, set: usize) -> std::result::Result<(), OutOfBoundsWrite> {
        let Some(set) = self.sets.get_mut(set) else { return Ok(()) };
        let found = set.input.check().and_then(|()| set.output.check());
        if found.is_err() {
            set.input.reset_guards();
            set.output.reset_guards();
        }
        found
    }

    /// Runs the collective blocking, on the next set of buffers. All ranks must call this.
    pub fn run(&mut self) -> Result<()> {
        if self.in_flight.is_some() {
            return Err(Error::AlreadyStarted);
        }
        let (transport, set) = (self.transport, next_set(&mut self.next, &mut self.sets));
        // SAFETY: the collective is not in flight.
        let mut buffers = unsafe { set.buffers(self.element, self.combine) };
        match &mut self.method {
            Method::Native(problem) => transport.run_native(problem, &mut buffers),
            Method::NativeBlocks(problem, layouts) => {
                transport.run_native_blocks(problem, layouts, &mut buffers)
            }
            Method::Planned { plan, scratch, .. } => {
                transport.set_collective(Some(self.collective));
                // SAFETY: the sizes are the plan's, and everything is borrowed until the run ends.
                let run = unsafe { PlanRun::new(transport, &mut buffers, scratch.start(), COLLECTIVE_TAG) };
                let outcome = run.run(plan);
                transport.set_collective(None);
                outcome
            }
            Method::User(session) => session.run(&mut buffers),
        }
    }

    /// Starts the collective on the next set of buffers. All ranks must call this, and start
    /// collectives that are in flight together in the same order. Returns an error, and changes
    /// nothing, if it is started already.
    pub fn start(&mut self) -> Result<()> {
        if self.in_flight.is_some() {
            return Err(Error::AlreadyStarted);
        }
        let Some(tag) = self.tag else {
            return Err(Error::Unsupported("non-blocking start of a collective without a tag"));
        };
        let (transport, set) = (self.transport, next_set(&mut self.next, &mut self.sets));
        // SAFETY: the collective is not in flight.
        let mut buffers = unsafe { set.buffers(self.element, self.combine) };
        self.in_flight = Some(match &mut self.method {
            Method::Native(problem) => {
                // SAFETY: the buffers stay at their addresses and are not given out while
                // `in_flight` is set; dropping it waits for the collective.
                let handle = unsafe { transport.start_native(problem, &mut buffers) }?;
                // SAFETY: `handle` was started above on memory that stays valid until `in_flight`
                // is dropped.
                Started::BuiltIn(unsafe { InFlight::from_native(transport, handle) })
            }
            Method::NativeBlocks(problem, layouts) => {
                // SAFETY: as above. `layouts` is not changed, and is dropped after `in_flight`.
                let handle = unsafe { transport.start_native_blocks(problem, layouts, &mut buffers) }?;
                // SAFETY: `handle` was started above on memory that stays valid until `in_flight`
                // is dropped.
                Started::BuiltIn(unsafe { InFlight::from_native(transport, handle) })
            }
            Method::Planned { plan, scratch, .. } => {
                // SAFETY: the sizes are the plan's. Buffers and scratch stay at their addresses and
                // are not given out while `in_flight` is set; dropping it cancels what is left.
                let run = unsafe { PlanRun::new(transport, &mut buffers, scratch.start(), tag.get()) };
                Started::BuiltIn(InFlight::from_plan(run, Rc::clone(plan), self.collective)?)
            }
            Method::User(session) => {
                // SAFETY: as above. The session is dropped before the buffers, and cancels what is
                // left.
                unsafe { session.start(&mut buffers) }?;
                Started::User
            }
        });
        Ok(())
    }

    /// Advances the collective as far as possible without blocking. Returns whether it is complete
    /// or was not started.
    pub fn poll(&mut self) -> Result<bool> {
        let outcome = match (&mut self.in_flight, &mut self.method) {
            (None, _) => return Ok(true),
            (Some(Started::BuiltIn(in_flight)), _) => in_flight.poll(),
            (Some(Started::User), Method::User(session)) => session.poll(),
            (Some(Started::User), _) => Ok(true),
        };
        if outcome != Ok(false) {
            self.in_flight = None;
        }
        outcome
    }

    /// Waits for the collective. Returns at once if it is not started.
    pub fn wait(&mut self) -> Result<()> {
        let outcome = match (&mut self.in_flight, &mut self.method) {
            (Some(Started::BuiltIn(in_flight)), _) => in_flight.wait(),
            (Some(Started::User), Method::User(session)) => session.wait(),
            _ => Ok(()),
        };
        self.in_flight = None;
        outcome
    }
}

impl BufferSet {
    /// Returns the buffers for a start.
    ///
    /// # Safety
    /// No operation may be using the buffers.
    unsafe fn buffers(&mut self, element: usize, combine: ReduceOp) -> Buffers<'_> {
        // SAFETY: the caller promises that no operation uses the buffers.
        let (input, output) = unsafe { (self.input.bytes(), self.output.bytes_mut()) };
        Buffers { input, output, element, combine }
    }
}

/// Returns the next set in turn.
fn next_set<'s>(next: &mut usize, sets: &'s mut [BufferSet]) -> &'s mut BufferSet {
    let turn = *next;
    *next = if turn + 1 == sets.len() { 0 } else { turn + 1 };
    &mut sets[turn]
}

fn built_in<'t, T: Transport>(
    transport: &'t T,
    spec: &CollectiveSpec,
    choice: AlgorithmChoice,
) -> Result<Method<'t, T>> {
    let (rank, element) = (transport.rank(), spec.element());
    let (plan, algorithm) = match spec {
        CollectiveSpec::Even { problem, .. } => {
            if choice == AlgorithmChoice::Library && transport.has_native(problem) {
                return Ok(Method::Native(*problem));
            }
            let algorithm = match choice {
                AlgorithmChoice::Algorithm(algorithm) => algorithm,
                AlgorithmChoice::Library => transport
                    .algorithm(problem, element)
                    .unwrap_or_else(|| rules::for_problem(problem, element)),
            };
            (Plan::new(&*schedule(problem, algorithm)?, rank, problem.sizes(rank))?, algorithm)
        }
        CollectiveSpec::Blocks(problem) => {
            if choice == AlgorithmChoice::Library && transport.has_native_blocks() {
                transport.prepare_native_blocks(problem)?;
                return Ok(Method::NativeBlocks(problem.clone(), BufferLayouts::new(problem, rank)?));
            }
            let algorithm = match choice {
                AlgorithmChoice::Algorithm(algorithm) => algorithm,
                AlgorithmChoice::Library => problem.collective.algorithms()[0],
            };
            (Plan::new(&*problem.schedule(algorithm)?, rank, problem.sizes(rank))?, algorithm)
        }
    };
    let scratch = GuardedBuffer::new(plan.scratch() * element);
    Ok(Method::Planned { plan: Rc::new(plan), scratch, algorithm })
}
