//! A partition: a range of ranks, the channels that end at them, and the loop that executes them on
//! one thread.
//!
//! A *turn* executes operations of one ready rank until it blocks, ends or has used up its limit.
//! The ranks of other partitions are never touched: messages for them go to the [`Outbox`].

use std::ops::Range;

use panto_memory::{HugeVec, prefetch};
use panto_units::Time;
use rustc_hash::FxHashMap;

use super::channels::{ChannelState, Channels, DETAILED, Message};
use super::cost::{self, CostTable};
use super::ejecting::Ejecting;
use super::exchange::{Bundle, Outbox};
use super::interleaved_ops::{ChunkMap, OpChunk};
use super::prepared::PreparedProgram;
use super::rank::{BLOCKING_SLOTS, NONE, RankExtra, RankState, Slot};
use super::ready_queue::ReadyQueue;
use super::rendezvous::Details;
use crate::config::RunConfig;
use crate::network::EjectionPort;
use crate::observe::{Activity, Cause, Observer};
use crate::program::{Op, PackedOp};

/// Number of operations after which a rank yields, also if it does not block: a rank that runs far
/// ahead fills memory with messages that are not received yet.
const MAX_TURN_OPS: u32 = 1_024;

/// Distance in messages at which the channel of an incoming message is prefetched.
const PREFETCH_MESSAGES: usize = 8;

/// What is known of a receive that is completed out of the order of its channel.
pub(super) enum SetAside {
    /// Its message was taken from the channel before the rank waited for it.
    Message(Message),
    /// The request was freed: its message is discarded when it is sent.
    Freed,
}

/// The state of one thread's part of a program.
///
/// A rank or helper is named by its *position* ([`PreparedProgram`]); positions and channels are
/// counted here from the first of the partition.
pub(super) struct Partition<'a, O> {
    pub(super) prepared: &'a PreparedProgram<'a>,
    pub(super) config: RunConfig<'a>,
    pub(super) observer: &'a mut O,
    pub(super) costs: CostTable<'a>,
    /// How a rank's operations are found.
    pub(super) chunk_map: ChunkMap,
    /// The first position of the partition, counted in the whole program.
    pub(super) first_position: u32,
    /// The first channel of the partition, counted in the whole program.
    pub(super) first_channel: u32,
    pub(super) ranks: HugeVec<RankState<'a, OpChunk>>,
    /// What ranks need rarely.
    pub(super) extras: Vec<RankExtra>,
    /// The request slots of all ranks; each rank has a range.
    pub(super) slots: HugeVec<Slot>,
    /// For each slot with a send, the cause of its completion; empty if nothing is observed.
    pub(super) causes: Vec<Cause>,
    pub(super) channels: Channels,
    /// The ejection ports of all ranks; empty if ports are not shared.
    pub(super) ejection_ports: HugeVec<EjectionPort>,
    /// Scratch: the receives of one wait.
    pub(super) ejecting: Vec<Ejecting>,
    pub(super) details: Details,
    /// Receives completed out of order, by channel and sequence number.
    pub(super) set_aside: FxHashMap<(u32, u32), SetAside>,
    pub(super) ready: ReadyQueue,
    pub(super) outbox: Outbox,
    /// One more than the message class of each channel to another partition; 0 if not computed yet,
    /// so that unused parts of the allocation stay untouched zero pages.
    pub(super) across_classes: Vec<u32>,
    /// The latest arrival or completion, to detect overflow of virtual time.
    pub(super) latest: Time,
}

/// A rank during its turn. The state is a copy of the one in [`Partition::ranks`], so that the
/// compiler can keep it in registers.
pub(super) struct Runner<'a> {
    pub(super) rank: RankState<'a, OpChunk>,
    pub(super) position: u32,
    /// Operations executed in this turn.
    pub(super) executed: u32,
    /// Number of operations after which the turn ends.
    pub(super) limit: u32,
}

impl<'a, O: Observer> Partition<'a, O> {
    pub(super) fn new(
        prepared: &'a PreparedProgram<'a>,
        config: &RunConfig<'a>,
        observer: &'a mut O,
        positions: Range<u32>,
        outbox: Outbox,
    ) -> Self {
        let range = prepared.channels_to(&positions);
        let first = range.start;
        let machine = config.machine;
        let channel = |number: u32| {
            let class = cost::class(prepared.program(), machine, &prepared.channels()[number as usize]);
            ChannelState::new(class, cost::needs_receive_times(prepared, machine, number))
        };
        let channels = Channels::new(HugeVec::collect(range.map(channel)), prepared.mean_ops(), O::ENABLED);
        let mut slots = 0;
        let ranks: HugeVec<RankState<'a, OpChunk>> =
            HugeVec::collect(positions.clone().map(|position| rank(prepared, position, &mut slots)));
        let bytes = size_of_val(&*channels.states) + slots as usize * size_of::<Slot>();
        let costs = CostTable::new(prepared, config);
        let ports = if costs.shares_ports { ranks.len() } else { 0 };
        Self {
            prepared,
            config: *config,
            observer,
            costs,
            ejection_ports: HugeVec::filled(EjectionPort::default(), ports),
            ejecting: Vec::new(),
            chunk_map: prepared.ops().chunk_map(),
            first_position: positions.start,
            first_channel: first,
            extras: ranks.iter().map(|_| RankExtra::default()).collect(),
            ready: ReadyQueue::new(ranks.len(), bytes),
            ranks,
            causes: vec![Cause { rank: 0, at: Time::ZERO }; if O::ENABLED { slots as usize } else { 0 }],
            slots: HugeVec::filled(Slot::EMPTY, slots as usize),
            channels,
            details: Details::default(),
            set_aside: FxHashMap::default(),
            across_classes: vec![0; if outbox.is_only_partition() { 0 } else { prepared.channels().len() }],
            outbox,
            latest: Time::ZERO,
        }
    }

    /// Executes a turn of a ready rank. Returns false if no rank is ready.
    #[inline]
    pub(super) fn turn(&mut self) -> bool {
        let Some(position) = self.ready.pop() else { return false };
        self.prefetch_turns();
        let mut runner =
            Runner { rank: self.ranks[position as usize], position, executed: 0, limit: MAX_TURN_OPS };
        if runner.rank.waiting_slot == NONE || self.resume(&mut runner) {
            self.run(&mut runner);
        }
        self.ranks[position as usize] = runner.rank;
        true
    }

    /// Completes the wait that the rank was blocked in. Returns false if it is still blocked.
    fn resume(&mut self, runner: &mut Runner<'a>) -> bool {
        let mut slot = std::mem::replace(&mut runner.rank.waiting_slot, NONE);
        self.ranks[runner.position as usize].waiting_slot = NONE;
        // A wait can be blocked on a slot that comes later.
        let last = runner.rank.pc.wrapping_sub(1);
        if let Some(Op::Wait { slot: waited }) =
            self.chunk_map.op(runner.rank.ops, last).map(PackedOp::unpack)
        {
            slot = waited;
        }
        self.wait(runner, slot)
    }

    /// Executes the turn, and makes the rank ready again if it ended at the limit.
    #[inline]
    fn run(&mut self, runner: &mut Runner<'a>) {
        self.execute(runner);
        self.ready.charge(runner.executed);
        if runner.executed == runner.limit {
            self.ready.push(runner.position);
        }
    }

    /// Executes operations until the rank blocks, ends or reaches the limit of its turn.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the rank should be in registers")]
    fn execute(&mut self, runner: &mut Runner<'a>) {
        'chunks: while runner.executed < runner.limit {
            let Some(chunk) = self.chunk_map.chunk(runner.rank.ops, runner.rank.pc) else {
                runner.rank.pc = NONE;
                return;
            };
            for &op in chunk.starting_at(runner.rank.pc) {
                runner.rank.pc += 1;
                let proceeds = match op.unpack() {
                    Op::Send { mode, channel, bytes } => self.send(runner, mode, channel, bytes, None),
                    Op::StartSend { mode, slot, channel, bytes } => {
                        self.send(runner, mode, channel, bytes, Some(slot))
                    }
                    Op::Receive { channel } => self.receive(runner, channel),
                    Op::StartReceive { slot, channel } => self.start_receive(runner, channel, slot),
                    Op::Wait { slot } => self.wait(runner, slot),
                    Op::Compute(time) => self.compute(runner, time),
                    Op::Call { call, before } => self.call(runner, call, before),
                    Op::CallListed { call } => {
                        let before = self.listed(runner.position);
                        self.call(runner, call, before)
                    }
                    Op::Copy { bytes } => {
                        self.work(runner, Activity::Combine, self.config.machine.processor.copy.of(bytes));
                        true
                    }
                    Op::Reduce { bytes } => {
                        self.work(runner, Activity::Combine, self.config.machine.processor.reduce.of(bytes));
                        true
                    }
                    Op::Repeat { at, times } => {
                        runner.rank.repeat(&mut self.extras[runner.position as usize], at, times);
                        runner.executed += 1;
                        continue 'chunks;
                    }
                    Op::End => {
                        if runner.rank.end(&mut self.extras[runner.position as usize]) {
                            return;
                        }
                        runner.executed += 1;
                        continue 'chunks;
                    }
                    _ => {
                        // A copy, since a reference would force the rank's state out of registers.
                        let mut copy = Runner { ..*runner };
                        let proceeds = self.rare_op(&mut copy, op);
                        *runner = copy;
                        proceeds
                    }
                };
                if !proceeds {
                    return;
                }
                runner.executed += 1;
                if runner.executed == runner.limit {
                    return;
                }
            }
            self.prefetch_chunk(&runner.rank);
        }
    }

    /// Delivers what other partitions sent.
    pub(super) fn deliver_all(&mut self, bundles: &[Bundle]) {
        for bundle in bundles {
            for (nth, incoming) in bundle.messages.iter().enumerate() {
                if let Some(later) = bundle.messages.get(nth + PREFETCH_MESSAGES) {
                    prefetch(self.channels.states.get((later.channel - self.first_channel) as usize));
                }
                let bytes = incoming.message.bytes;
                let detail = (bytes & DETAILED != 0).then(|| bundle.details[(bytes & !DETAILED) as usize]);
                self.arrive((incoming.channel - self.first_channel) as usize, incoming.message, detail);
            }
            for &completion in &bundle.completions {
                self.complete_send(completion);
            }
        }
    }

    /// Returns the code number of the rank or helper at a position of this partition.
    #[inline]
    pub(super) fn code(&self, position: u32) -> u32 {
        self.prepared.code(self.first_position + position)
    }

    /// Advances the rank's clock by the time its processor works.
    #[inline]
    pub(super) fn work(&mut self, runner: &mut Runner<'a>, activity: Activity, time: Time) {
        let from = runner.rank.clock;
        runner.rank.clock = from.saturating_add(time);
        if O::ENABLED && time != Time::ZERO {
            let code = self.code(runner.position);
            self.observer.worked(code, activity, from, runner.rank.clock);
        }
    }

    /// Advances the rank's clock to `until`, unless it is later already.
    #[inline]
    pub(super) fn wait_until(
        &mut self,
        runner: &mut Runner<'a>,
        until: Time,
        cause: impl FnOnce(&Self) -> Cause,
    ) {
        let from = runner.rank.clock;
        if until > from {
            runner.rank.clock = until;
            if O::ENABLED {
                let (code, cause) = (self.code(runner.position), cause(self));
                self.observer.waited(code, from, until, cause);
            }
        }
    }
}

/// Returns the initial state of the rank at a position, with slots from `slots` on.
fn rank<'a>(prepared: &'a PreparedProgram<'a>, position: u32, slots: &mut u32) -> RankState<'a, OpChunk> {
    let code = prepared.code(position);
    let first = *slots;
    *slots += prepared.program().codes[code as usize].slots + BLOCKING_SLOTS;
    RankState { slots: first, ..RankState::at_start(prepared.ops().of(position)) }
}
