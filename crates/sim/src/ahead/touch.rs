//! Looks ahead, for the sake of the cache.
//!
//! There are many ranks, and what they need is far away: to wait for it at each turn would take longer than the turn. So the
//! processor is asked for what coming turns need, in three steps, since each is found by the one before: the ranks themselves, then their operations
//! and slots, then their channels.

use super::part::Part;
use super::rank::Rank;
use super::score::Bar;
use crate::observe::Observer;
use crate::prefetch;

/// Turns from one step to the next: as long as memory takes to answer, and more.
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

    /// When a rank comes to a bar: the next ones lie elsewhere, and the processor does not find them by itself.
    #[inline]
    pub(super) fn touch_run(&self, rank: &Rank<'a, Bar>) {
        prefetch::soon(self.reader.bar(rank.ops, rank.next.saturating_add(RUN)));
    }
}
