//! The ranks that can proceed, and the order in which they have their turn.
//!
//! The order does not affect the results, only how well caches are used: most messages go to a rank
//! nearby. So positions are divided into *blocks* whose data fit in an L2 cache. While a block is
//! current, its ready ranks have their turn from the first to the last, and again from the first,
//! until none of them is ready, or until the block has used up its quota of operations and each
//! ready rank has had a turn. Without the quota a block could run far ahead of the others and fill
//! memory with messages that are not received yet.
//!
//! # Why not first in, first out?
//!
//! A rank that becomes ready is usually one of many, and needs messages from others among them. In
//! the order of positions, more of these have been sent when its turn comes: in a dissemination
//! barrier a rank then executes three times as much in a turn. And memory is read in ascending
//! order.
//!
//! # Order of blocks
//!
//! Blocks take turns first in, first out. A block that has used up its quota is *paused*: blocks
//! that became ready meanwhile go first, so what it sent propagates from block to block at once,
//! and other threads get work early. A pause ends when no other block waits, and at the latest
//! after as many block turns as there are blocks, so blocks that keep waking each other starve
//! none.
//!
//! # Cost
//!
//! Readiness is one bit for each rank. Adding and removing a rank is O(1), except that the search
//! for the next bit reads the words of the block.

use std::collections::VecDeque;

/// Bytes of ranks, slots and channels in a block: a fraction of an L2 cache, since messages to
/// other blocks are in use, too.
const BLOCK_BYTES: usize = 1 << 18;
/// Number of blocks that stay in most L2 caches, so that prefetching does not pay.
const CACHED_BLOCKS: usize = 4;
/// Bytes that a rank uses beside slots and channels: its state, and the operations it is at.
const RANK_BYTES: usize = 256;
/// Operations that a block may execute for each of its ranks before it is paused.
const BLOCK_QUOTA: u64 = 24;
/// Bits of a word of the bit set.
const WORD_BITS: usize = u64::BITS as usize;

/// The ranks that can proceed.
pub(super) struct ReadyQueue {
    /// A bit for each position: is the rank ready? Each block begins with a word of its own.
    bits: Vec<u64>,
    /// The number of ready ranks of each block.
    counts: Vec<u32>,
    /// Blocks other than the current one that have ready ranks and have not used up their quota.
    waiting: VecDeque<u32>,
    /// Blocks that have ready ranks and have used up their quota.
    paused: VecDeque<u32>,
    /// How many blocks have been current since paused blocks were last made waiting.
    turns: usize,
    current: usize,
    /// Where the search for the next ready rank continues, as a bit index of the current block.
    cursor: usize,
    /// Operations that the current block may still execute.
    quota_left: u64,
    /// Log2 of the number of ranks in a block.
    block_bits: u32,
    /// Log2 of the number of bits that a block has in the bit set: a whole word at least.
    bit_shift: u32,
}

impl ReadyQueue {
    /// Returns a queue of `ranks` ranks, all ready, which have `bytes` bytes of slots and channels
    /// together.
    pub(super) fn new(ranks: usize, bytes: usize) -> Self {
        let each = RANK_BYTES + bytes / ranks.max(1);
        let block_bits = (BLOCK_BYTES / each).max(1).ilog2();
        let bit_shift = block_bits.max(WORD_BITS.ilog2());
        let blocks = ranks.div_ceil(1 << block_bits).max(1);
        let mut ready = Self {
            bits: vec![0; blocks << (bit_shift - WORD_BITS.ilog2())],
            counts: vec![0; blocks],
            waiting: VecDeque::new(),
            paused: VecDeque::new(),
            turns: 0,
            current: 0,
            cursor: 0,
            quota_left: BLOCK_QUOTA << block_bits,
            block_bits,
            bit_shift,
        };
        (0..ranks as u32).for_each(|position| ready.push(position));
        ready
    }

    /// Makes a rank ready, if it is not already.
    #[inline]
    pub(super) fn push(&mut self, position: u32) {
        let block = (position >> self.block_bits) as usize;
        let place = block << self.bit_shift | position as usize & ((1 << self.block_bits) - 1);
        let (word, bit) = (&mut self.bits[place / WORD_BITS], 1 << (place % WORD_BITS));
        if *word & bit != 0 {
            return;
        }
        *word |= bit;
        let count = &mut self.counts[block];
        if *count == 0 && block != self.current {
            self.waiting.push_back(block as u32);
        }
        *count += 1;
    }

    /// Removes and returns the rank whose turn is next.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        loop {
            if let Some(position) = self.take() {
                return Some(position);
            }
            self.next_block()?;
        }
    }

    /// Removes and returns the next ready rank of the current block; `None` if its turn is over.
    #[inline]
    fn take(&mut self) -> Option<u32> {
        if self.counts[self.current] == 0 {
            return None;
        }
        let end = 1 << self.bit_shift;
        loop {
            if self.cursor == end {
                if self.quota_left == 0 {
                    return None;
                }
                self.cursor = 0;
            }
            let word = &mut self.bits[(self.current << self.bit_shift | self.cursor) / WORD_BITS];
            let remaining = *word & !0 << (self.cursor % WORD_BITS);
            if remaining != 0 {
                let place = self.cursor / WORD_BITS * WORD_BITS + remaining.trailing_zeros() as usize;
                *word &= !(1 << (place % WORD_BITS));
                self.counts[self.current] -= 1;
                self.cursor = place + 1;
                return Some((self.current << self.block_bits | place) as u32);
            }
            self.cursor = (self.cursor / WORD_BITS + 1) * WORD_BITS;
        }
    }

    /// Makes the next block current; `None` if no rank is ready.
    #[cold]
    #[inline(never)]
    fn next_block(&mut self) -> Option<()> {
        if self.counts[self.current] > 0 {
            self.paused.push_back(self.current as u32);
        }
        // Blocks that keep waking each other must not starve those that are paused.
        self.turns += 1;
        if self.waiting.is_empty() || self.turns > self.counts.len() {
            self.waiting.append(&mut self.paused);
            self.turns = 0;
        }
        self.quota_left = BLOCK_QUOTA << self.block_bits;
        self.current = self.waiting.pop_front()? as usize;
        self.cursor = 0;
        Some(())
    }

    /// Counts operations against the quota of the current block.
    #[inline]
    pub(super) fn charge(&mut self, operations: u32) {
        self.quota_left = self.quota_left.saturating_sub(operations.into());
    }

    /// Returns whether there are so few blocks that all of them stay in the cache.
    #[inline]
    pub(super) fn fits_cache(&self) -> bool {
        self.counts.len() <= CACHED_BLOCKS
    }

    /// Returns the position whose turn comes `turns` turns from now if all ranks of the block are
    /// ready: a guess for prefetching that is often right, since ranks wake those after them.
    #[inline]
    pub(super) fn upcoming(&self, turns: u32) -> u32 {
        (self.current << self.block_bits) as u32 + self.cursor as u32 + turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three ranks, each a block of its own. The first has used up its quota and is ready.
    fn three_blocks() -> ReadyQueue {
        let mut ready = ReadyQueue::new(3, 3 * BLOCK_BYTES);
        assert_eq!(ready.pop(), Some(0));
        ready.charge(BLOCK_QUOTA as u32);
        ready.push(0);
        ready
    }

    #[test]
    fn ranks_of_a_block_have_their_turn_in_their_order() {
        let mut ready = ReadyQueue::new(200, 0);
        assert!((0..100).all(|position| ready.pop() == Some(position)));
        // The quota does not exclude ranks that had no turn yet, nor a rank that becomes ready
        // after the cursor.
        ready.charge(u32::MAX);
        for position in [7, 150, 3] {
            ready.push(position);
        }
        let extra: Vec<u32> = std::iter::from_fn(|| ready.pop()).collect();
        assert_eq!(extra, (100..200).chain([3, 7]).collect::<Vec<u32>>());
    }

    #[test]
    fn a_rank_is_woken_once() {
        let mut ready = ReadyQueue::new(1, 0);
        ready.push(0);
        assert_eq!((ready.pop(), ready.pop()), (Some(0), None));
    }

    #[test]
    fn what_others_wake_goes_first() {
        let mut ready = three_blocks();
        assert_eq!((ready.pop(), ready.pop()), (Some(1), Some(2)));
        ready.push(1);
        assert_eq!([ready.pop(), ready.pop(), ready.pop()], [Some(1), Some(0), None]);
    }

    #[test]
    fn those_that_wake_each_other_do_not_keep_a_third_waiting() {
        let mut ready = three_blocks();
        let mut others = 0;
        while let Some(position @ 1..) = ready.pop() {
            ready.push(3 - position);
            others += 1;
            assert!(others < 10, "the first has its turn");
        }
    }
}
