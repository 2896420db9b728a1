//! Prefetching for coming turns.
//!
//! The state of many ranks does not fit in the caches. It is prefetched some turns ahead in five
//! stages, since each stage finds its addresses through the one before: the ranks; their operations
//! and slots; the channels of those operations; the engine's channels and the receiving ranks; and
//! the messages and receives queued there.

use super::Simulation;
use super::rank_state::RankState;
use crate::observe::Observer;
use crate::program::PackedOp;
use panto_memory::prefetch;

/// The number of ranks up to which nothing is prefetched: their state fits in the caches.
const FEW_RANKS: usize = 1_024;
/// The most operations of a rank that are looked at.
const MAX_OPERATIONS: usize = 32;
/// Operations in a cache line (16 bytes each).
const OPERATIONS_PER_LINE: usize = 4;
/// Slab in a cache line, at least.
const SLOTS_PER_LINE: usize = 5;

/// The channels of the next three ranks, one stage of prefetching apart: those of the first are
/// engine channels, the others channels of the program.
pub(super) type Pipeline = [Vec<u32>; 3];

impl<O: Observer> Simulation<'_, O> {
    /// Prefetches what coming turns need.
    #[inline]
    pub(super) fn prefetch_next(&mut self) {
        if self.ranks.len() <= FEW_RANKS {
            return;
        }
        if let Some(rank) = self.engine.upcoming(5) {
            self.engine.prefetch_rank(rank);
            prefetch(self.ranks.get(rank as usize));
        }
        if let Some(rank) = self.engine.upcoming(4) {
            self.prefetch_operations(&self.ranks[rank as usize]);
        }
        if let Some(rank) = self.engine.upcoming(2) {
            self.prefetch_requests(&self.ranks[rank as usize]);
        }
        let Self { engine, ranks, channels, pipeline, .. } = self;
        pipeline.rotate_right(1);
        let [third, second, first] = pipeline;
        third.clear();
        if let Some(rank) = engine.upcoming(3) {
            each_channel(&ranks[rank as usize], |channel| {
                channels.prefetch(channel);
                third.push(channel);
            });
        }
        for id in second {
            let channel = channels.get(*id);
            engine.prefetch_channel(channel.id);
            engine.prefetch_rank(channel.to);
            *id = channel.id;
        }
        for id in first {
            engine.prefetch_queues(*id);
        }
    }

    /// Prefetches a rank's next operations, those at the start of its innermost loop, and its
    /// slots.
    #[inline]
    fn prefetch_operations(&self, state: &RankState<&[PackedOp]>) {
        let starts = state.loops.last().map(|innermost| innermost.start).into_iter().chain([state.pc]);
        for start in starts {
            for line in 0..MAX_OPERATIONS / OPERATIONS_PER_LINE {
                prefetch(state.ops.get(start as usize + line * OPERATIONS_PER_LINE));
            }
        }
        for slot in state.slots.clone().step_by(SLOTS_PER_LINE).take(MAX_OPERATIONS / SLOTS_PER_LINE) {
            prefetch(self.slots.get(slot));
        }
    }

    #[inline]
    fn prefetch_requests(&self, state: &RankState<&[PackedOp]>) {
        let pending = self.slots[state.slots.clone()].iter().take(MAX_OPERATIONS);
        for request in pending.filter_map(|pending| pending.request()) {
            self.engine.prefetch_request(request);
        }
    }
}

/// Calls `visit` for the channels of a rank's next operations.
#[inline]
fn each_channel(state: &RankState<&[PackedOp]>, mut visit: impl FnMut(u32)) {
    let mut pc = state.pc as usize;
    for _ in 0..MAX_OPERATIONS {
        let Some(&op) = state.ops.get(pc) else { return };
        if let Some(channel) = op.channel() {
            visit(channel);
        }
        pc = match state.loops.last() {
            // At its end a loop most likely begins again.
            Some(innermost) if op.is_end() => innermost.start as usize,
            _ => pc + 1,
        };
    }
}
