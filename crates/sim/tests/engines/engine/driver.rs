//! Runs an abstract program on the event engine: a state machine for each rank, whose operations
//! have up to four stages.

use std::collections::BTreeMap;

use panto_machine::Machine;
use panto_sim::{Engine, Envelope, RequestId, Selector, Sharing, costs};
use panto_units::Time;

use crate::program::{Observation, Op, Program, RequestKey, Run};
use crate::reference::RESERVED;

/// Runs the program on the event engine.
pub fn drive(machine: &Machine, model: Sharing, program: &Program) -> Run {
    let ranks = program.len();
    let mut engine = Engine::new(machine, ranks, model, RESERVED);
    let mut states: Vec<RankState> = (0..ranks).map(|_| RankState::default()).collect();
    while let Some(rank) = engine.next_rank() {
        while engine.next_delivery().is_some() {}
        let mut driver = Driver { machine, engine: &mut engine, rank };
        if driver.run(&program[rank as usize], &mut states[rank as usize]) {
            engine.finish(rank);
            states[rank as usize].exit = Some(engine.clock(rank));
        }
        while engine.next_delivery().is_some() {}
    }
    let is_done = |rank: usize| engine.blocked_on(rank as u32).is_none();
    assert!(states.iter().enumerate().all(|(rank, state)| is_done(rank) == state.exit.is_some()));
    let exits = states.iter().map(|state| state.exit).collect();
    Run { exits, observations: states.into_iter().map(|state| state.observations).collect() }
}

/// The state of a rank.
#[derive(Default)]
struct RankState {
    /// The program counter.
    pc: usize,
    /// The stage of the operation at `pc`.
    stage: u8,
    /// Requests that were started and not completed, and whether each is a receive.
    pending: BTreeMap<RequestKey, (RequestId, bool)>,
    /// The request that the rank waits for, and whether it is a receive.
    awaited: Option<(RequestId, bool)>,
    observations: Vec<Observation>,
    exit: Option<Time>,
}

/// Runs one rank until it blocks or ends.
struct Driver<'a> {
    machine: &'a Machine,
    engine: &'a mut Engine,
    rank: u32,
}

/// What follows a stage of an operation. The flag says whether the rank can proceed at once.
enum Next {
    /// The next stage of the same operation.
    Stage(bool),
    /// The next operation.
    Op(bool),
}

impl Driver<'_> {
    /// Runs the rank until it blocks. Returns whether it ended.
    fn run(&mut self, ops: &[Op], state: &mut RankState) -> bool {
        while let Some(&op) = ops.get(state.pc) {
            let ready = match self.stage(op, state) {
                Next::Stage(ready) => {
                    state.stage += 1;
                    ready
                }
                Next::Op(ready) => {
                    state.pc += 1;
                    state.stage = 0;
                    ready
                }
            };
            if !ready {
                return false;
            }
        }
        true
    }

    /// Executes the current stage of an operation.
    fn stage(&mut self, op: Op, state: &mut RankState) -> Next {
        match (op, state.stage) {
            (Op::Compute(time), _) => Next::Op(self.engine.work(self.rank, time)),
            (Op::Send { bytes, key, .. }, 0) => {
                let time = costs::send_overhead(self.machine, None, bytes, key.is_some());
                Next::Stage(self.engine.work(self.rank, time))
            }
            (Op::Send { protocol, to, tag, bytes, key }, 1) => {
                let envelope = Envelope {
                    to,
                    tag,
                    bytes,
                    network_bytes: bytes,
                    collective: None,
                    protocol,
                    bypass: false,
                };
                let request = self.engine.send(self.rank, envelope).1;
                assert_eq!(request.is_none(), protocol.is_buffered());
                self.posted(state, request.map(|request| (request, false)), key)
            }
            (Op::Receive { key, .. }, 0) => {
                let time = if key.is_some() { costs::post_overhead(self.machine, None) } else { Time::ZERO };
                Next::Stage(self.engine.work(self.rank, time))
            }
            (Op::Receive { source: None, .. }, 1) => {
                self.engine.park(self.rank);
                Next::Stage(false)
            }
            (Op::Receive { .. }, 1) => Next::Stage(true),
            (Op::Receive { source, tag, key }, 2) => {
                if source.is_none() {
                    self.engine.set_ordered(self.rank);
                }
                let request = self.engine.receive(self.rank, Selector { source, tag });
                self.posted(state, Some((request, true)), key)
            }
            (Op::Wait(key), 0) => match state.pending.remove(&key) {
                Some(pending) => {
                    state.awaited = Some(pending);
                    Next::Stage(self.engine.wait(self.rank, pending.0))
                }
                None => Next::Op(true),
            },
            (Op::Test(key), 0) => match state.pending.get(&key) {
                Some(_) => {
                    self.engine.park(self.rank);
                    Next::Stage(false)
                }
                None => Next::Op(true),
            },
            (Op::Test(key), 1) => self.test(state, key),
            _ => self.waited(state),
        }
    }

    /// Registers a request that was started, or waits for it if the operation is blocking.
    fn posted(
        &mut self,
        state: &mut RankState,
        request: Option<(RequestId, bool)>,
        key: Option<RequestKey>,
    ) -> Next {
        let Some(request) = request else { return Next::Op(true) };
        if let Some(key) = key {
            state.pending.insert(key, request);
            return Next::Op(true);
        }
        state.awaited = Some(request);
        Next::Stage(self.engine.wait(self.rank, request.0))
    }

    /// Tests a request, and waits for it if it is complete.
    fn test(&mut self, state: &mut RankState, key: RequestKey) -> Next {
        let (request, is_receive) = state.pending[&key];
        let clock = self.engine.clock(self.rank);
        let ready = self.engine.completion(request).is_some_and(|completion| completion.at <= clock);
        state.observations.push(Observation::Test(ready));
        if !ready {
            return Next::Op(self.engine.work(self.rank, self.machine.processor.poll));
        }
        state.pending.remove(&key);
        state.awaited = Some((request, is_receive));
        Next::Stage(self.engine.wait(self.rank, request))
    }

    /// Releases the completed request; a receive observes its message.
    fn waited(&mut self, state: &mut RankState) -> Next {
        let (request, is_receive) = state.awaited.take().expect("the rank waited for a request");
        let completion = self.engine.completion(request).expect("the request is complete");
        self.engine.release(request);
        if !is_receive {
            return Next::Op(true);
        }
        let (at, info, unexpected) = (completion.at, completion.message, completion.unexpected);
        state.observations.push(Observation::Message {
            source: info.source,
            tag: info.tag,
            bytes: info.bytes,
            at,
            unexpected,
        });
        let time = costs::receive_overhead(self.machine, None, info.bytes, unexpected);
        Next::Op(self.engine.work(self.rank, time))
    }
}
