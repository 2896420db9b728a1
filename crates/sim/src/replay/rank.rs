//! Reads the events of one rank, and makes its code of them.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use panto_trace::{Action, Comm, Event, Peer, RankTrace, Ranks, Tables, Until};
use panto_units::Time;

use super::channels::Place;
use super::code::{Builder, TEAM};
use super::comms::{Comms, Known};
use super::error::{Error, Result};
use super::names::Name;
use super::requests::Requests;
use super::shared::Shared;
use crate::program::{Act, Code};

/// More operations are not believed to fit in memory: eight GiB.
const MOST_OPERATIONS: usize = 1 << 29;

/// Nor are more channels.
const MOST_CHANNELS: usize = 1 << 27;

const THREADS: &str = "threads of a rank compute one after the other, in the order in which their calls returned; what a thread starts after others have called begins where its last call ended; and a standard send of one of several threads holds nobody up";
const SPINS: &str = "a program that looks again and again waits, and takes no longer than what it waits for";
const OUTCOMES: &str = "requests are completed by the same calls as in the traced run, in the same order";
const ABORTED: &str = "a rank that calls MPI_Abort ends there, and the others go on";

/// One rank, while its events are read.
pub struct Walk<'w, 'a> {
    pub shared: &'w mut Shared<'a>,
    pub rank: u32,
    pub code: Builder,
    /// Helpers of this rank, by communicator and lane.
    pub helpers: FxHashMap<(u32, u32), (u32, Builder)>,
    pub requests: Requests,
    pub comms: Comms,
    /// The call that is read.
    pub now: Place,
    /// What functions mean, by signature.
    names: Vec<Option<Name>>,
    computation: Time,
    /// Computation before an event that is no call.
    carried: u64,
    /// Who calls, and where the last call of each other thread ended; where the first of these was seen.
    thread: u32,
    places: FxHashMap<u32, u64>,
    born: u64,
}

/// What a rank does.
pub struct Read {
    pub code: Code,
    /// Numbers and codes of its helpers.
    pub helpers: Vec<(u32, Code)>,
    pub computation: Time,
}

impl<'w, 'a> Walk<'w, 'a> {
    /// Reads a rank to its end.
    pub fn read(shared: &'w mut Shared<'a>, trace: &RankTrace) -> Result<Read> {
        let mut walk = Self {
            shared,
            rank: trace.rank(),
            code: Builder::default(),
            helpers: FxHashMap::default(),
            requests: Requests::default(),
            comms: Comms::default(),
            now: Place::default(),
            names: Vec::new(),
            computation: Time::ZERO,
            carried: 0,
            thread: 0,
            places: FxHashMap::default(),
            born: 0,
        };
        let mut events = trace.events();
        loop {
            match events.next() {
                Ok(Some(event)) => {
                    if !walk.event(event)? {
                        break;
                    }
                }
                Ok(None) => break,
                // The part before the damage is sound.
                Err(_) if walk.shared.options.lenient => break,
                Err(error) => return Err(error.into()),
            }
        }
        walk.end(events.tables())
    }

    /// Reads an event; false if it is the rank's last.
    #[inline]
    fn event(&mut self, event: Event<'_>) -> Result<bool> {
        let name = self.name(event);
        self.now = Place { position: event.position(), call: name.call };
        let action = event.action()?;
        let mut before = event.before().saturating_add(std::mem::take(&mut self.carried));
        if let Action::Initialise { .. } = action {
            // Loading the program is none of its work: time begins when MPI does.
            before = 0;
        }
        match action {
            Action::Spin { .. } => {
                self.carried = before;
                self.shared.notes.assume(SPINS);
                return Ok(true);
            }
            Action::Thread { thread } => {
                self.carried = before;
                self.switch_to(thread);
                return Ok(true);
            }
            _ => {}
        }
        let before = Time::from_picos(before.saturating_mul(1_000));
        self.computation = self.computation.saturating_add(before);
        self.code.call(name.call, before);
        self.action(&action, name, event.tables())?;
        self.code.start_at(None);
        if self.code.is_full() || self.are_helpers_full() {
            self.fold()?;
        }
        if let Action::Abort { .. } = action {
            self.shared.notes.assume(ABORTED);
            self.requests.forget_all();
            return Ok(false);
        }
        Ok(true)
    }

    #[inline]
    fn action(&mut self, action: &Action<'_>, name: Name, tables: &Tables) -> Result<()> {
        match *action {
            Action::Initialise { .. }
            | Action::Finalise {}
            | Action::Abort { .. }
            | Action::Release { .. }
            | Action::Control { .. }
            | Action::Spin { .. }
            | Action::Thread { .. } => Ok(()),
            Action::Send { .. } => self.send(action, tables),
            Action::Receive { .. } => self.receive(action, tables),
            Action::SendReceive { .. } => self.send_receive(action, tables),
            Action::Start { requests } => self.start(requests),
            Action::Complete { until, requests, completed, outcomes } => {
                self.complete(requests, completed, outcomes)?;
                if completed.is_empty() && is_look(until) {
                    self.code.push(Act::Poll { times: 1 });
                } else {
                    self.shared.notes.assume(OUTCOMES);
                }
                Ok(())
            }
            Action::Probe { .. } => self.probe(action, tables),
            Action::ReceiveTaken { message, request, .. } => self.receive_taken(message, request),
            Action::Cancel { request } => {
                self.requests.cancel(request);
                Ok(())
            }
            Action::Free { request } => self.free(request),
            Action::Partition { request, arrived, .. } => self.partition(request, name.is_ready, arrived),
            Action::Collective { .. } => self.collective(action, name, tables),
            Action::Communicator { parent, comm, request } => {
                self.creation(parent, comm, request, name.is_by_some, tables)
            }
            Action::OneSided { window, target, bytes, request } => {
                self.one_sided(window, target, bytes, request, name.deed, tables)
            }
            Action::File { bytes, request, .. } => self.file(bytes, request),
            Action::Process { .. } => {
                self.lack("processes from outside of MPI_COMM_WORLD, and sessions, cannot be simulated")
            }
        }
    }

    #[inline]
    fn name(&mut self, event: Event<'_>) -> Name {
        let number = event.number();
        if let Some(Some(name)) = self.names.get(number) {
            return *name;
        }
        let name = Name::new(event.name(), &mut self.shared.calls);
        if self.names.len() <= number {
            self.names.resize(number + 1, None);
        }
        self.names[number] = Some(name);
        name
    }

    /// Looked at now and then: a rank may have many helpers.
    #[inline]
    fn are_helpers_full(&self) -> bool {
        self.now.position.is_multiple_of(1 << 10) && self.helpers.values().any(|(_, helper)| helper.is_full())
    }

    /// Have several threads called?
    pub fn has_threads(&self) -> bool {
        !self.places.is_empty()
    }

    /// What follows was called by another thread: it may have begun when that thread's last call ended.
    fn switch_to(&mut self, thread: u32) {
        self.shared.notes.assume(THREADS);
        let now = self.code.number();
        if self.places.is_empty() {
            self.born = now;
        }
        self.places.insert(self.thread, now);
        self.thread = thread;
        self.code.start_at(Some(*self.places.get(&thread).unwrap_or(&self.born)));
    }

    /// Folds what cannot change any more.
    fn fold(&mut self) -> Result<()> {
        // A thread that has not called yet may have been there since there were several.
        let oldest =
            self.places.values().copied().chain((!self.places.is_empty()).then_some(self.born)).min();
        self.code.fold(self.requests.first_open().min(oldest.unwrap_or(u64::MAX)));
        for (_, helper) in self.helpers.values_mut() {
            helper.fold(u64::MAX);
        }
        let helping: usize = self.helpers.values().map(|(_, helper)| helper.len()).sum();
        let are_too_many = self.shared.operations + self.code.len() + helping > MOST_OPERATIONS
            || self.shared.channels.len() > MOST_CHANNELS
            || self.code.slots() > TEAM;
        if are_too_many {
            return Err(Error::TooLong { rank: self.rank });
        }
        Ok(())
    }

    fn end(mut self, tables: &Tables) -> Result<Read> {
        self.code.start_at(None);
        self.end_requests()?;
        self.fold()?;
        self.end_collectives(tables)?;
        let code = self.code.finish();
        let mut helpers: Vec<(u32, Code)> =
            self.helpers.into_values().map(|(number, helper)| (number, helper.finish())).collect();
        helpers.sort_unstable_by_key(|(number, _)| *number);
        let all = helpers.iter().map(|(_, helper)| helper).chain([&code]);
        self.shared.operations += all.map(|code| code.ops.len()).sum::<usize>();
        Ok(Read { code, helpers, computation: self.computation })
    }

    /// A communicator that an event names.
    #[inline]
    pub fn comm(&mut self, comm: Comm, tables: &Tables) -> Result<Rc<Known>> {
        let known = self.comms.get(comm, self.rank, tables, &self.shared.world);
        known.ok_or_else(|| self.error("its communicator is not in the trace; trace the program again"))
    }

    /// A partner in a communicator, as a rank of the program; none if it is nobody.
    #[inline]
    pub fn partner(&self, comm: &Known, peer: Peer) -> Result<Option<u32>> {
        match peer {
            Peer::Nobody => Ok(None),
            Peer::Relative(_) => {
                let number = peer.rank(comm.rank).ok_or_else(|| self.error(NO_PARTNER))?;
                self.numbered(comm, number).map(Some)
            }
            Peer::Any | Peer::Here => Err(self.error(NO_PARTNER)),
        }
    }

    /// The partner with a number in a communicator.
    #[inline]
    pub fn numbered(&self, comm: &Known, number: u32) -> Result<u32> {
        match comm.partners().get(number) {
            Some(Ranks::OUTSIDE) => Err(self.error(
                "its partner is not in MPI_COMM_WORLD, and so not in the trace; such a program cannot be simulated",
            )),
            Some(rank) => Ok(rank),
            None => Err(self.error(NO_PARTNER)),
        }
    }
}

const NO_PARTNER: &str = "its partner is outside of the communicator; trace the program again";

fn is_look(until: Until) -> bool {
    matches!(until, Until::Test | Until::TestAll | Until::TestAny | Until::TestSome)
}
