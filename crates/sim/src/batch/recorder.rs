//! Records a program: finds an order in which all steps can be executed.
//!
//! This is the run-ahead engine without times: ranks are executed until they block, and each
//! operation appends its steps.

use std::collections::VecDeque;
use std::hash::Hash;

use panto_machine::Machine;
use panto_units::Time;
use rustc_hash::FxHashMap;

use super::message::{Messages, waits_for_receive};
use super::step::{LocalOp, MessageSpec, Step};
use super::{ProtocolRules, Recording};
use crate::ahead::rank::{NONE, RankExtra, RankState};
use crate::costs;
use crate::engine::SendProtocol;
use crate::program::{ChannelKind, Op, PackedOp, Program, SendMode};

/// Number of operations after which a rank yields, so that few messages are in flight at once.
const MAX_TURN_OPS: u32 = 256;

/// A request of a rank, with the number of its message.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Empty,
    Receive(u32),
    Send(u32),
}

/// Values by number, each stored once.
#[derive(Debug)]
struct Interned<T> {
    all: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T: Copy + Eq + Hash> Interned<T> {
    fn new() -> Self {
        Self { all: Vec::new(), numbers: FxHashMap::default() }
    }

    fn number(&mut self, value: T) -> u32 {
        *self.numbers.entry(value).or_insert_with(|| {
            self.all.push(value);
            self.all.len() as u32 - 1
        })
    }
}

/// A rank that is being recorded.
struct Runner<'p> {
    state: RankState<'p, PackedOp>,
    extra: RankExtra,
    slots: Vec<Slot>,
    /// What its current operation is blocked on.
    blocked_on: Slot,
}

pub(super) struct Recorder<'p, 'm> {
    program: &'p Program,
    machine: &'m Machine,
    runners: Vec<Runner<'p>>,
    ready: VecDeque<u32>,
    messages: Messages,
    specs: Interned<MessageSpec>,
    local_ops: Interned<LocalOp>,
    steps: Vec<Step>,
}

/// Whether a rank can proceed; `None` if the program cannot be recorded.
type Proceeds = Option<bool>;

impl<'p, 'm> Recorder<'p, 'm> {
    pub(super) fn new(program: &'p Program, machine: &'m Machine) -> Self {
        let runner = |code: &'p crate::program::Code| Runner {
            state: RankState::at_start(&code.ops),
            extra: RankExtra::default(),
            slots: vec![Slot::Empty; code.slots as usize],
            blocked_on: Slot::Empty,
        };
        Self {
            program,
            machine,
            runners: program.codes.iter().map(runner).collect(),
            ready: (0..program.codes.len() as u32).collect(),
            messages: Messages::new(program.channels.len()),
            specs: Interned::new(),
            local_ops: Interned::new(),
            steps: Vec::new(),
        }
    }

    pub(super) fn record(mut self, max_steps: usize) -> Option<Recording<'p>> {
        while let Some(rank) = self.ready.pop_front() {
            self.turn(rank)?;
            if self.steps.len() > max_steps {
                return None;
            }
        }
        let has_ended = self.runners.iter().all(|runner| runner.state.pc == NONE);
        has_ended.then(|| Recording {
            program: self.program,
            protocol_rules: ProtocolRules::of(self.machine),
            messages: self.messages.max_in_flight(),
            steps: self.steps,
            specs: self.specs.all,
            local_ops: self.local_ops.all,
        })
    }

    fn turn(&mut self, rank: u32) -> Option<()> {
        let blocked_on = std::mem::replace(&mut self.runners[rank as usize].blocked_on, Slot::Empty);
        if !self.wait(rank, blocked_on) {
            self.runners[rank as usize].blocked_on = blocked_on;
            return Some(());
        }
        for _ in 0..MAX_TURN_OPS {
            let state = &mut self.runners[rank as usize].state;
            let Some(op) = state.ops.get(state.pc as usize) else {
                state.pc = NONE;
                return Some(());
            };
            state.pc += 1;
            if !self.execute(rank, op.unpack())? {
                return Some(());
            }
        }
        self.ready.push_back(rank);
        Some(())
    }

    fn execute(&mut self, rank: u32, op: Op) -> Proceeds {
        match op {
            Op::Compute(time) | Op::Call { before: time, .. } => self.compute(rank, time),
            Op::ComputeListed | Op::CallListed { .. } => {
                let time = self.listed(rank);
                self.compute(rank, time);
            }
            Op::Send { mode, channel, bytes } => {
                let sent = self.send(rank, mode, MessageSpec { channel, bytes }, false)?;
                return Some(self.wait_or_block(rank, sent));
            }
            Op::StartSend { mode, slot, channel, bytes } => {
                let sent = self.send(rank, mode, MessageSpec { channel, bytes }, true)?;
                self.runners[rank as usize].slots[slot as usize] = sent;
            }
            Op::Receive { channel } => return Some(self.receive(rank, channel)),
            Op::StartReceive { slot, channel } => {
                let lane = self.program.channels[channel as usize].kind;
                if lane != ChannelKind::Helper {
                    self.local_op(rank, LocalOp::Start(lane));
                }
                let message = self.post(rank, channel);
                self.runners[rank as usize].slots[slot as usize] = Slot::Receive(message);
            }
            Op::Wait { slot } => {
                let held = self.take_slot(rank, slot);
                return Some(self.wait_or_block(rank, held));
            }
            Op::Free { slot } => match self.take_slot(rank, slot) {
                Slot::Empty => {}
                Slot::Receive(message) => self.messages.drop_receive(message),
                Slot::Send(message) => self.messages.drop_send(message),
            },
            Op::Probe { channel } => return Some(self.probe(rank, channel)),
            Op::Poll { times } => self.local_op(rank, LocalOp::Poll { times }),
            Op::Copy { bytes } => self.local_op(rank, LocalOp::Copy { bytes }),
            Op::Reduce { bytes } => self.local_op(rank, LocalOp::Reduce { bytes }),
            Op::File { bytes } => self.local_op(rank, LocalOp::File { bytes }),
            Op::Remote { access, channel, bytes } => {
                self.local_op(rank, LocalOp::Remote { access, spec: MessageSpec { channel, bytes } });
            }
            Op::Repeat { at, times } => {
                let runner = &mut self.runners[rank as usize];
                runner.state.repeat(&mut runner.extra, at, times);
            }
            Op::End => {
                let runner = &mut self.runners[rank as usize];
                return Some(!runner.state.end(&mut runner.extra));
            }
            Op::StartWildcard { .. } | Op::ProbeWildcard { .. } => return None,
        }
        Some(true)
    }

    fn compute(&mut self, rank: u32, time: Time) {
        if time != Time::ZERO {
            self.steps.push(Step::Compute { rank, picos: time.as_picos() });
        }
    }

    fn listed(&mut self, rank: u32) -> Time {
        let extra = &mut self.runners[rank as usize].extra;
        extra.next_of(&self.program.codes[rank as usize].times)
    }

    fn local_op(&mut self, rank: u32, local_op: LocalOp) {
        let local_op = self.local_ops.number(local_op);
        self.steps.push(Step::LocalOp { rank, local_op });
    }

    fn take_slot(&mut self, rank: u32, slot: u32) -> Slot {
        std::mem::replace(&mut self.runners[rank as usize].slots[slot as usize], Slot::Empty)
    }

    /// Records a send. Returns what its sender may have to wait for; `None` if the message is
    /// longer than [`ahead`](crate::ahead) handles without details.
    fn send(&mut self, rank: u32, mode: SendMode, spec: MessageSpec, started: bool) -> Option<Slot> {
        let lane = self.program.channels[spec.channel as usize].kind;
        let number = self.specs.number(spec);
        if spec.bytes >> 63 != 0 {
            return None;
        }
        if lane == ChannelKind::Helper {
            let message = self.messages.send(spec.channel, SendProtocol::Buffered, number);
            self.steps.push(Step::Signal { rank, message });
            self.after_send(spec, message, SendProtocol::Buffered, number);
            return Some(Slot::Empty);
        }
        let protocol = costs::send_protocol(self.machine, lane.operation(), mode, spec.bytes);
        let message = self.messages.send(spec.channel, protocol, number);
        self.steps.push(Step::Send { protocol, started, rank, message, spec: number });
        self.after_send(spec, message, protocol, number);
        Some(if protocol.is_buffered() { Slot::Empty } else { Slot::Send(message) })
    }

    /// Makes the ranks ready that are blocked on a message that was sent.
    fn after_send(&mut self, spec: MessageSpec, message: u32, protocol: SendProtocol, number: u32) {
        let message_state = self.messages.get(message);
        let receiver = std::mem::replace(&mut message_state.blocked_rank, NONE);
        if message_state.is_posted && waits_for_receive(protocol) {
            self.steps.push(Step::Match { protocol, message, spec: number });
        }
        self.messages.free_if_complete(message);
        let is_next = self.messages.first(spec.channel).is_some();
        let channel = self.messages.channel(spec);
        let prober = if is_next { std::mem::replace(&mut channel.prober, NONE) } else { NONE };
        self.ready.extend([receiver, prober].into_iter().filter(|&rank| rank != NONE));
    }

    /// Records a posted receive.
    fn post(&mut self, rank: u32, channel: u32) -> u32 {
        let message = self.messages.post(channel);
        self.steps.push(Step::Post { rank, message });
        let message_state = self.messages.get(message);
        if let Some((protocol, spec)) =
            message_state.sent.filter(|(protocol, _)| waits_for_receive(*protocol))
        {
            let sender = std::mem::replace(&mut message_state.blocked_rank, NONE);
            self.steps.push(Step::Match { protocol, message, spec });
            self.ready.extend((sender != NONE).then_some(sender));
        }
        message
    }

    fn receive(&mut self, rank: u32, channel: u32) -> bool {
        let first = self.messages.first(channel);
        let sent = first.and_then(|message| self.messages.get(message).sent);
        if let Some((SendProtocol::Buffered, spec)) = sent {
            let message = self.messages.post(channel);
            self.steps.push(Step::Receive { rank, message, spec });
            self.messages.drop_receive(message);
            return true;
        }
        let message = self.post(rank, channel);
        self.wait_or_block(rank, Slot::Receive(message))
    }

    /// Waits now, or later when the rank is ready again.
    fn wait_or_block(&mut self, rank: u32, held: Slot) -> bool {
        let proceeds = self.wait(rank, held);
        if !proceeds {
            self.runners[rank as usize].blocked_on = held;
        }
        proceeds
    }

    /// Waits for a request, if the time of its completion can be computed.
    fn wait(&mut self, rank: u32, held: Slot) -> bool {
        match held {
            Slot::Empty => true,
            Slot::Receive(message) => {
                let message_state = self.messages.get(message);
                let Some((protocol, spec)) = message_state.sent else {
                    message_state.blocked_rank = rank;
                    return false;
                };
                self.steps.push(Step::CompleteReceive { protocol, rank, message, spec });
                self.messages.drop_receive(message);
                true
            }
            Slot::Send(message) => {
                let message_state = self.messages.get(message);
                let waits_for_receive =
                    message_state.sent.is_some_and(|(protocol, _)| waits_for_receive(protocol));
                if waits_for_receive && !message_state.is_posted {
                    message_state.blocked_rank = rank;
                    return false;
                }
                self.steps.push(Step::CompleteSend { rank, message });
                self.messages.drop_send(message);
                true
            }
        }
    }

    fn probe(&mut self, rank: u32, channel: u32) -> bool {
        let Some(message) = self.messages.first(channel) else {
            self.messages.channel(MessageSpec { channel, bytes: 0 }).prober = rank;
            self.runners[rank as usize].state.pc -= 1;
            return false;
        };
        self.steps.push(Step::Probe { rank, message });
        self.local_op(rank, LocalOp::Poll { times: 1 });
        true
    }
}
