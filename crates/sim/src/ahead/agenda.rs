//! Whose turn it is.
//!
//! The order does not matter for the result, but it does for the caches: most messages go to a rank that is near. So seats are taken in
//! *blocks* whose data fit in a cache of the second level. While a block has its turn, its ranks go on, first come first served, until
//! all of them wait for ranks of other blocks, or until the block has had its share: what runs far ahead of the others fills the
//! memory with messages that nobody takes.
//!
//! A block that has had its share goes on after all that others have woken meanwhile. So what it sent goes on from block to block at
//! once, as far as it can, and other threads have something to do early.

use std::collections::VecDeque;

/// What the data of a block may take.
const BLOCK_BYTES: usize = 1 << 18;
/// So many blocks stay in most caches of the second level.
const FEW: usize = 4;
/// What a rank has beside slots and channels, with the operations that it is at.
const RANK_BYTES: usize = 256;
/// Operations of a block before others have their turn, for each of its ranks.
const SHARE: u64 = 48;

/// Ranks that can go on.
pub(super) struct Agenda {
    blocks: Vec<VecDeque<u32>>,
    /// Blocks with such ranks, other than the current one,
    waiting: VecDeque<u32>,
    /// and those that have had their share.
    paused: VecDeque<u32>,
    /// How many blocks had their turn since paused ones became waiting ones.
    turns: usize,
    current: usize,
    /// What is left of the current block's share.
    left: u64,
    /// Binary digits of a seat inside of its block.
    digits: u32,
}

impl Agenda {
    /// For so many ranks, all of which can go on, that have so many bytes of slots and channels.
    pub(super) fn new(ranks: usize, bytes: usize) -> Self {
        let each = RANK_BYTES + bytes / ranks.max(1);
        let digits = (BLOCK_BYTES / each).max(1).ilog2();
        let mut blocks = vec![VecDeque::new(); ranks.div_ceil(1 << digits).max(1)];
        for seat in 0..ranks {
            blocks[seat >> digits].push_back(seat as u32);
        }
        let waiting = (1..blocks.len() as u32).collect();
        let left = SHARE << digits;
        Self { blocks, waiting, paused: VecDeque::new(), turns: 0, current: 0, left, digits }
    }

    /// A rank can go on.
    #[inline]
    pub(super) fn push(&mut self, seat: u32) {
        let block = (seat >> self.digits) as usize;
        let queue = &mut self.blocks[block];
        if queue.is_empty() && block != self.current {
            self.waiting.push_back(block as u32);
        }
        queue.push_back(seat);
    }

    /// Whose turn it is.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        if self.left > 0
            && let Some(seat) = self.blocks[self.current].pop_front()
        {
            return Some(seat);
        }
        self.next_block()
    }

    fn next_block(&mut self) -> Option<u32> {
        if !self.blocks[self.current].is_empty() {
            self.paused.push_back(self.current as u32);
        }
        // Those that wake each other again and again do not keep the others from their turn.
        self.turns += 1;
        if self.waiting.is_empty() || self.turns > self.blocks.len() {
            self.waiting.append(&mut self.paused);
            self.turns = 0;
        }
        self.left = SHARE << self.digits;
        self.current = self.waiting.pop_front()? as usize;
        self.blocks[self.current].pop_front()
    }

    /// It has done so much.
    #[inline]
    pub(super) fn done(&mut self, operations: u32) {
        self.left = self.left.saturating_sub(operations.into());
    }

    /// Are there so few blocks that all of them stay in the cache?
    #[inline]
    pub(super) fn is_small(&self) -> bool {
        self.blocks.len() <= FEW
    }

    /// Whose turn it is after so many others, as far as can be told.
    #[inline]
    pub(super) fn soon(&self, nth: usize) -> Option<u32> {
        let current = &self.blocks[self.current];
        if let Some(&seat) = current.get(nth) {
            return Some(seat);
        }
        let next = *self.waiting.front().or(self.paused.front())? as usize;
        self.blocks[next].get(nth - current.len()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three ranks, each a block of its own, of which the first has had its share and could go on.
    fn agenda() -> Agenda {
        let mut agenda = Agenda::new(3, 3 * BLOCK_BYTES);
        assert_eq!(agenda.pop(), Some(0));
        agenda.done(SHARE as u32);
        agenda.push(0);
        agenda
    }

    #[test]
    fn what_others_wake_goes_first() {
        let mut agenda = agenda();
        assert_eq!((agenda.pop(), agenda.pop()), (Some(1), Some(2)));
        agenda.push(1);
        assert_eq!([agenda.pop(), agenda.pop(), agenda.pop()], [Some(1), Some(0), None]);
    }

    #[test]
    fn those_that_wake_each_other_do_not_keep_a_third_waiting() {
        let mut agenda = agenda();
        let mut others = 0;
        while let Some(seat @ 1..) = agenda.pop() {
            agenda.push(3 - seat);
            others += 1;
            assert!(others < 10, "the first has its turn");
        }
    }
}
