//! Ranks that only carry out a schedule: they need no stack, so a million of them are ordinary.
//!
//! A rank is a place in its list of steps; the list itself is made round by round, as the schedule is lazy. What a step costs
//! is what the same step costs a rank with a stack: both ask [`costs`](crate::costs), and the tests compare them.

use std::fmt;

use panto_machine::Machine;
use panto_schedule::{Collective, Schedule, Span, Step};
use panto_units::Time;

use crate::costs;
use crate::engine::{Engine, Envelope, Model, RequestId, Selector};

/// A collective on a machine, with sizes and no bytes.
#[derive(Debug, Clone, Copy)]
pub struct Expansion<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// How messages get in each other's way.
    pub model: Model,
    /// What the schedule carries out: it may have a network of its own.
    pub collective: Collective,
    /// Bytes of an element.
    pub element: u64,
}

/// Why an expansion has no end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Jam {
    /// Some ranks could not go on.
    Stuck {
        /// How many.
        ranks: usize,
        /// One of them.
        rank: usize,
    },
    /// It takes longer than time is long.
    EndOfTime,
}

/// The only tag.
const TAG: u32 = 0;
/// No message has it.
const RESERVED: u32 = 1;

impl Expansion<'_> {
    /// Lets all ranks start at once; answers when each of them ends.
    pub fn run(&self, schedule: &dyn Schedule) -> Result<Vec<Time>, Jam> {
        let ranks = schedule.ranks();
        let mut engine = Engine::new(self.machine, ranks, self.model, RESERVED);
        let mut places: Vec<Place> = (0..ranks).map(|_| Place::default()).collect();
        while let Some(rank) = engine.turn() {
            forget_bytes(&mut engine);
            let mut walk = Walk { expansion: self, schedule, engine: &mut engine, rank };
            if walk.go_on(&mut places[rank as usize]) {
                engine.finish(rank);
            }
            forget_bytes(&mut engine);
        }
        if engine.is_over() {
            return Err(Jam::EndOfTime);
        }
        match places.iter().position(|place| !place.done) {
            Some(rank) => Err(Jam::Stuck { ranks: places.iter().filter(|place| !place.done).count(), rank }),
            None => Ok((0..ranks as u32).map(|rank| engine.clock(rank)).collect()),
        }
    }
}

/// There are none to deliver.
fn forget_bytes(engine: &mut Engine) {
    while engine.deliveries().is_some() {}
}

/// Where a rank is in its list.
#[derive(Default)]
struct Place {
    /// The next round.
    round: usize,
    steps: Vec<Step>,
    /// The step that it is at,
    step: usize,
    /// and the part of that step.
    part: usize,
    /// What it started and did not wait for.
    started: Vec<(RequestId, bool)>,
    /// What it waits for.
    waits: Option<RequestId>,
    done: bool,
}

/// One rank, while it goes on.
struct Walk<'a> {
    expansion: &'a Expansion<'a>,
    schedule: &'a dyn Schedule,
    engine: &'a mut Engine,
    rank: u32,
}

impl Walk<'_> {
    /// Goes on until the rank must wait, or has finished: then the answer is true.
    fn go_on(&mut self, place: &mut Place) -> bool {
        loop {
            while place.step < place.steps.len() {
                let step = place.steps[place.step];
                if !self.step(step, place) {
                    return false;
                }
                place.step += 1;
                place.part = 0;
            }
            if place.round == self.schedule.rounds(self.rank as usize) {
                *place = Place { done: true, ..Place::default() };
                return true;
            }
            place.steps.clear();
            place.step = 0;
            self.schedule.round(self.rank as usize, place.round, &mut place.steps);
            place.round += 1;
        }
    }

    /// Carries a step out from the part where it was left. False if the rank must wait first; the next part is noted.
    fn step(&mut self, step: Step, place: &mut Place) -> bool {
        match step {
            Step::Send { to, span } => {
                self.once(place, 0, |walk, _| walk.work_before(span, false))
                    && self.once(place, 1, |walk, place| walk.send(place, to, span))
                    && self.once(place, 2, Self::sent)
            }
            Step::Receive { from, .. } => {
                self.once(place, 0, |walk, place| walk.receive(place, from))
                    && self.once(place, 1, Self::work_after)
            }
            Step::StartSend { to, span } => {
                self.once(place, 0, |walk, _| walk.work_before(span, true))
                    && self.once(place, 1, |walk, place| walk.start_send(place, to, span))
            }
            Step::StartReceive { from, .. } => {
                self.once(place, 0, |walk, _| walk.work_to_post())
                    && self.once(place, 1, |walk, place| walk.start_receive(place, from))
            }
            Step::WaitAll => self.wait_all(place),
            Step::Copy { from, .. } => self.once(place, 0, |walk, _| walk.copy(from)),
            Step::Reduce { from, .. } => self.once(place, 0, |walk, _| walk.reduce(from)),
        }
    }

    /// Does a part that was not done before.
    fn once(
        &mut self,
        place: &mut Place,
        part: usize,
        act: impl FnOnce(&mut Self, &mut Place) -> bool,
    ) -> bool {
        if place.part > part {
            return true;
        }
        place.part = part + 1;
        act(self, place)
    }

    fn wait_all(&mut self, place: &mut Place) -> bool {
        // Two parts for each request: to wait, and the work after a receive.
        while place.part < 2 * place.started.len() {
            let (request, is_receive) = place.started[place.part / 2];
            let waits = place.part.is_multiple_of(2);
            place.part += 1;
            let ready = match (waits, is_receive) {
                (true, _) => {
                    place.waits = Some(request);
                    self.engine.wait(self.rank, request)
                }
                (false, true) => self.work_after(place),
                (false, false) => {
                    self.engine.release(request);
                    true
                }
            };
            if !ready {
                return false;
            }
        }
        place.started.clear();
        true
    }

    fn send(&mut self, place: &mut Place, to: usize, span: Span) -> bool {
        place.waits = self.post(to, span);
        place.waits.is_none_or(|request| self.engine.wait(self.rank, request))
    }

    fn sent(&mut self, place: &mut Place) -> bool {
        if let Some(request) = place.waits.take() {
            self.engine.release(request);
        }
        true
    }

    fn start_send(&mut self, place: &mut Place, to: usize, span: Span) -> bool {
        let request = self.post(to, span);
        place.started.extend(request.map(|request| (request, false)));
        true
    }

    fn post(&mut self, to: usize, span: Span) -> Option<RequestId> {
        let (machine, operation) = (self.expansion.machine, Some(self.expansion.collective));
        let bytes = self.bytes(span);
        let envelope = Envelope {
            to: to as u32,
            tag: TAG,
            bytes,
            carried: costs::carried(machine, operation, bytes),
            operation,
            manner: costs::standard(machine, operation, bytes),
            aside: false,
        };
        self.engine.send(self.rank, envelope).1
    }

    fn receive(&mut self, place: &mut Place, from: usize) -> bool {
        let request = self.post_receive(from);
        place.waits = Some(request);
        self.engine.wait(self.rank, request)
    }

    fn start_receive(&mut self, place: &mut Place, from: usize) -> bool {
        let request = self.post_receive(from);
        place.started.push((request, true));
        true
    }

    fn post_receive(&mut self, from: usize) -> RequestId {
        self.engine.receive(self.rank, Selector { source: Some(from as u32), tag: Some(TAG) })
    }

    fn work_before(&mut self, span: Span, started: bool) -> bool {
        let (expansion, bytes) = (self.expansion, self.bytes(span));
        let time = costs::sending(expansion.machine, Some(expansion.collective), bytes, started);
        self.engine.work(self.rank, time)
    }

    fn work_to_post(&mut self) -> bool {
        let time = costs::posting(self.expansion.machine, Some(self.expansion.collective));
        self.engine.work(self.rank, time)
    }

    /// The receiver's part of a message that has come.
    fn work_after(&mut self, place: &mut Place) -> bool {
        let Some(request) = place.waits.take() else { return true };
        let Some(outcome) = self.engine.outcome(request) else { return true };
        self.engine.release(request);
        let expansion = self.expansion;
        let (machine, operation) = (expansion.machine, Some(expansion.collective));
        let time = costs::receiving(machine, operation, outcome.label.bytes, outcome.unexpected);
        self.engine.work(self.rank, time)
    }

    fn copy(&mut self, span: Span) -> bool {
        let time = self.expansion.machine.processor.copy.of(self.bytes(span));
        self.engine.work(self.rank, time)
    }

    fn reduce(&mut self, span: Span) -> bool {
        let time = self.expansion.machine.processor.reduce.of(self.bytes(span));
        self.engine.work(self.rank, time)
    }

    fn bytes(&self, span: Span) -> u64 {
        (span.len as u64).saturating_mul(self.expansion.element)
    }
}

impl fmt::Display for Jam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stuck { ranks, rank } => {
                write!(f, "{ranks} ranks cannot go on, the first of them is rank {rank}")
            }
            Self::EndOfTime => f.write_str("virtual time is over"),
        }
    }
}

impl std::error::Error for Jam {}
