//! Looks ahead, for the sake of the cache.
//!
//! There are many ranks, and what they need is far away: to wait for it at each turn would take longer than the turn. So the
//! processor is asked for what coming turns need, in two steps, since one is found by the other: the ranks themselves, then their operations.
//! Channels are not worth a third: to find out which are needed takes longer than to wait for those that the processor has not found by itself.

use super::part::Part;
use super::rank::Rank;
use super::score::Bar;
use crate::observe::Observer;
use crate::prefetch;

/// Turns from one step to the next: as long as memory takes to answer.
const AHEAD: u32 = 4;
/// Operations of a short turn.
const SHORT: u32 = 4;
/// A rank that goes on for long comes to operations so far from where it is.
const RUN: u32 = 8;

impl<'a, O: Observer> Part<'a, O> {
    /// Before a turn, asks for what coming turns need. Few blocks are in the cache anyway.
    #[inline]
    pub(super) fn touch_next(&self) {
        if self.agenda.is_small() {
            return;
        }
        prefetch::soon(self.ranks.get(self.agenda.soon(2 * AHEAD) as usize));
        if let Some(rank) = self.ranks.get(self.agenda.soon(AHEAD) as usize) {
            prefetch::soon(self.reader.bar(rank.ops, rank.next));
            prefetch::soon(self.reader.bar(rank.ops, rank.next.saturating_add(SHORT)));
        }
    }

    /// When a rank comes to a bar: the next one lies elsewhere, and the processor does not find it by itself.
    #[inline]
    pub(super) fn touch_run(&self, rank: &Rank<'a, Bar>) {
        prefetch::soon(self.reader.bar(rank.ops, rank.next.saturating_add(RUN)));
    }
}
