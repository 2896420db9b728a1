//! The costs of messages and local operations in each lane.

use panto_machine::{Machine, Transit};
use panto_units::Time;
use rustc_hash::FxHashMap;

use super::step::{LocalOp, MessageSpec};
use super::{LANES, Recording};
use crate::ahead::cost::{self, transit_times};
use crate::config::RunConfig;
use crate::costs;
use crate::program::{Channel, ChannelKind, Program, RemoteAccess};

/// A time for each lane, in picoseconds.
pub(super) type Times = [u64; LANES];

/// What a message costs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MessageCost {
    /// Overhead of a blocking send.
    pub(super) sending: Times,
    /// Overhead of a non-blocking send.
    pub(super) started: Times,
    /// Gap until the next message may be injected.
    pub(super) gap: Times,
    /// From injection to arrival.
    pub(super) arrives: Times,
    /// From injection until the data has left the sender.
    pub(super) leaves: Times,
    /// The request to send.
    pub(super) rts: Times,
    /// The clear to send.
    pub(super) cts: Times,
    /// Overhead of receiving it.
    pub(super) receiving: Times,
    /// Overhead of receiving it, if it was unexpected.
    pub(super) unexpected: Times,
}

/// The costs of everything in a recording.
pub(super) struct CostTable {
    table: Vec<MessageCost>,
    /// The index in the table of each spec: many have the same costs.
    specs: Vec<u32>,
    local_ops: Vec<Times>,
}

/// The message classes of both directions in each lane: messages of one size and the same classes
/// cost the same.
type Classes = [(u32, u32); LANES];

impl CostTable {
    pub(super) fn new(recording: &Recording<'_>, configs: &[RunConfig<'_>]) -> Self {
        let machine = |lane: usize| configs[lane.min(configs.len() - 1)].machine;
        let program = recording.program;
        let (mut costs, mut known) = (Vec::new(), FxHashMap::<(Classes, u64, Option<u32>), u32>::default());
        let mut number = |spec: &MessageSpec| {
            let channel = &program.channels[spec.channel as usize];
            let classes: Classes =
                std::array::from_fn(|lane| classes_both_ways(program, machine(lane), channel));
            // Distances too large to be told apart share a class, but not their costs.
            let is_unique = classes.iter().any(|&(there, back)| cost::is_far(there) || cost::is_far(back));
            let key = (classes, spec.bytes, is_unique.then_some(spec.channel));
            *known.entry(key).or_insert_with(|| {
                costs.push(message_cost(program, machine, channel, spec.bytes));
                costs.len() as u32 - 1
            })
        };
        let specs = recording.specs.iter().map(&mut number).collect();
        let local_op = |local_op: &LocalOp| {
            std::array::from_fn(|lane| local_time(program, machine(lane), local_op).as_picos())
        };
        Self { specs, table: costs, local_ops: recording.local_ops.iter().map(local_op).collect() }
    }

    #[inline]
    pub(super) fn of(&self, spec: u32) -> &MessageCost {
        &self.table[self.specs[spec as usize] as usize]
    }

    #[inline]
    pub(super) fn local_op(&self, local_op: u32) -> &Times {
        &self.local_ops[local_op as usize]
    }
}

fn classes_both_ways(program: &Program, machine: &Machine, channel: &Channel) -> (u32, u32) {
    let reverse = Channel { from: channel.to, to: channel.from, ..*channel };
    (cost::class(program, machine, channel), cost::class(program, machine, &reverse))
}

fn message_cost<'m>(
    program: &Program,
    machine: impl Fn(usize) -> &'m Machine,
    channel: &Channel,
    bytes: u64,
) -> MessageCost {
    let mut cost = MessageCost::default();
    if channel.kind == ChannelKind::Helper {
        return cost;
    }
    let operation = channel.kind.operation();
    for lane in 0..LANES {
        let machine = machine(lane);
        let transit = transit_times(program, machine, channel, bytes);
        let Transit { leaves, arrives } = transit.data;
        let times = [
            (&mut cost.sending, costs::send_overhead(machine, operation, bytes, false)),
            (&mut cost.started, costs::send_overhead(machine, operation, bytes, true)),
            (&mut cost.gap, transit.gap),
            (&mut cost.arrives, arrives),
            (&mut cost.leaves, leaves),
            (&mut cost.rts, transit.rts),
            (&mut cost.cts, transit.cts),
            (&mut cost.receiving, costs::receive_overhead(machine, operation, bytes, false)),
            (&mut cost.unexpected, costs::receive_overhead(machine, operation, bytes, true)),
        ];
        for (place, time) in times {
            place[lane] = time.as_picos();
        }
    }
    cost
}

fn local_time(program: &Program, machine: &Machine, local_op: &LocalOp) -> Time {
    match *local_op {
        LocalOp::Start(kind) => costs::post_overhead(machine, kind.operation()),
        LocalOp::Poll { times } => costs::poll_time(machine, times),
        LocalOp::Copy { bytes } => machine.processor.copy.of(bytes),
        LocalOp::Reduce { bytes } => machine.processor.reduce.of(bytes),
        LocalOp::File { bytes } => machine.storage.of(bytes),
        LocalOp::Remote { access, spec: MessageSpec { channel, bytes } } => {
            remote(program, machine, access, &program.channels[channel as usize], bytes)
        }
    }
}

fn remote(program: &Program, machine: &Machine, access: RemoteAccess, channel: &Channel, bytes: u64) -> Time {
    let ends = cost::ends(program, &machine.network, channel);
    costs::remote_time(machine, access, ends, bytes)
}
