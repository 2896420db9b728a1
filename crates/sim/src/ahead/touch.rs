//! Looks ahead, for the sake of the cache.
//!
//! There are many ranks, and what they need is far away: to wait for it at each turn would take longer than the turn. So the
//! processor is asked for what coming turns need, in three steps, since each is found by the one before: the ranks themselves, then their operations
//! and slots, then their channels.

use super::part::Part;
use super::rank::{NONE, Rank};
use super::score::Bar;
use crate::observe::Observer;
use crate::prefetch;

/// Turns from one step to the next: as long as memory takes to answer, and more.
const AHEAD: usize = 6;
/// Of no rank are more operations looked at.
const MOST_OPERATIONS: u32 = 30;
/// So many operations are in a line of the cache; slots are as large.
const IN_A_LINE: u32 = 4;
/// A rank that goes on for long comes to operations so far from where it is.
const RUN: u32 = 16;

impl<'a, O: Observer> Part<'a, O> {
    /// Before a turn, asks for what coming turns need. Few blocks are in the cache anyway.
    #[inline]
    pub(super) fn touch_next(&self) {
        if self.agenda.is_small() {
            return;
        }
        let operations = self.usual.min(MOST_OPERATIONS) + 1;
        if let Some(seat) = self.agenda.soon(3 * AHEAD) {
            prefetch::soon(self.ranks.get(seat as usize));
        }
        if let Some(seat) = self.agenda.soon(2 * AHEAD) {
            self.touch_operations(&self.ranks[seat as usize], operations);
        }
        if let Some(seat) = self.agenda.soon(AHEAD) {
            self.touch_channels(&self.ranks[seat as usize], operations);
        }
    }

    /// While a rank runs: its operations lie in short pieces, and the processor does not find the next by itself.
    #[inline]
    pub(super) fn touch_run(&self, rank: &Rank<'a, Bar>) {
        if rank.next.is_multiple_of(IN_A_LINE) {
            prefetch::soon(self.reader.find(rank.ops, rank.next.saturating_add(RUN)));
        }
    }

    /// A rank's next operations, and as many slots.
    #[inline]
    fn touch_operations(&self, rank: &Rank<'a, Bar>, operations: u32) {
        for line in 0..(rank.next % IN_A_LINE + operations).div_ceil(IN_A_LINE) {
            prefetch::soon(self.reader.find(rank.ops, rank.next.saturating_add(line * IN_A_LINE)));
        }
        for line in 0..operations / IN_A_LINE / 2 {
            prefetch::soon(self.slots.get((rank.slots + line * IN_A_LINE) as usize));
        }
    }

    /// The channels of a rank's next operations.
    #[inline]
    fn touch_channels(&self, rank: &Rank<'a, Bar>, operations: u32) {
        let touch = |channel: u32| {
            prefetch::soon(self.queues.channels.get(channel.wrapping_sub(self.channel) as usize));
        };
        if rank.waits != NONE {
            touch(self.slots[(rank.slots + rank.waits) as usize].channel);
        }
        let mut place = rank.next;
        for _ in 0..operations {
            let Some(op) = self.reader.find(rank.ops, place) else { return };
            touch(op.number());
            // Behind the end of a loop it most likely begins again.
            place = if op.is_end() { rank.again } else { place + 1 };
        }
    }
}
