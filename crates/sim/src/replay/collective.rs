//! Collective operations: what each of them is, who carries it out, and when.

use std::rc::Rc;

use panto_trace::{Action, Comm, Form, Slot, Tables};

use super::agreed::{Instance, Met, What};
use super::channels::Way;
use super::code::Builder;
use super::comms::Known;
use super::error::Result;
use super::names::Name;
use super::operation::Operation;
use super::persistent::Described;
use super::rank::Walk;
use super::requests::Part;
use super::shared::LANES;
use super::team::Team;
use super::{direct, scheduled};
use crate::program::{Act, Lane, Sending};

const RULES: &str = "collectives are carried out by the machine's rules, not as the traced library did";
const BESIDE: &str = "non-blocking collectives go on beside what their ranks compute, up to four of a communicator at a time; so does each persistent one";
const CREATION: &str = "making a communicator takes an allreduce of 4 bytes among those who make it";

/// Persistent collectives of a communicator that go on at the same time.
const PERSISTENT_LANES: u32 = 64;

impl Walk<'_, '_> {
    pub(super) fn collective(&mut self, action: &Action<'_>, name: Name, tables: &Tables) -> Result<()> {
        let Action::Collective { form, comm, request, .. } = *action else { return Ok(()) };
        self.shared.notes.assume(RULES);
        let mut operation = self.operation(action, name, tables)?;
        if operation.comm.has_strangers {
            return self.lack("some members of its communicator are not in MPI_COMM_WORLD");
        }
        operation.number = self.meet(comm, &operation.comm, operation.instance)?;
        operation.lane = self.lane(comm, form);
        match form {
            Form::Blocking => self.carry_out(&operation),
            Form::Immediate => {
                let part = self.start_collective(&operation)?;
                self.open(request, part.into_iter().collect())
            }
            Form::Persistent | Form::Partitioned => {
                self.describe(request, Described::Collective(Box::new(operation)))
            }
        }
    }

    fn lane(&mut self, comm: Comm, form: Form) -> Option<u32> {
        let progress = self.comms.progress(comm)?;
        let (count, lanes, first) = match form {
            Form::Blocking => return None,
            Form::Immediate => (&mut progress.started, LANES, 0),
            Form::Persistent | Form::Partitioned => (&mut progress.persistent, PERSISTENT_LANES, LANES),
        };
        let lane = first + *count % lanes;
        *count = count.wrapping_add(1);
        self.shared.notes.assume(BESIDE);
        Some(lane)
    }

    /// A helper carries it out, and tells when it is done.
    pub(super) fn start_collective(&mut self, operation: &Operation) -> Result<Option<Part>> {
        let (rank, comm) = (self.rank, operation.comm.id);
        let Some(lane) = operation.lane else { return Ok(None) };
        let helper = self.shared.helpers.number(rank, comm, lane);
        let way = |from, to| Way { from, to, comm, tag: None, lane: Lane::Aside };
        let begin = self.shared.channels.number(way(rank, helper));
        let end = self.shared.channels.number(way(helper, rank));
        let aside = |channel| Act::Send { sending: Sending::Buffered, channel, bytes: 0 };
        self.helper(comm, lane, helper).push(Act::Receive { channel: begin });
        self.carry_out(operation)?;
        self.helper(comm, lane, helper).push(aside(end));
        self.code.start(aside(begin));
        let slot = self.code.take_slot();
        let op = self.code.start(Act::StartReceive { slot, channel: end });
        Ok(Some(Part { slot, op, sent: None, received: None, unknown: None, holds: true }))
    }

    fn helper(&mut self, comm: u32, lane: u32, number: u32) -> &mut Builder {
        &mut self.helpers.entry((comm, lane)).or_insert_with(|| (number, Builder::default())).1
    }

    /// Adds what a collective becomes to the operations of whoever carries it out.
    fn carry_out(&mut self, operation: &Operation) -> Result<()> {
        let comm = &operation.comm;
        let instance = self.shared.agreed.instance(operation.number);
        let is_both = instance.what == What::Creation;
        let team = Team { comm, lane: operation.lane, is_both };
        if direct::serves(operation) {
            let body =
                direct::body(self.shared, team, operation, self.now).map_err(|what| self.error(what))?;
            self.builder(team).push_body(&body);
            return Ok(());
        }
        self.by_schedule(team, operation.number, instance, operation.in_place)
    }

    fn by_schedule(&mut self, team: Team<'_>, number: u32, instance: Instance, in_place: bool) -> Result<()> {
        let part = (team.comm.id, number, in_place);
        if !self.builder(team).push_part(&part) {
            let body = scheduled::body(self.shared, team, instance, in_place);
            let body = body.map_err(|what| self.error(&what))?;
            self.builder(team).keep_part(part, &body);
        }
        Ok(())
    }

    fn builder(&mut self, team: Team<'_>) -> &mut Builder {
        let helper = team.lane.and_then(|lane| self.helpers.get_mut(&(team.comm.id, lane)));
        helper.map_or(&mut self.code, |(_, builder)| builder)
    }

    /// Something that members of a communicator do together, and that is no collective by name.
    pub(super) fn together(
        &mut self,
        comm: Comm,
        known: &Rc<Known>,
        instance: Instance,
        is_both: bool,
    ) -> Result<()> {
        if known.has_strangers {
            return self.lack("some members of its communicator are not in MPI_COMM_WORLD");
        }
        let number = self.meet(comm, known, instance)?;
        let instance = self.shared.agreed.instance(number);
        self.by_schedule(Team { comm: known, lane: None, is_both }, number, instance, false)
    }

    pub(super) fn creation(
        &mut self,
        parent: Comm,
        made: Option<Comm>,
        request: Option<Slot>,
        is_by_some: bool,
        tables: &Tables,
    ) -> Result<()> {
        self.shared.notes.assume(CREATION);
        let instance = Instance {
            what: What::Creation,
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
        // Who is not in it was not asked.
        let among = if is_by_some { made } else { Some(parent) };
        let Some(among) = among else { return Ok(()) };
        let known = self.comm(among, tables)?;
        self.together(among, &known, instance, true)
    }

    /// A copy is made beside other work (`MPI_Comm_idup`).
    fn start_creation(
        &mut self,
        parent: Comm,
        request: Option<Slot>,
        instance: Instance,
        tables: &Tables,
    ) -> Result<()> {
        let comm = self.comm(parent, tables)?;
        if comm.has_strangers {
            return self.lack("some members of its communicator are not in MPI_COMM_WORLD");
        }
        let number = self.meet(parent, &comm, instance)?;
        let lane = self.lane(parent, Form::Immediate);
        let operation = Operation { number, lane, ..Operation::plain(comm, instance) };
        let part = self.start_collective(&operation)?;
        self.open(request, part.into_iter().collect())
    }

    /// Sees whether the other members do the same here.
    fn meet(&mut self, comm: Comm, known: &Known, own: Instance) -> Result<u32> {
        let Some(progress) = self.comms.progress(comm) else { return Err(self.error(NO_COMM)) };
        let nth = progress.collectives;
        progress.collectives += 1;
        let met = self.shared.agreed.meet(known.id, self.rank, nth, own);
        let first = self.shared.agreed.first(known.id);
        let made_by = &self.shared.world.comm(panto_trace::SharedId(known.id)).made_by;
        match met {
            Met::Same(number) => {
                if self.shared.agreed.instance(number).bytes() != own.bytes() {
                    let call = self.shared.calls.name(self.now.call);
                    let what = format!("{call}: members gave other lengths; that of the lowest rank is taken");
                    self.shared.notes.warn(what);
                }
                Ok(number)
            }
            Met::Other(number) => {
                let other = self.shared.agreed.instance(number);
                let call = self.shared.calls.name(other.call);
                Err(self.error(&format!(
                    "it is collective {nth} of its communicator (from {made_by}), where rank {first} {}; the members must do the same in the same order",
                    other.describe(call)
                )))
            }
            Met::End => Err(self.error(&format!(
                "it is collective {nth} of its communicator (from {made_by}), and rank {first} has no more there; the members must do the same in the same order"
            ))),
        }
    }

    /// The rank ends: it must have done what the other members did.
    pub(super) fn end_collectives(&mut self, tables: &Tables) -> Result<()> {
        for number in 0..tables.comms().len() {
            let known = self.comm(Comm(number as u32), tables)?;
            let own = self.comms.progress(Comm(number as u32)).map_or(0, |progress| progress.collectives);
            let agreed = &self.shared.agreed;
            if let Some(next) = agreed.nth(known.id, own) {
                let (first, call) = (agreed.first(known.id), self.shared.calls.name(next.call));
                return Err(self.error(&format!(
                    "the rank ends here and has {own} collectives of a communicator, where rank {first} has another one, {call}; the members must do the same in the same order"
                )));
            }
        }
        Ok(())
    }
}

const NO_COMM: &str = "its communicator is not in the trace; trace the program again";
