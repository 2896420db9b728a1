//! What a process does when it is its turn.

use std::collections::BTreeMap;

use panto_units::Time;

use super::processors::PARTS;
use super::{Kind, Operation, Reference};
use crate::program::{Name, Op, Saw};

pub struct Process {
    pub place: u32,
    /// Does it ever receive from anybody?
    pub wild: bool,
    pub state: State,
    /// What is left to work, in parts of a picosecond.
    pub work: u64,
    /// When it may send again.
    pub free: u64,
    pub sent: u32,
    at: usize,
    stage: u8,
    pending: BTreeMap<Name, usize>,
    waits: usize,
    pub saw: Vec<Saw>,
    pub exit: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ready,
    Working,
    /// For an operation.
    Blocked(usize),
    /// It asks what has come, which must wait until all has come that comes now.
    Asking,
    Dead,
}

impl Process {
    pub fn new(place: u32, wild: bool) -> Self {
        Self {
            place,
            wild,
            state: State::Ready,
            work: 0,
            free: 0,
            sent: 0,
            at: 0,
            stage: 0,
            pending: BTreeMap::new(),
            waits: 0,
            saw: Vec::new(),
            exit: None,
        }
    }
}

impl Reference<'_> {
    /// The next stage of the process's operation.
    pub fn step(&mut self, rank: usize) {
        let Some(&op) = self.program[rank].get(self.processes[rank].at) else {
            self.processes[rank].state = State::Dead;
            self.processes[rank].exit = Some(self.now);
            return;
        };
        let stage = self.processes[rank].stage;
        self.processes[rank].stage += 1;
        let overheads = &self.machine.network.overheads;
        let immediate = |later: Option<Name>| later.map_or(Time::ZERO, |_| overheads.immediate);
        match (op, stage) {
            (Op::Compute(time), _) => {
                self.next_op(rank);
                self.work(rank, time);
            }
            (Op::Send { bytes, later, .. }, 0) => {
                self.work(rank, overheads.send.of(bytes) + immediate(later));
            }
            (Op::Send { manner, to, tag, bytes, later }, 1) => {
                let send = self.send(rank, manner, to, tag, bytes);
                self.started(rank, send, later);
            }
            (Op::Receive { later, .. }, 0) => self.work(rank, immediate(later)),
            (Op::Receive { source: None, .. }, 1) => self.processes[rank].state = State::Asking,
            (Op::Receive { .. }, 1) => {}
            (Op::Receive { source, tag, later }, 2) => {
                let receive = self.post(rank, Kind::Receive { source, tag });
                self.started(rank, receive, later);
            }
            (Op::Wait(name), 0) => match self.processes[rank].pending.remove(&name) {
                Some(operation) => self.block(rank, operation),
                None => self.next_op(rank),
            },
            (Op::Test(name), 0) if self.processes[rank].pending.contains_key(&name) => {
                self.processes[rank].state = State::Asking;
            }
            (Op::Test(_), 0) => self.next_op(rank),
            (Op::Test(name), 1) => self.test(rank, name),
            _ => self.waited(rank),
        }
    }

    pub fn post(&mut self, rank: usize, kind: Kind) -> usize {
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
        self.processes[rank].at += 1;
        self.processes[rank].stage = 0;
    }

    fn work(&mut self, rank: usize, time: Time) {
        if time > Time::ZERO {
            self.processes[rank].work = time.as_picos() * PARTS;
            self.processes[rank].state = State::Working;
        }
    }

    /// Nobody waits for a buffered send.
    fn started(&mut self, rank: usize, operation: usize, later: Option<Name>) {
        match later {
            None => self.block(rank, operation),
            Some(name) => {
                if self.operations[operation].done.is_none() {
                    self.processes[rank].pending.insert(name, operation);
                }
                self.next_op(rank);
            }
        }
    }

    fn block(&mut self, rank: usize, operation: usize) {
        self.processes[rank].waits = operation;
        if self.operations[operation].done.is_none() {
            self.processes[rank].state = State::Blocked(operation);
        }
    }

    fn test(&mut self, rank: usize, name: Name) {
        let operation = self.processes[rank].pending[&name];
        let done = self.operations[operation].done.is_some();
        self.processes[rank].saw.push(Saw::Test(done));
        if done {
            self.processes[rank].pending.remove(&name);
            self.block(rank, operation);
        } else {
            self.next_op(rank);
            self.work(rank, self.machine.processor.poll);
        }
    }

    /// What the process waited for is complete.
    fn waited(&mut self, rank: usize) {
        self.next_op(rank);
        let operation = &self.operations[self.processes[rank].waits];
        let (Some(id), Kind::Receive { .. }, Some(at)) = (operation.message, operation.kind, operation.done)
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
        let time = self.machine.network.overheads.receive.of(message.bytes) + copy;
        let (source, tag, bytes, at) = (message.from, message.tag, message.bytes, Time::from_picos(at));
        self.processes[rank].saw.push(Saw::Message { source, tag, bytes, at, unexpected });
        self.work(rank, time);
    }
}
