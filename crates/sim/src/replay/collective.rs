//! Collective calls: agreement with the other members, and who carries them out.
//!
//! A blocking collective is carried out by the ranks themselves. A non-blocking or persistent one
//! is carried out by a *helper* beside each rank, which begins when the rank calls and reports its
//! end by a message that takes no time: it proceeds while the rank computes, as with perfect
//! asynchronous progress.

use std::rc::Rc;

use panto_trace::{Action, CallForm, Comm, CommInfo, Ranks, Slot, Tables};

use super::agreement::{Agreement, CollectiveInstance, InstanceKind};
use super::call_traits::CallTraits;
use super::channels::ChannelKey;
use super::code_builder::CodeBuilder;
use super::collective_call::CollectiveCall;
use super::context::MAX_CONCURRENT;
use super::error::Result;
use super::participants::Participants;
use super::persistent::PersistentOp;
use super::rank_reader::RankReader;
use super::requests::PendingOp;
use super::{direct, scheduled};
use crate::program::{ChannelKind, Op, SendMode};

const RULES: &str =
    "collectives use the algorithms that the machine's rules choose, not those of the MPI library";
const ASYNCHRONOUS: &str = "non-blocking collectives progress while their ranks compute, up to four of a communicator at a time; persistent ones each on their own";
const CREATION: &str = "creating a communicator costs an allreduce of 4 bytes among the ranks that call";

/// What members of a communicator must do.
pub(super) const SAME_ORDER: &str =
    "all members of a communicator must call the same collectives in the same order";
const OUTSIDE: &str = "the communicator has members outside MPI_COMM_WORLD, which are not in the trace";

/// The most persistent collectives of a communicator that proceed at the same time.
const MAX_PERSISTENT: u32 = 64;

impl RankReader<'_, '_> {
    pub(super) fn collective(
        &mut self,
        action: &Action<'_>,
        traits: CallTraits,
        tables: &Tables,
    ) -> Result<()> {
        let Action::Collective { form, comm, request, .. } = *action else { return Ok(()) };
        self.context.notes.assume(RULES);
        let mut call = self.collective_call(action, traits, tables)?;
        if call.comm.has_outside_members {
            return self.unsupported(OUTSIDE);
        }
        call.number = self.join(comm, &call.comm, call.instance)?;
        call.helper = self.helper_index(comm, form);
        match form {
            CallForm::Blocking => self.expand(&call),
            CallForm::Immediate => {
                let pending = self.start_collective(&call)?;
                self.open(request, pending.into_iter().collect())
            }
            CallForm::Persistent | CallForm::Partitioned => {
                self.define_persistent(request, PersistentOp::Collective(Box::new(call)))
            }
        }
    }

    /// The index of the helper that carries out a call; `None` for a blocking one.
    fn helper_index(&mut self, comm: Comm, form: CallForm) -> Option<u32> {
        let progress = self.comms.progress(comm)?;
        let (count, helpers, first) = match form {
            CallForm::Blocking => return None,
            CallForm::Immediate => (&mut progress.started, MAX_CONCURRENT, 0),
            CallForm::Persistent | CallForm::Partitioned => {
                (&mut progress.persistent, MAX_PERSISTENT, MAX_CONCURRENT)
            }
        };
        let index = first + *count % helpers;
        *count = count.wrapping_add(1);
        self.context.notes.assume(ASYNCHRONOUS);
        Some(index)
    }

    /// Starts a collective that a helper carries out. Returns the receive that completes it.
    pub(super) fn start_collective(&mut self, call: &CollectiveCall) -> Result<Option<PendingOp>> {
        self.repetition.interrupt();
        let (rank, comm) = (self.rank, call.comm.id);
        let Some(index) = call.helper else { return Ok(None) };
        if self.code.is_online() {
            self.add_helpers(call, index);
        }
        let helper = self.context.helpers.number(rank, comm, index);
        let key = |from, to| ChannelKey { from, to, comm, tag: None, kind: ChannelKind::Helper };
        let begin = self.context.channels.number(key(rank, helper));
        let end = self.context.channels.number(key(helper, rank));
        let signal = |channel| Op::Send { mode: SendMode::Buffered, channel, bytes: 0 };
        self.helper(comm, index, helper).push(Op::Receive { channel: begin });
        self.expand(call)?;
        self.helper(comm, index, helper).push(signal(end));
        self.code.start(signal(begin));
        let slot = self.code.take_slot();
        let start = self.code.start(Op::StartReceive { slot, channel: end });
        Ok(Some(PendingOp { slot, start, sent: None, received: None, unresolved: None, blocks: true }))
    }

    /// Numbers the helpers of all members at the first use, so that their order does not depend on
    /// which member calls first.
    fn add_helpers(&mut self, call: &CollectiveCall, index: u32) {
        let (helpers, comm) = (&mut self.context.helpers, call.comm.id);
        if !helpers.is_known(self.rank, comm, index) {
            let members = call.comm.members.iter().chain(call.comm.others.iter().flat_map(Ranks::iter));
            for member in members {
                helpers.number(member, comm, index);
            }
        }
    }

    fn helper(&mut self, comm: u32, index: u32, number: u32) -> &mut CodeBuilder {
        &mut self.helpers.entry((comm, index)).or_insert_with(|| (number, self.code.sibling())).1
    }

    /// Adds the messages of a collective to the code of the rank or helper that carries it out.
    fn expand(&mut self, call: &CollectiveCall) -> Result<()> {
        let comm = &call.comm;
        let instance = self.context.collectives.instance(call.number);
        let both_sides = instance.kind == InstanceKind::CommCreation;
        let participants = Participants { comm, helper: call.helper, both_sides };
        if direct::applies(call) {
            self.repetition.interrupt();
            let body =
                direct::body(self.context, participants, call, self.now).map_err(|what| self.error(what))?;
            self.builder(participants).push_body(&body);
            return Ok(());
        }
        self.expand_schedule(participants, call.number, instance, call.in_place)
    }

    fn expand_schedule(
        &mut self,
        participants: Participants<'_>,
        number: u32,
        instance: CollectiveInstance,
        in_place: bool,
    ) -> Result<()> {
        let key = (participants.comm.id, number, in_place);
        if !self.builder(participants).push_expansion(&key) {
            let body = scheduled::body(self.context, participants, instance, in_place);
            let body = body.map_err(|what| self.error(&what))?;
            self.builder(participants).store_expansion(key, &body);
        }
        Ok(())
    }

    fn builder(&mut self, participants: Participants<'_>) -> &mut CodeBuilder {
        let helper =
            participants.helper.and_then(|index| self.helpers.get_mut(&(participants.comm.id, index)));
        helper.map_or(&mut self.code, |(_, builder)| builder)
    }

    /// A call that synchronises the members of a communicator without being a collective by name.
    pub(super) fn implicit_collective(
        &mut self,
        comm: Comm,
        info: &Rc<CommInfo>,
        instance: CollectiveInstance,
        both_sides: bool,
    ) -> Result<()> {
        if info.has_outside_members {
            return self.unsupported(OUTSIDE);
        }
        let number = self.join(comm, info, instance)?;
        let instance = self.context.collectives.instance(number);
        self.expand_schedule(Participants { comm: info, helper: None, both_sides }, number, instance, false)
    }

    pub(super) fn creation(
        &mut self,
        parent: Comm,
        made: Option<Comm>,
        request: Option<Slot>,
        is_by_members_only: bool,
        tables: &Tables,
    ) -> Result<()> {
        self.context.notes.assume(CREATION);
        let instance = CollectiveInstance {
            kind: InstanceKind::CommCreation,
            started: request.is_some(),
            root: None,
            count: 1,
            element: 4,
            commutes: true,
            call: self.now.call,
        };
        if request.is_some() {
            return self.start_creation(parent, request, instance, tables);
        }
        // Ranks outside of the new communicator did not call.
        let among = if is_by_members_only { made } else { Some(parent) };
        let Some(among) = among else { return Ok(()) };
        let info = self.comm(among, tables)?;
        self.implicit_collective(among, &info, instance, true)
    }

    /// Starts the creation of a communicator (`MPI_Comm_idup`).
    fn start_creation(
        &mut self,
        parent: Comm,
        request: Option<Slot>,
        instance: CollectiveInstance,
        tables: &Tables,
    ) -> Result<()> {
        let comm = self.comm(parent, tables)?;
        if comm.has_outside_members {
            return self.unsupported(OUTSIDE);
        }
        let number = self.join(parent, &comm, instance)?;
        let helper = self.helper_index(parent, CallForm::Immediate);
        let call = CollectiveCall { number, helper, ..CollectiveCall::plain(comm, instance) };
        let pending = self.start_collective(&call)?;
        self.open(request, pending.into_iter().collect())
    }

    /// Compares a collective with those of the other members; returns the number of the agreed
    /// instance.
    fn join(&mut self, comm: Comm, info: &CommInfo, own: CollectiveInstance) -> Result<u32> {
        let Some(progress) = self.comms.progress(comm) else { return Err(self.error(NO_COMM)) };
        let nth = progress.collectives;
        progress.collectives += 1;
        if let Some(dependencies) = &mut self.context.dependencies {
            dependencies.collective(self.rank, self.now.position, info.id, None);
        }
        let agreement = self.context.collectives.join(info.id, self.rank, nth, own);
        let first = self.context.collectives.first(info.id);
        let made_by = &self.context.world.comm(panto_trace::SharedId(info.id)).made_by;
        match agreement {
            Agreement::Match(number) => {
                self.repetition.add_collective(comm, info.id, number);
                if self.context.collectives.instance(number).bytes() != own.bytes() {
                    self.repetition.interrupt();
                    let call = self.context.calls.name(self.now.call);
                    self.context.notes.warn(format!(
                        "{call}: members pass different lengths; that of the lowest rank is used"
                    ));
                }
                Ok(number)
            }
            Agreement::Mismatch(number) => {
                let other = self.context.collectives.instance(number);
                let call = self.context.calls.name(other.call);
                Err(self.error(&format!(
                    "mismatch at collective {nth} of the communicator (from {made_by}): rank {first} {}; {SAME_ORDER}",
                    other.describe(call)
                )))
            }
            Agreement::Exhausted => Err(self.error(&format!(
                "mismatch at collective {nth} of the communicator (from {made_by}): rank {first} calls no more there; {SAME_ORDER}"
            ))),
        }
    }

    /// Checks, at the end of a rank, that it called all collectives that the other members called.
    pub(super) fn end_collectives(&mut self, tables: &Tables) -> Result<()> {
        if self.context.dependencies.is_some() {
            return Ok(());
        }
        for number in 0..tables.comms().len() {
            let info = self.comm(Comm(number as u32), tables)?;
            let own = self.comms.progress(Comm(number as u32)).map_or(0, |progress| progress.collectives);
            let log = &self.context.collectives;
            if let Some(next) = log.nth(info.id, own) {
                let (first, call) = (log.first(info.id), self.context.calls.name(next.call));
                return Err(self.error(&format!(
                    "collective mismatch: the rank ends after {own} collectives of a communicator, where rank {first} also calls {call}; {SAME_ORDER}"
                )));
            }
        }
        Ok(())
    }
}

/// The error for a communicator that the trace does not define.
pub(super) const NO_COMM: &str = "the communicator is not defined in the trace; trace the program again";
