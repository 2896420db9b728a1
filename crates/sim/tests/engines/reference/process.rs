//! The processes of the reference simulator, which execute their operations in stages.

use std::collections::BTreeMap;

use panto_machine::{Cost, Network};
use panto_units::Time;

use super::processors::UNITS_PER_PICO;
use super::{Operation, OperationKind, Reference};
use crate::program::{Observation, Op, RequestKey};

/// The state of a process.
pub struct Process {
    pub processor: u32,
    /// Whether any of its receives has a wildcard source.
    pub uses_wildcards: bool,
    pub state: State,
    /// The remaining work, in units of 1/`UNITS_PER_PICO` ps.
    pub work: u64,
    /// The earliest time of its next send, in picoseconds.
    pub next_send: u64,
    pub sent: u32,
    /// The program counter.
    pc: usize,
    /// The stage of the operation at `pc`.
    stage: u8,
    pending: BTreeMap<RequestKey, usize>,
    /// The operation that the process waits for, or waited for last.
    awaited: usize,
    pub observations: Vec<Observation>,
    pub exit: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ready,
    Working,
    /// Waits for this operation.
    Blocked(usize),
    /// Polls for messages, which must wait until all arrivals of the current time are handled.
    Polling,
    Ended,
}

impl Process {
    pub fn new(processor: u32, uses_wildcards: bool) -> Self {
        Self {
            processor,
            uses_wildcards,
            state: State::Ready,
            work: 0,
            next_send: 0,
            sent: 0,
            pc: 0,
            stage: 0,
            pending: BTreeMap::new(),
            awaited: 0,
            observations: Vec::new(),
            exit: None,
        }
    }
}

impl Reference<'_> {
    /// Executes the next stage of the process's operation.
    pub fn step(&mut self, rank: usize) {
        let Some(&op) = self.program[rank].get(self.processes[rank].pc) else {
            self.processes[rank].state = State::Ended;
            self.processes[rank].exit = Some(self.now);
            return;
        };
        let stage = self.processes[rank].stage;
        self.processes[rank].stage += 1;
        let network = &self.machine.network;
        let overheads = &network.overheads;
        let immediate = |key: Option<RequestKey>| key.map_or(Time::ZERO, |_| overheads.immediate);
        match (op, stage) {
            (Op::Compute(time), _) => {
                self.next_op(rank);
                self.work(rank, time);
            }
            (Op::Send { bytes, key, .. }, 0) => {
                self.work(rank, overhead(network, &overheads.send, bytes) + immediate(key));
            }
            (Op::Send { protocol, to, tag, bytes, key }, 1) => {
                let send = self.send(rank, protocol, to, tag, bytes);
                self.started(rank, send, key);
            }
            (Op::Receive { key, .. }, 0) => self.work(rank, immediate(key)),
            (Op::Receive { source: None, .. }, 1) => self.processes[rank].state = State::Polling,
            (Op::Receive { .. }, 1) => {}
            (Op::Receive { source, tag, key }, 2) => {
                let receive = self.post(rank, OperationKind::Receive { source, tag });
                self.started(rank, receive, key);
            }
            (Op::Wait(key), 0) => match self.processes[rank].pending.remove(&key) {
                Some(operation) => self.block(rank, operation),
                None => self.next_op(rank),
            },
            (Op::Test(key), 0) if self.processes[rank].pending.contains_key(&key) => {
                self.processes[rank].state = State::Polling;
            }
            (Op::Test(_), 0) => self.next_op(rank),
            (Op::Test(key), 1) => self.test(rank, key),
            _ => self.waited(rank),
        }
    }

    /// Adds an operation. Returns its index.
    pub fn post(&mut self, rank: usize, kind: OperationKind) -> usize {
        let posted = self.now;
        self.operations.push(Operation {
            rank: rank as u32,
            kind,
            posted,
            done: None,
            unexpected: false,
            message: None,
        });
        self.operations.len() - 1
    }

    fn next_op(&mut self, rank: usize) {
        self.processes[rank].pc += 1;
        self.processes[rank].stage = 0;
    }

    /// Makes the process work for this time, if it is not zero.
    fn work(&mut self, rank: usize, time: Time) {
        if time > Time::ZERO {
            self.processes[rank].work = time.as_picos() * UNITS_PER_PICO;
            self.processes[rank].state = State::Working;
        }
    }

    /// Waits for a blocking operation, or registers the request of a non-blocking one. A send that
    /// is complete at once (buffered) has no pending request.
    fn started(&mut self, rank: usize, operation: usize, key: Option<RequestKey>) {
        match key {
            None => self.block(rank, operation),
            Some(key) => {
                if self.operations[operation].done.is_none() {
                    self.processes[rank].pending.insert(key, operation);
                }
                self.next_op(rank);
            }
        }
    }

    fn block(&mut self, rank: usize, operation: usize) {
        self.processes[rank].awaited = operation;
        if self.operations[operation].done.is_none() {
            self.processes[rank].state = State::Blocked(operation);
        }
    }

    fn test(&mut self, rank: usize, key: RequestKey) {
        let operation = self.processes[rank].pending[&key];
        let done = self.operations[operation].done.is_some();
        self.processes[rank].observations.push(Observation::Test(done));
        if done {
            self.processes[rank].pending.remove(&key);
            self.block(rank, operation);
        } else {
            self.next_op(rank);
            self.work(rank, self.machine.processor.poll);
        }
    }

    /// Proceeds after the awaited operation; a receive observes its message and takes its overhead.
    fn waited(&mut self, rank: usize) {
        self.next_op(rank);
        let operation = &self.operations[self.processes[rank].awaited];
        let (Some(id), OperationKind::Receive { .. }, Some(at)) =
            (operation.message, operation.kind, operation.done)
        else {
            return;
        };
        let (message, unexpected) = (&self.messages[id], operation.unexpected);
        let processor = &self.machine.processor;
        let copy = if unexpected && processor.copies_unexpected {
            processor.copy.of(message.bytes)
        } else {
            Time::ZERO
        };
        let network = &self.machine.network;
        let time = overhead(network, &network.overheads.receive, message.bytes) + copy;
        let (source, tag, bytes, at) = (message.from, message.tag, message.bytes, Time::from_picos(at));
        self.processes[rank].observations.push(Observation::Message { source, tag, bytes, at, unexpected });
        self.work(rank, time);
    }
}

/// The overhead of a processor. If messages are pipelined, their bytes pass it while they are in
/// the network.
fn overhead(network: &Network, cost: &Cost, bytes: u64) -> Time {
    let data = if network.pipelined { cost.piece(bytes).per_byte.of(bytes) } else { Time::ZERO };
    cost.of(bytes).since(data)
}
