//! Collectives by schedules: what one rank does for them (P6).

use panto_schedule::{
    Algorithm, Buffer, Collective, Problem, Schedule, Span, Step, algorithms, schedule, steps,
};
use panto_trace::Pattern;

use super::agreed::{Instance, What};
use super::code::Body;
use super::shared::Shared;
use super::team::Team;
use crate::program::{Act, Sending};

/// What this rank does.
pub fn body(
    shared: &mut Shared<'_>,
    team: Team<'_>,
    instance: Instance,
    in_place: bool,
) -> Result<Body, String> {
    let problem = problem(team, instance)?;
    let steps_of = by_rules(shared, &problem, instance).map_err(|error| error.to_string())?;
    let mut walk = Walk {
        shared,
        team,
        collective: problem.collective,
        element: instance.element,
        in_place,
        body: Body::default(),
    };
    for step in steps(&*steps_of, team.own() as usize) {
        walk.step(step).ok_or("its communicator has fewer members than it says")?;
    }
    Ok(walk.body)
}

fn problem(team: Team<'_>, instance: Instance) -> Result<Problem, String> {
    let collective = match instance.what {
        What::Creation => Collective::Allreduce,
        What::Window => Collective::Barrier,
        What::Pattern(pattern) | What::Listed(pattern) => collective(pattern),
    };
    let count = usize::try_from(instance.count).map_err(|_| "its length is impossible".to_owned())?;
    let root = instance.root.unwrap_or(0) as usize;
    Ok(Problem { collective, ranks: team.size() as usize, root, count })
}

/// The steps by the machine's rules; by the first algorithm that keeps the order of operands where they must not change places.
fn by_rules(
    shared: &Shared<'_>,
    problem: &Problem,
    instance: Instance,
) -> Result<Box<dyn Schedule>, panto_schedule::Error> {
    let algorithm = shared.machine.algorithm(problem, instance.element as usize);
    let built = schedule(problem, algorithm)?;
    if instance.commutes || built.keeps_order() {
        return Ok(built);
    }
    let orderly =
        |algorithm: &Algorithm| schedule(problem, *algorithm).ok().filter(|built| built.keeps_order());
    Ok(algorithms(problem.collective).iter().find_map(orderly).unwrap_or(built))
}

/// What is carried out for a pattern.
pub fn collective(pattern: Pattern) -> Collective {
    match pattern {
        Pattern::Barrier => Collective::Barrier,
        Pattern::Broadcast => Collective::Broadcast,
        Pattern::Gather => Collective::Gather,
        Pattern::Scatter => Collective::Scatter,
        Pattern::AllGather | Pattern::NeighbourAllGather => Collective::Allgather,
        Pattern::AllToAll | Pattern::NeighbourAllToAll => Collective::Alltoall,
        Pattern::Reduce => Collective::Reduce,
        Pattern::AllReduce => Collective::Allreduce,
        Pattern::ReduceScatter => Collective::ReduceScatter,
        Pattern::Scan => Collective::Scan,
        Pattern::ExclusiveScan => Collective::Exscan,
    }
}

struct Walk<'w, 's, 'k> {
    shared: &'w mut Shared<'s>,
    team: Team<'k>,
    collective: Collective,
    element: u64,
    in_place: bool,
    body: Body,
}

impl Walk<'_, '_, '_> {
    /// None if there is no such member.
    fn step(&mut self, step: Step) -> Option<()> {
        let sending = Sending::Standard;
        match step {
            Step::Send { to, span } => {
                let (channel, bytes) = (self.to(to)?, self.bytes(span));
                self.body.push(Act::Send { sending, channel, bytes });
            }
            Step::Receive { from, .. } => {
                let channel = self.from(from)?;
                self.body.push(Act::Receive { channel });
            }
            Step::StartSend { to, span } => {
                let (channel, bytes) = (self.to(to)?, self.bytes(span));
                self.body.start(|slot| Act::StartSend { sending, slot, channel, bytes });
            }
            Step::StartReceive { from, .. } => {
                let channel = self.from(from)?;
                self.body.start(|slot| Act::StartReceive { slot, channel });
            }
            Step::WaitAll => self.body.wait_all(),
            // What is in place need not be brought there.
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
        let own = self.team.member(self.team.own())?;
        let other = self.team.member(to as u32)?;
        Some(self.team.to(self.shared, own, other, self.collective))
    }

    fn from(&mut self, from: usize) -> Option<u32> {
        let own = self.team.member(self.team.own())?;
        let other = self.team.member(from as u32)?;
        Some(self.team.from(self.shared, own, other, self.collective))
    }

    fn bytes(&self, span: Span) -> u64 {
        (span.len as u64).saturating_mul(self.element)
    }
}
