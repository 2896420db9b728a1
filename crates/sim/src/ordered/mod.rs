//! Programs on the time-ordered engine: contention, wildcards, shared processors (P13, P21).
//!
//! This is the driver of [`Engine`] for a [`Program`]. Each rank is a state machine:
//! a program counter, a stage inside the current operation (overhead, wait, completion), a stack of
//! loops and slots for requests. It executes operations until it blocks; then the engine returns
//! the next rank that can proceed. No coroutine and no allocation is needed for an operation.
//!
//! Matching: the k-th message of a channel matches its k-th receive. The engine sees a channel as a
//! tag between its two ranks, numbered so that what a receive with wildcards accepts is a range of
//! tags (`channel_table`).
//!
//! Three things make it fast with many ranks. A rank that blocks tells the engine its *lookahead*,
//! the computation that follows its wait, so that ranks are woken late and in batches
//! (`lookahead`). Consecutive waits block once, for all of their requests. And since ranks of a
//! batch run in the order of their numbers, what they need is prefetched turns ahead
//! (`prefetch`).
//!
//! [`GrowingRun`] is the driver for a program that becomes known while it runs.
//!
//! The run-ahead engine ([`ahead`](crate::ahead)) gives the same result to the picosecond wherever
//! both apply.

mod answers;
mod channel_table;
mod growing;
mod lookahead;
mod message_cost;
mod messages;
mod prefetch;
mod probe;
mod rank_run;
mod rank_state;

use panto_units::Time;

use crate::config::RunConfig;
use crate::engine::{Engine, Placement, RequestId};
use crate::error::{Awaited, BlockedRank, Deadlock, MAX_REPORTED_RANKS, RunError};
use crate::memo::Memo;
use crate::observe::Observer;
use crate::program::{Op, PackedOp, Program};
use channel_table::ChannelTable;
use message_cost::MessageCost;
use panto_memory::HugeVec;
use prefetch::Pipeline;
use rank_run::RankRun;
use rank_state::{Pending, RankState};

pub use answers::{Answer, Question};
pub use growing::GrowingRun;

/// Runs a program; returns the time at which each rank ends, then each helper. The caller has
/// checked that the machine has room for the ranks.
pub fn run<O: Observer>(
    program: &Program,
    config: &RunConfig,
    observer: &mut O,
) -> Result<Vec<Time>, RunError> {
    let placement = Placement { ranks: program.ranks as usize, helpers_of: &program.helper_homes };
    let mut engine =
        Engine::with_helpers(config.machine, &placement, config.sharing, u32::MAX).without_bytes();
    let channels = ChannelTable::new(program, &mut engine);
    let ranks = RankState::all(program);
    let slots = HugeVec::filled(Pending::Empty, ranks.last().map_or(0, |state| state.slots.end));
    let (costs, pipeline) = (Memo::default(), Pipeline::default());
    let mut simulation =
        Simulation { program, config, channels, engine, ranks, slots, observer, costs, pipeline };
    while let Some(rank) = simulation.engine.next_rank() {
        simulation.prefetch_next();
        simulation.resume(rank, true);
        if simulation.engine.is_time_exhausted() {
            return Err(RunError::TimeOverflow);
        }
    }
    let packets = simulation.engine.packets();
    simulation.observer.ended(packets);
    if simulation.engine.is_time_exhausted() { Err(RunError::TimeOverflow) } else { simulation.ends() }
}

/// A program while it runs.
struct Simulation<'a, O> {
    program: &'a Program,
    config: &'a RunConfig<'a>,
    channels: ChannelTable,
    engine: Engine,
    ranks: HugeVec<RankState<&'a [PackedOp]>>,
    slots: HugeVec<Pending>,
    observer: &'a mut O,
    costs: Memo<MessageCost>,
    pipeline: Pipeline,
}

impl<O: Observer> Simulation<'_, O> {
    #[inline]
    fn resume(&mut self, rank: u32, batches_waits: bool) {
        let state = &mut self.ranks[rank as usize];
        let mut run = RankRun {
            program: self.program,
            config: self.config,
            channels: &self.channels,
            rank,
            batches_waits,
            slots: &mut self.slots[state.slots.clone()],
            state,
            engine: &mut self.engine,
            observer: self.observer,
            costs: &mut self.costs,
        };
        if run.resume() {
            self.engine.finish(rank);
        }
    }

    /// The end of each rank; or the ranks that are in a deadlock, and why.
    fn ends(mut self) -> Result<Vec<Time>, RunError> {
        let ranks = 0..self.ranks.len() as u32;
        let blocked: Vec<u32> = ranks.clone().filter(|&rank| !self.ranks[rank as usize].is_done).collect();
        if blocked.is_empty() {
            return Ok(ranks.map(|rank| self.engine.clock(rank)).collect());
        }
        for &rank in &blocked {
            // Of several waits that were batched, the first may be complete: find the one that is
            // not.
            if self.ranks[rank as usize].waits_all {
                self.resume(rank, false);
            }
        }
        let blocked_rank = |&rank: &u32| {
            let state = &self.ranks[rank as usize];
            blocked_rank(rank, state, &self.slots[state.slots.clone()], &self.engine)
        };
        let reported = blocked.iter().take(MAX_REPORTED_RANKS).filter_map(blocked_rank).collect();
        Err(RunError::Deadlock(Deadlock { count: blocked.len(), blocked: reported }))
    }
}

/// What a blocked rank waits for.
fn blocked_rank<C: AsRef<[PackedOp]>>(
    rank: u32,
    state: &RankState<C>,
    slots: &[Pending],
    engine: &Engine,
) -> Option<BlockedRank> {
    let awaits = match state.ops.as_ref().get(state.pc as usize)?.unpack() {
        Op::Send { channel, .. } => awaited_by_send(engine, state.request, channel),
        Op::Receive { channel } | Op::Probe { channel } => Awaited::Message { channel },
        Op::ProbeWildcard { wildcard } | Op::StartWildcard { wildcard, .. } => Awaited::Wildcard { wildcard },
        Op::Wait { slot } => match slots.get(slot as usize)? {
            Pending::Empty => return None,
            &Pending::Send { request, channel } => awaited_by_send(engine, request, channel),
            &Pending::Receive { channel, .. } => Awaited::Message { channel },
            &Pending::Wildcard { wildcard, .. } => Awaited::Wildcard { wildcard },
        },
        _ => return None,
    };
    Some(BlockedRank { rank, calls: state.calls, awaits })
}

/// What an incomplete send waits for: its receive, or space in the buffers of the receiver.
fn awaited_by_send(engine: &Engine, request: RequestId, channel: u32) -> Awaited {
    match engine.awaits_space(request) {
        Some(wait) => Awaited::Space { channel, wait },
        None => Awaited::Receive { channel },
    }
}
