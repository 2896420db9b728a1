//! Collectives that own their buffers, and are started again and again.

use std::rc::Rc;

use panto_schedule::{Algorithm, Collective, Plan, Problem, UnevenProblem, rules, schedule};

use super::Choice;
use super::beside::{Flight, Lane};
use super::guarded::{Guarded, Spilled};
use super::run::Run;
use super::uneven::Extents;
use super::what::What;
use crate::combine::Combine;
use crate::error::{Error, Result};
use crate::foreign::{Foreign, Session};
use crate::message::COLLECTIVE_TAG;
use crate::transport::{Buffers, Transport};

/// Who carries a collective out.
#[derive(Debug, Clone)]
pub enum Carrier {
    /// The message layer, or a schedule.
    Choice(Choice),
    /// Somebody else's code.
    Foreign(Foreign),
}

/// How a persistent collective is kept.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// What keeps it apart from others in flight; without one it can only be run as a whole.
    pub lane: Option<Lane>,
    /// Sets of buffers that take turns; at least one.
    pub sets: usize,
}

/// A collective that owns its buffers, like [`PersistentSend`](crate::PersistentSend).
///
/// ```
/// # use panto_schedule::{Algorithm, Collective, Problem};
/// # use panto_transport::{Carrier, Choice, Error, Kept, Lane, NO_COMBINE, PersistentCollective, Transport, What};
/// fn tell_all(t: &impl Transport) -> Result<(), Error> {
///     let problem = Problem { collective: Collective::Broadcast, ranks: t.size(), root: 0, count: 1 };
///     let what = What::Even { problem, element: 1, combine: NO_COMBINE };
///     let by = Carrier::Choice(Choice::Algorithm(Algorithm::Binomial));
///     let kept = Kept { lane: Some(Lane::ALL[0]), sets: 1 };
///     let mut broadcast = PersistentCollective::new(t, &what, &by, kept)?;
///     for number in 0..10 {
///         let (_, output) = broadcast.buffers_mut(0).ok_or(Error::Started)?;
///         output[0] = if t.rank() == 0 { number } else { 0 };
///         broadcast.start()?;
///         while !broadcast.poll()? {}
///         assert_eq!(broadcast.buffers(0).ok_or(Error::Started)?.1, [number]);
///     }
///     Ok(())
/// }
/// ```
pub struct PersistentCollective<'t, T: Transport> {
    // First, because it is dropped first: it uses what comes after it.
    flight: Option<InFlight<'t, T>>,
    transport: &'t T,
    way: Way<'t, T>,
    sets: Vec<Set>,
    /// Which set is next, and which was used last.
    next: usize,
    element: usize,
    combine: Combine,
    collective: Collective,
    lane: Option<Lane>,
}

/// The buffers of one start.
struct Set {
    input: Guarded,
    output: Guarded,
}

enum Way<'t, T: Transport> {
    Native(Problem),
    NativeUneven(UnevenProblem, Extents),
    Planned { plan: Rc<Plan>, scratch: Guarded, algorithm: Algorithm },
    Foreign(Box<Session<'t, T>>),
}

enum InFlight<'t, T: Transport> {
    Own(Flight<'t, T, Rc<Plan>>),
    /// The session itself knows.
    Foreign,
}

impl<'t, T: Transport> PersistentCollective<'t, T> {
    /// Makes one for the calling rank. All ranks of the problem must make the same.
    pub fn new(transport: &'t T, what: &What, by: &Carrier, kept: Kept) -> Result<Self> {
        let (rank, ranks) = (transport.rank(), transport.size());
        if what.ranks() != ranks {
            let planned = what.ranks();
            return Err(Error::Buffers(format!(
                "a collective of {planned} ranks was planned in a world of {ranks}"
            )));
        }
        let (input, output) = what.bytes(rank);
        let set = |_| Set { input: Guarded::new(input), output: Guarded::new(output) };
        let tag = kept.lane.map_or(COLLECTIVE_TAG, Lane::tag);
        let way = match by {
            Carrier::Choice(choice) => own_way(transport, what, *choice)?,
            Carrier::Foreign(foreign) => {
                Way::Foreign(Box::new(Session::new(transport, *foreign, what, tag)?))
            }
        };
        Ok(Self {
            flight: None,
            transport,
            way,
            sets: (0..kept.sets.max(1)).map(set).collect(),
            next: 0,
            element: what.element(),
            combine: what.combine(),
            collective: what.collective(),
            lane: kept.lane,
        })
    }

    /// The algorithm that is used; `None` is the message layer's own, or somebody else's.
    pub fn algorithm(&self) -> Option<Algorithm> {
        match &self.way {
            Way::Planned { algorithm, .. } => Some(*algorithm),
            _ => None,
        }
    }

    /// How many sets of buffers take turns.
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// Input and output of a set; `None` while the collective is started.
    pub fn buffers(&self, set: usize) -> Option<(&[u8], &[u8])> {
        let set = self.sets.get(set).filter(|_| self.flight.is_none())?;
        Some((set.input.bytes(), set.output.bytes()))
    }

    /// The same, to change them.
    pub fn buffers_mut(&mut self, set: usize) -> Option<(&mut [u8], &mut [u8])> {
        let set = self.sets.get_mut(set).filter(|_| self.flight.is_none())?;
        Some((set.input.bytes_mut(), set.output.bytes_mut()))
    }

    /// Has nobody written beyond the buffers of a set? What was found is mended.
    pub fn check_guards(&mut self, set: usize) -> std::result::Result<(), Spilled> {
        let Some(set) = self.sets.get_mut(set) else { return Ok(()) };
        let found = set.input.check().and_then(|()| set.output.check());
        if found.is_err() {
            set.input.mend();
            set.output.mend();
        }
        found
    }

    /// Runs it as a whole, on the next set of buffers. All ranks must.
    pub fn run(&mut self) -> Result<()> {
        if self.flight.is_some() {
            return Err(Error::Started);
        }
        let (transport, set) = (self.transport, take_turn(&mut self.next, &mut self.sets));
        let mut buffers = set.lend(self.element, self.combine);
        match &mut self.way {
            Way::Native(problem) => transport.run_native(problem, &mut buffers),
            Way::NativeUneven(problem, extents) => {
                transport.run_native_uneven(problem, extents, &mut buffers)
            }
            Way::Planned { plan, scratch, .. } => {
                transport.on_behalf_of(Some(self.collective));
                // SAFETY: the sizes are the plan's, and all is borrowed until the run is over.
                let run = unsafe { Run::new(transport, &mut buffers, scratch.start(), COLLECTIVE_TAG) };
                let outcome = run.all(plan);
                transport.on_behalf_of(None);
                outcome
            }
            Way::Foreign(session) => session.run(&mut buffers),
        }
    }

    /// Starts it on the next set of buffers. All ranks must, and start what is in flight together in the same order. Starting it
    /// again before it is complete is an error, and changes nothing.
    pub fn start(&mut self) -> Result<()> {
        if self.flight.is_some() {
            return Err(Error::Started);
        }
        let Some(lane) = self.lane else { return Err(Error::Unsupported("lane for this collective")) };
        let (transport, set) = (self.transport, take_turn(&mut self.next, &mut self.sets));
        let mut buffers = set.lend(self.element, self.combine);
        self.flight = Some(match &mut self.way {
            Way::Native(problem) => {
                // SAFETY: buffers stay at their places and are lent to nobody until the flight is dropped, which waits.
                let handle = unsafe { transport.start_native(problem, &mut buffers) }?;
                // SAFETY: as above.
                InFlight::Own(unsafe { Flight::of_native(transport, handle) })
            }
            Way::NativeUneven(problem, extents) => {
                // SAFETY: as above, and the extents are not changed before they are dropped, after the flight.
                let handle = unsafe { transport.start_native_uneven(problem, extents, &mut buffers) }?;
                // SAFETY: as above.
                InFlight::Own(unsafe { Flight::of_native(transport, handle) })
            }
            Way::Planned { plan, scratch, .. } => {
                // SAFETY: the sizes are the plan's; buffers and scratch stay at their places, and are lent to nobody until the
                // flight is dropped, which cancels what is left.
                let run = unsafe { Run::new(transport, &mut buffers, scratch.start(), lane.tag()) };
                InFlight::Own(Flight::of_plan(run, Rc::clone(plan), self.collective)?)
            }
            Way::Foreign(session) => {
                // SAFETY: as above; the session is dropped before the buffers, and cancels what is left.
                unsafe { session.start(&mut buffers) }?;
                InFlight::Foreign
            }
        });
        Ok(())
    }

    /// Lets it go on as far as it can without waiting. Is it complete, or not started at all?
    pub fn poll(&mut self) -> Result<bool> {
        let outcome = match (&mut self.flight, &mut self.way) {
            (None, _) => return Ok(true),
            (Some(InFlight::Own(flight)), _) => flight.poll(),
            (Some(InFlight::Foreign), Way::Foreign(session)) => session.poll(),
            (Some(InFlight::Foreign), _) => Ok(true),
        };
        if outcome != Ok(false) {
            self.flight = None;
        }
        outcome
    }

    /// Waits for it. Waiting for one that is not started is over at once.
    pub fn wait(&mut self) -> Result<()> {
        let outcome = match (&mut self.flight, &mut self.way) {
            (Some(InFlight::Own(flight)), _) => flight.wait(),
            (Some(InFlight::Foreign), Way::Foreign(session)) => session.wait(),
            _ => Ok(()),
        };
        self.flight = None;
        outcome
    }
}

impl Set {
    /// The buffers for a start, as raw as they need to be: nobody looks at them before it is complete.
    fn lend(&mut self, element: usize, combine: Combine) -> Buffers<'_> {
        Buffers { input: self.input.bytes(), output: self.output.bytes_mut(), element, combine }
    }
}

/// The set whose turn it is.
fn take_turn<'s>(next: &mut usize, sets: &'s mut [Set]) -> &'s mut Set {
    let turn = *next;
    *next = if turn + 1 == sets.len() { 0 } else { turn + 1 };
    &mut sets[turn]
}

fn own_way<'t, T: Transport>(transport: &'t T, what: &What, choice: Choice) -> Result<Way<'t, T>> {
    let (rank, element) = (transport.rank(), what.element());
    let (plan, algorithm) = match what {
        What::Even { problem, .. } => {
            if choice == Choice::Library && transport.has_native(problem) {
                return Ok(Way::Native(*problem));
            }
            let algorithm = match choice {
                Choice::Algorithm(algorithm) => algorithm,
                Choice::Library => transport
                    .algorithm(problem, element)
                    .unwrap_or_else(|| rules::for_problem(problem, element)),
            };
            (Plan::new(&*schedule(problem, algorithm)?, rank, problem.sizes(rank))?, algorithm)
        }
        What::Uneven(problem) => {
            if choice == Choice::Library && transport.has_native_uneven() {
                return Ok(Way::NativeUneven(problem.clone(), Extents::new(problem, rank)?));
            }
            let algorithm = match choice {
                Choice::Algorithm(algorithm) => algorithm,
                Choice::Library => problem.collective.algorithms()[0],
            };
            (Plan::new(&*problem.schedule(algorithm)?, rank, problem.sizes(rank))?, algorithm)
        }
    };
    let scratch = Guarded::new(plan.scratch() * element);
    Ok(Way::Planned { plan: Rc::new(plan), scratch, algorithm })
}
