//! Looks ahead, for the sake of the cache.

use std::hint::black_box;

use super::part::Part;
use super::rank::{NONE, Rank};
use crate::observe::Observer;

/// What so many ranks need is looked at together, before their turns,
const TOUCHED: u32 = 8;
/// but of no rank more operations than these,
const MOST_OPERATIONS: u32 = 30;
/// of which so many are in a line of the cache; slots are as large.
const IN_A_LINE: u32 = 4;

impl<'a, O: Observer> Part<'a, O> {
    /// Looks at what the next ranks need: the ranks themselves, then their operations and slots, then their channels. Nothing is done with
    /// what is seen, but the processor has it in its cache when its time comes. There are many ranks, and what they need is far away: to
    /// ask for all that several of them need takes as long as to wait for a piece of it.
    #[inline]
    pub(super) fn touch_next(&mut self) {
        if self.touched > 0 {
            self.touched -= 1;
            return;
        }
        self.touched = TOUCHED - 1;
        let operations = self.usual.min(MOST_OPERATIONS) + 1;
        let mut seen = 0;
        let ranks = |batch: usize| {
            let seats = (batch * TOUCHED as usize..).map_while(|nth| self.agenda.soon(nth));
            seats.take(TOUCHED as usize).map(|seat| &self.ranks[seat as usize])
        };
        ranks(2).for_each(|rank| seen ^= rank.next);
        ranks(1).for_each(|rank| seen ^= self.touch_operations(rank, operations));
        ranks(0).for_each(|rank| seen ^= self.touch_channels(rank, operations));
        black_box(seen);
    }

    /// Looks at a rank's next operations, and as many slots.
    #[inline]
    fn touch_operations(&self, rank: &Rank<'a>, operations: u32) -> u32 {
        let mut seen = 0;
        for line in 0..operations.div_ceil(IN_A_LINE) {
            seen ^= rank.ops.get((rank.next + line * IN_A_LINE) as usize).map_or(0, |op| op.number());
        }
        for line in 0..operations / IN_A_LINE / 2 {
            seen ^= self.slots.get((rank.slots + line * IN_A_LINE) as usize).map_or(0, |slot| slot.channel);
        }
        seen
    }

    /// Looks at the channels of a rank's next operations.
    #[inline]
    fn touch_channels(&self, rank: &Rank<'a>, operations: u32) -> u32 {
        let touch = |channel: u32| {
            let at = channel.wrapping_sub(self.channel) as usize;
            self.queues.channels.get(at).map_or(0, |channel| channel.posted)
        };
        let mut touched = 0;
        if rank.waits != NONE {
            let first = self.slots[(rank.slots + rank.waits) as usize].channel;
            touched ^= touch(first) ^ touch(first.wrapping_add(2)) ^ touch(first.wrapping_add(4));
        }
        let mut place = rank.next as usize;
        for _ in 0..operations {
            if place + 1 >= rank.ops.len() {
                // Most likely the end of a loop.
                place = rank.again as usize;
            }
            touched ^= rank.ops.get(place).map_or(0, |op| touch(op.number()));
            place += 1;
        }
        touched
    }
}
