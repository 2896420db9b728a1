//! Prefetching for coming turns.
//!
//! With many ranks, what a turn needs is not in a cache, and to wait for it would take longer than
//! the turn. It is prefetched in two steps, since the second needs the result of the first: the
//! rank's state, then its operations. Channels are not prefetched: finding out which ones a turn
//! will use takes longer than the misses that out-of-order execution does not hide.

use panto_memory::prefetch;

use super::interleaved_ops::OpChunk;
use super::partition::Partition;
use super::rank::RankState;
use crate::observe::Observer;

/// Turns from one step to the next: about the latency of memory.
const STEP_TURNS: u32 = 4;
/// Operations of a short turn, which may reach into the next chunk.
const SHORT_TURN_OPS: u32 = 4;
/// Distance in operations at which the next chunk of a long turn is prefetched.
const LONG_RUN_OPS: u32 = 8;

impl<'a, O: Observer> Partition<'a, O> {
    /// Prefetches what coming turns need, unless all blocks are in the cache anyway.
    #[inline]
    pub(super) fn prefetch_turns(&self) {
        if self.ready.fits_cache() {
            return;
        }
        prefetch(self.ranks.get(self.ready.upcoming(2 * STEP_TURNS) as usize));
        if let Some(rank) = self.ranks.get(self.ready.upcoming(STEP_TURNS) as usize) {
            prefetch(self.chunk_map.chunk(rank.ops, rank.pc));
            prefetch(self.chunk_map.chunk(rank.ops, rank.pc.saturating_add(SHORT_TURN_OPS)));
        }
    }

    /// Prefetches the next chunk of a rank that has reached the end of one. It lies elsewhere,
    /// where the hardware prefetcher does not expect it.
    #[inline]
    pub(super) fn prefetch_chunk(&self, rank: &RankState<'a, OpChunk>) {
        prefetch(self.chunk_map.chunk(rank.ops, rank.pc.saturating_add(LONG_RUN_OPS)));
    }
}
