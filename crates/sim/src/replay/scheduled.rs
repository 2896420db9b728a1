//! Collectives by schedules: expands the steps of one rank into operations (P6).

use panto_schedule::{
    Algorithm, Buffer, Collective, Problem, Schedule, Span, Step, algorithms, schedule, steps,
};

use super::agreement::{CollectiveInstance, InstanceKind};
use super::code_builder::Body;
use super::context::Context;
use super::participants::Participants;
use crate::program::{Op, SendMode};

/// Returns the operations of this rank.
pub fn body(
    context: &mut Context<'_>,
    participants: Participants<'_>,
    instance: CollectiveInstance,
    in_place: bool,
) -> Result<Body, String> {
    let problem = problem(participants, instance)?;
    let steps_of = by_rules(context, &problem, instance).map_err(|error| error.to_string())?;
    let mut expander = Expander {
        context,
        participants,
        collective: problem.collective,
        element: instance.element,
        in_place,
        body: Body::default(),
    };
    for step in steps(&*steps_of, participants.own() as usize) {
        expander.step(step).ok_or("the communicator has fewer members than the trace says")?;
    }
    Ok(expander.body)
}

fn problem(participants: Participants<'_>, instance: CollectiveInstance) -> Result<Problem, String> {
    let collective = match instance.kind {
        InstanceKind::CommCreation => Collective::Allreduce,
        InstanceKind::WindowSync => Collective::Barrier,
        InstanceKind::Collective(kind) | InstanceKind::Vector(kind) => kind.collective(),
    };
    let count = usize::try_from(instance.count).map_err(|_| "the length is out of range".to_owned())?;
    let root = instance.root.unwrap_or(0) as usize;
    Ok(Problem { collective, ranks: participants.size() as usize, root, count })
}

/// The schedule that the machine's rules choose. If the operation does not commute and that
/// schedule reorders operands, the first algorithm that keeps their order.
fn by_rules(
    context: &Context<'_>,
    problem: &Problem,
    instance: CollectiveInstance,
) -> Result<Box<dyn Schedule>, panto_schedule::Error> {
    let algorithm = context.machine.algorithm(problem, instance.element as usize);
    let built = schedule(problem, algorithm)?;
    if instance.commutes || built.keeps_order() {
        return Ok(built);
    }
    let in_order =
        |algorithm: &Algorithm| schedule(problem, *algorithm).ok().filter(|built| built.keeps_order());
    Ok(algorithms(problem.collective).iter().find_map(in_order).unwrap_or(built))
}

struct Expander<'w, 's, 'k> {
    context: &'w mut Context<'s>,
    participants: Participants<'k>,
    collective: Collective,
    element: u64,
    in_place: bool,
    body: Body,
}

impl Expander<'_, '_, '_> {
    /// Appends the operation of a step; `None` if a partner is not a member.
    fn step(&mut self, step: Step) -> Option<()> {
        let mode = SendMode::Standard;
        match step {
            Step::Send { to, span } => {
                let (channel, bytes) = (self.to(to)?, self.bytes(span));
                self.body.push(Op::Send { mode, channel, bytes });
            }
            Step::Receive { from, .. } => {
                let channel = self.from(from)?;
                self.body.push(Op::Receive { channel });
            }
            Step::StartSend { to, span } => {
                let (channel, bytes) = (self.to(to)?, self.bytes(span));
                self.body.start(|slot| Op::StartSend { mode, slot, channel, bytes });
            }
            Step::StartReceive { from, .. } => {
                let channel = self.from(from)?;
                self.body.start(|slot| Op::StartReceive { slot, channel });
            }
            Step::WaitAll => self.body.wait_all(),
            // Data in place need not be copied.
            Step::Copy { from, to } => {
                let is_there = self.in_place && (from.buffer, to.buffer) == (Buffer::Input, Buffer::Output);
                if !is_there {
                    self.body.copy(self.bytes(from));
                }
            }
            Step::Reduce { from, .. } => self.body.reduce(self.bytes(from)),
        }
        Some(())
    }

    fn to(&mut self, to: usize) -> Option<u32> {
        let own = self.participants.member(self.participants.own())?;
        let other = self.participants.member(to as u32)?;
        Some(self.participants.to(self.context, own, other, self.collective))
    }

    fn from(&mut self, from: usize) -> Option<u32> {
        let own = self.participants.member(self.participants.own())?;
        let other = self.participants.member(from as u32)?;
        Some(self.participants.from(self.context, own, other, self.collective))
    }

    fn bytes(&self, span: Span) -> u64 {
        (span.len as u64).saturating_mul(self.element)
    }
}
