//! Lets the engine run a program: a state machine for each rank.

use std::collections::BTreeMap;

use panto_machine::Machine;
use panto_sim::{Engine, Envelope, Manner, Model, RequestId, Selector, costs};
use panto_units::Time;

use crate::program::{Name, Op, Program, Run, Saw};

/// No message has it.
pub const RESERVED: u32 = 1_000;

/// Runs the program on the engine.
pub fn drive(machine: &Machine, model: Model, program: &Program) -> Run {
    let ranks = program.len();
    let mut engine = Engine::new(machine, ranks, model, RESERVED);
    let mut actors: Vec<Actor> = (0..ranks).map(|_| Actor::default()).collect();
    while let Some(rank) = engine.turn() {
        while engine.deliveries().is_some() {}
        let mut walk = Walk { machine, engine: &mut engine, rank };
        if walk.go_on(&program[rank as usize], &mut actors[rank as usize]) {
            engine.finish(rank);
            actors[rank as usize].exit = Some(engine.clock(rank));
        }
        while engine.deliveries().is_some() {}
    }
    let is_done = |rank: usize| engine.stuck(rank as u32) == panto_sim::Stuck::Done;
    assert!(actors.iter().enumerate().all(|(rank, actor)| is_done(rank) == actor.exit.is_some()));
    let exits = actors.iter().map(|actor| actor.exit).collect();
    Run { exits, saw: actors.into_iter().map(|actor| actor.saw).collect() }
}

#[derive(Default)]
struct Actor {
    at: usize,
    part: u8,
    /// Started and not waited for; whether it is a receive.
    pending: BTreeMap<Name, (RequestId, bool)>,
    waits: Option<(RequestId, bool)>,
    saw: Vec<Saw>,
    exit: Option<Time>,
}

struct Walk<'a> {
    machine: &'a Machine,
    engine: &'a mut Engine,
    rank: u32,
}

/// What becomes of a part of an operation.
enum Next {
    /// The next part, now or when the rank goes on.
    Part(bool),
    /// The next operation, now or when the rank goes on.
    Op(bool),
}

impl Walk<'_> {
    fn go_on(&mut self, ops: &[Op], actor: &mut Actor) -> bool {
        while let Some(&op) = ops.get(actor.at) {
            let ready = match self.part(op, actor) {
                Next::Part(ready) => {
                    actor.part += 1;
                    ready
                }
                Next::Op(ready) => {
                    actor.at += 1;
                    actor.part = 0;
                    ready
                }
            };
            if !ready {
                return false;
            }
        }
        true
    }

    fn part(&mut self, op: Op, actor: &mut Actor) -> Next {
        match (op, actor.part) {
            (Op::Compute(time), _) => Next::Op(self.engine.work(self.rank, time)),
            (Op::Send { bytes, later, .. }, 0) => {
                let time = costs::sending(self.machine, None, bytes, later.is_some());
                Next::Part(self.engine.work(self.rank, time))
            }
            (Op::Send { manner, to, tag, bytes, later }, 1) => {
                let envelope =
                    Envelope { to, tag, bytes, carried: bytes, operation: None, manner, aside: false };
                let request = self.engine.send(self.rank, envelope).1;
                assert_eq!(request.is_none(), manner == Manner::Buffered);
                self.posted(actor, request.map(|request| (request, false)), later)
            }
            (Op::Receive { later, .. }, 0) => {
                let time = if later.is_some() { costs::posting(self.machine, None) } else { Time::ZERO };
                Next::Part(self.engine.work(self.rank, time))
            }
            (Op::Receive { source: None, .. }, 1) => {
                self.engine.park(self.rank);
                Next::Part(false)
            }
            (Op::Receive { .. }, 1) => Next::Part(true),
            (Op::Receive { source, tag, later }, 2) => {
                if source.is_none() {
                    self.engine.order(self.rank);
                }
                let request = self.engine.receive(self.rank, Selector { source, tag });
                self.posted(actor, Some((request, true)), later)
            }
            (Op::Wait(name), 0) => match actor.pending.remove(&name) {
                Some(pending) => {
                    actor.waits = Some(pending);
                    Next::Part(self.engine.wait(self.rank, pending.0))
                }
                None => Next::Op(true),
            },
            (Op::Test(name), 0) => match actor.pending.get(&name) {
                Some(_) => {
                    self.engine.park(self.rank);
                    Next::Part(false)
                }
                None => Next::Op(true),
            },
            (Op::Test(name), 1) => self.look(actor, name),
            _ => self.waited(actor),
        }
    }

    fn posted(&mut self, actor: &mut Actor, request: Option<(RequestId, bool)>, later: Option<Name>) -> Next {
        let Some(request) = request else { return Next::Op(true) };
        if let Some(name) = later {
            actor.pending.insert(name, request);
            return Next::Op(true);
        }
        actor.waits = Some(request);
        Next::Part(self.engine.wait(self.rank, request.0))
    }

    fn look(&mut self, actor: &mut Actor, name: Name) -> Next {
        let (request, is_receive) = actor.pending[&name];
        let clock = self.engine.clock(self.rank);
        let ready = self.engine.outcome(request).is_some_and(|outcome| outcome.at <= clock);
        actor.saw.push(Saw::Test(ready));
        if !ready {
            return Next::Op(self.engine.work(self.rank, self.machine.processor.poll));
        }
        actor.pending.remove(&name);
        actor.waits = Some((request, is_receive));
        Next::Part(self.engine.wait(self.rank, request))
    }

    /// The operation that was waited for is complete.
    fn waited(&mut self, actor: &mut Actor) -> Next {
        let (request, is_receive) = actor.waits.take().expect("it waited for something");
        let outcome = self.engine.outcome(request).expect("it is complete");
        self.engine.release(request);
        if !is_receive {
            return Next::Op(true);
        }
        let (at, label, unexpected) = (outcome.at, outcome.label, outcome.unexpected);
        actor.saw.push(Saw::Message {
            source: label.source,
            tag: label.tag,
            bytes: label.bytes,
            at,
            unexpected,
        });
        let time = costs::receiving(self.machine, None, label.bytes, unexpected);
        Next::Op(self.engine.work(self.rank, time))
    }
}
