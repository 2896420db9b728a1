//! Reads the events of one rank and builds its code.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use panto_trace::{
    Action, CallForm, Comm, CommInfo, Comms, CompletionKind, Event, Peer, RankTrace, Ranks, Tables,
};
use panto_units::Time;

use super::call_traits::CallTraits;
use super::channels::CallSite;
use super::code_builder::{COLLECTIVE_SLOTS, CodeBuilder};
use super::collective::NO_COMM;
use super::context::Context;
use super::error::{Error, Result};
use super::repetition::Repetition;
use super::requests::Requests;
use super::suspended_rank::SuspendedRank;
use crate::program::{Code, Op};

/// The most operations of a program: 8 GiB at 16 bytes each.
pub(super) const MAX_OPERATIONS: usize = 1 << 29;

/// The most channels that ranks use: most channels are used by two.
pub(super) const MAX_CHANNELS: usize = 1 << 28;

const THREADS: &str = "threads of a rank compute one after the other, in the order in which their calls returned; operations that a thread starts after calls of others begin where its last call ended; a standard send of a rank with several threads does not block";
const SERIALIZED_THREADS: &str = "threads of a rank compute one after the other, in the order of their calls, which do not overlap (MPI_THREAD_SERIALIZED)";

/// The level of `MPI_THREAD_SERIALIZED` in traces.
const SERIALIZED: u32 = 2;
const SPINS: &str = "a polling loop takes as long as what it waits for";
pub(super) const OUTCOMES: &str =
    "calls such as MPI_Waitany and MPI_Test complete the requests that they completed in the traced run";
const ABORTED: &str = "a rank that calls MPI_Abort ends there, and the others continue";

/// A rank while its events are read.
pub struct RankReader<'w, 'a> {
    pub context: &'w mut Context<'a>,
    pub rank: u32,
    pub code: CodeBuilder,
    /// The helpers of this rank, by communicator and index: number and code.
    pub helpers: FxHashMap<(u32, u32), (u32, CodeBuilder)>,
    pub requests: Requests,
    pub comms: Comms,
    /// The current call.
    pub now: CallSite,
    /// Calls that may repeat.
    pub repetition: Repetition,
    /// The traits of functions, by the number of the name.
    pub(super) call_traits: Vec<Option<CallTraits>>,
    pub(super) computation: Time,
    /// Computation before an event that is not a call, in nanoseconds.
    pub(super) carried: u64,
    /// The thread that calls.
    pub(super) thread: u32,
    /// The operation number at which the last call of each other thread ended.
    pub(super) thread_ends: FxHashMap<u32, u64>,
    /// The operation number at which a second thread first called.
    pub(super) first_switch: u64,
    /// Whether no two calls of threads overlap (`MPI_THREAD_SERIALIZED`).
    pub(super) are_calls_serialized: bool,
}

/// The result of reading a rank.
pub struct RankCode {
    pub code: Code,
    /// The numbers and codes of its helpers.
    pub helpers: Vec<(u32, Code)>,
    pub computation: Time,
}

impl<'w, 'a> RankReader<'w, 'a> {
    /// Reads all events of a rank.
    pub fn read(context: &'w mut Context<'a>, trace: &RankTrace) -> Result<RankCode> {
        if context.dependencies.is_none() {
            context.channels.begin_rank(trace.rank());
        }
        let mut reader = SuspendedRank::new(trace.rank(), CodeBuilder::default()).resume(context);
        let mut events = trace.events();
        while events.position() < reader.limit() {
            reader.skip_repetitions(&mut events)?;
            if events.position() >= reader.limit() {
                break;
            }
            match events.next() {
                Ok(Some(event)) => {
                    if !reader.event(event)? {
                        break;
                    }
                }
                Ok(None) => break,
                // The part before the damage is intact.
                Err(_) if reader.context.options.lenient => break,
                Err(error) => return Err(error.into()),
            }
        }
        reader.end(events.tables())
    }

    /// Returns the number of events that are read.
    #[inline]
    pub(super) fn limit(&self) -> u64 {
        self.context.cut.map_or(u64::MAX, |cut| cut.kept(self.rank))
    }

    /// Returns whether the trace may end before the rank did.
    pub(super) fn may_end_early(&self) -> bool {
        self.context.cut.is_some() || self.context.dependencies.is_some()
    }

    /// Reads an event; returns false if it ends the rank.
    #[inline]
    fn event(&mut self, event: Event<'_>) -> Result<bool> {
        let tells_sites = self.context.options.call_sites;
        // Signatures are many where partners change all the time; functions are few.
        let number = if tells_sites { event.number() } else { event.signature().name.index() };
        let traits = self.traits(number, || (event.name(), event.site().filter(|_| tells_sites)));
        self.now = CallSite { position: event.position(), call: traits.call };
        let action = event.action()?;
        let mut before = event.before().saturating_add(std::mem::take(&mut self.carried));
        if let Action::Initialise { threads } = action {
            // Time begins with MPI_Init: loading the program is not part of it.
            before = 0;
            self.are_calls_serialized = threads == SERIALIZED;
        }
        match action {
            Action::Spin { .. } => {
                self.carried = before;
                self.context.notes.assume(SPINS);
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
        self.code.call(traits.call, before);
        self.repetition.begin_call(!event.is_changed() && is_repeatable(&action));
        self.action(&action, traits, event.tables())?;
        self.repetition.end_call(event.number());
        self.code.start_at(None);
        if self.code.is_full() || self.are_helpers_full() {
            self.fold()?;
        }
        if let Action::Abort { .. } = action {
            self.context.notes.assume(ABORTED);
            self.requests.clear();
            return Ok(false);
        }
        Ok(true)
    }

    #[inline]
    pub(super) fn action(&mut self, action: &Action<'_>, traits: CallTraits, tables: &Tables) -> Result<()> {
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
                if completed.is_empty() && is_test(until) {
                    self.code.push(Op::Poll { times: 1 });
                } else {
                    self.context.notes.assume(OUTCOMES);
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
            Action::Partition { request, arrived, .. } => self.partition(request, traits.is_pready, arrived),
            Action::Collective { .. } => self.collective(action, traits, tables),
            Action::Communicator { parent, comm, request } => {
                self.creation(parent, comm, request, traits.is_by_members_only, tables)
            }
            Action::OneSided { window, target, bytes, request } => {
                self.one_sided(window, target, bytes, request, traits.one_sided, tables)
            }
            Action::File { bytes, request, .. } => self.file(bytes, request),
            Action::Process { .. } => self.unsupported("dynamic processes and sessions cannot be simulated"),
        }
    }

    #[inline]
    pub(super) fn traits<'e>(
        &mut self,
        number: usize,
        names: impl FnOnce() -> (&'e str, Option<&'e panto_trace::CallSite>),
    ) -> CallTraits {
        if let Some(Some(traits)) = self.call_traits.get(number) {
            return *traits;
        }
        let (name, site) = names();
        let traits = CallTraits::new(name, site, &mut self.context.calls);
        if self.call_traits.len() <= number {
            self.call_traits.resize(number + 1, None);
        }
        self.call_traits[number] = Some(traits);
        traits
    }

    /// Returns whether computation is carried over to the next call, or threads take turns.
    #[inline]
    pub(super) fn carries(&self) -> bool {
        self.carried > 0 || self.has_threads()
    }

    /// Adds computation of repeated calls.
    pub(super) fn add_computation(&mut self, time: Time) {
        self.computation = self.computation.saturating_add(time);
    }

    /// Checked every 1,024 calls only, since a rank may have many helpers.
    #[inline]
    fn are_helpers_full(&self) -> bool {
        self.now.position.is_multiple_of(1 << 10) && self.helpers.values().any(|(_, helper)| helper.is_full())
    }

    /// Returns whether several threads have called.
    pub fn has_threads(&self) -> bool {
        !self.thread_ends.is_empty()
    }

    /// Switches to another thread, whose next operations may have begun when its last call ended.
    fn switch_to(&mut self, thread: u32) {
        if self.are_calls_serialized {
            self.context.notes.assume(SERIALIZED_THREADS);
            return self.repetition.forget();
        }
        self.context.notes.assume(THREADS);
        let now = self.code.number();
        if self.thread_ends.is_empty() {
            self.first_switch = now;
        }
        self.thread_ends.insert(self.thread, now);
        self.thread = thread;
        self.code.start_at(Some(*self.thread_ends.get(&thread).unwrap_or(&self.first_switch)));
    }

    /// Folds the operations that cannot change any more.
    fn fold(&mut self) -> Result<()> {
        // A thread that has not called yet may insert operations from the first switch on.
        let oldest = self
            .thread_ends
            .values()
            .copied()
            .chain((!self.thread_ends.is_empty()).then_some(self.first_switch))
            .min();
        self.code.fold(self.requests.first_open().min(oldest.unwrap_or(u64::MAX)));
        for (_, helper) in self.helpers.values_mut() {
            helper.fold(u64::MAX);
        }
        let helper_ops: usize = self.helpers.values().map(|(_, helper)| helper.len()).sum();
        let is_too_long = self.context.operations + self.code.len() + helper_ops > MAX_OPERATIONS
            || self.context.channels.len() > MAX_CHANNELS
            || self.code.slots() > COLLECTIVE_SLOTS;
        if is_too_long {
            return Err(Error::TooLong { rank: self.rank });
        }
        Ok(())
    }

    fn end(mut self, tables: &Tables) -> Result<RankCode> {
        self.code.start_at(None);
        self.end_requests()?;
        self.fold()?;
        self.end_collectives(tables)?;
        let code = self.code.finish();
        let mut helpers: Vec<(u32, Code)> =
            self.helpers.into_values().map(|(number, helper)| (number, helper.finish())).collect();
        helpers.sort_unstable_by_key(|(number, _)| *number);
        let all = helpers.iter().map(|(_, helper)| helper).chain([&code]);
        self.context.operations += all.map(|code| code.ops.len()).sum::<usize>();
        Ok(RankCode { code, helpers, computation: self.computation })
    }

    /// Returns a communicator.
    #[inline]
    pub fn comm(&mut self, comm: Comm, tables: &Tables) -> Result<Rc<CommInfo>> {
        let info = self.comms.get(comm, self.rank, tables, &self.context.world);
        info.ok_or_else(|| self.error(NO_COMM))
    }

    /// Returns a partner as a rank of the program; `None` for `MPI_PROC_NULL`.
    #[inline]
    pub fn partner(&self, comm: &CommInfo, peer: Peer) -> Result<Option<u32>> {
        match peer {
            Peer::Null => Ok(None),
            Peer::Relative(_) => {
                let number = peer.rank(comm.rank).ok_or_else(|| self.error(NO_PARTNER))?;
                self.numbered(comm, number).map(Some)
            }
            Peer::Any | Peer::Root => Err(self.error(NO_PARTNER)),
        }
    }

    /// Returns the partner with a number in a communicator as a rank of the program.
    #[inline]
    pub fn numbered(&self, comm: &CommInfo, number: u32) -> Result<u32> {
        match comm.partners().get(number) {
            Some(Ranks::OUTSIDE) => {
                Err(self.error("the partner is outside MPI_COMM_WORLD, which cannot be simulated"))
            }
            Some(rank) => Ok(rank),
            None => Err(self.error(NO_PARTNER)),
        }
    }
}

const NO_PARTNER: &str = "the partner is outside the communicator; trace the program again";

/// Returns whether a call has no effects but the operations of its rank, as far as its parameters
/// tell.
fn is_repeatable(action: &Action<'_>) -> bool {
    matches!(
        action,
        Action::Send { form: CallForm::Blocking | CallForm::Immediate, .. }
            | Action::Receive { form: CallForm::Blocking | CallForm::Immediate, .. }
            | Action::SendReceive { .. }
            | Action::Start { .. }
            | Action::Complete { .. }
            | Action::Collective { form: CallForm::Blocking, .. }
            | Action::Control { .. }
    )
}

fn is_test(until: CompletionKind) -> bool {
    matches!(
        until,
        CompletionKind::Test | CompletionKind::TestAll | CompletionKind::TestAny | CompletionKind::TestSome
    )
}
