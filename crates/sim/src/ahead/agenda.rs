//! Whose turn it is.
//!
//! The order does not matter for the result, but it does for the caches: most messages go to a rank that is near. So seats are taken in
//! *blocks* whose data fit in a cache of the second level. While a block has its turn, its ranks go on, from the first to the last and again,
//! until all of them wait for ranks of other blocks, or until the block has had its share and all of its ranks their turn: what runs far ahead
//! of the others fills the memory with messages that nobody takes.
//!
//! *Why not first come first served?* A rank that is woken is usually one of many that are, and needs messages of others among them. In the
//! order of their numbers, more of these have been sent when it has its turn: in a dissemination a rank then does three times
//! as much at once. And memory is read in the order in which it lies.
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
const SHARE: u64 = 24;
/// Binary digits of a word.
const WORD: usize = u64::BITS as usize;

/// Ranks that can go on.
pub(super) struct Agenda {
    /// A binary digit for each seat: can it go on? A block has words of its own.
    ready: Vec<u64>,
    /// How many digits are set in each block.
    counts: Vec<u32>,
    /// Blocks with ranks that can go on, other than the current one,
    waiting: VecDeque<u32>,
    /// and those that have had their share.
    paused: VecDeque<u32>,
    /// How many blocks had their turn since paused ones became waiting ones.
    turns: usize,
    current: usize,
    /// Where in the current block the next is looked for.
    cursor: usize,
    /// What is left of the current block's share.
    left: u64,
    /// Binary digits of a seat inside of its block,
    digits: u32,
    /// and of a block's place among all digits.
    shift: u32,
}

impl Agenda {
    /// For so many ranks, all of which can go on, that have so many bytes of slots and channels.
    pub(super) fn new(ranks: usize, bytes: usize) -> Self {
        let each = RANK_BYTES + bytes / ranks.max(1);
        let digits = (BLOCK_BYTES / each).max(1).ilog2();
        let shift = digits.max(WORD.ilog2());
        let blocks = ranks.div_ceil(1 << digits).max(1);
        let mut agenda = Self {
            ready: vec![0; blocks << (shift - WORD.ilog2())],
            counts: vec![0; blocks],
            waiting: VecDeque::new(),
            paused: VecDeque::new(),
            turns: 0,
            current: 0,
            cursor: 0,
            left: SHARE << digits,
            digits,
            shift,
        };
        (0..ranks as u32).for_each(|seat| agenda.push(seat));
        agenda
    }

    /// A rank can go on.
    #[inline]
    pub(super) fn push(&mut self, seat: u32) {
        let block = (seat >> self.digits) as usize;
        let place = block << self.shift | seat as usize & ((1 << self.digits) - 1);
        let (word, digit) = (&mut self.ready[place / WORD], 1 << (place % WORD));
        if *word & digit != 0 {
            return;
        }
        *word |= digit;
        let count = &mut self.counts[block];
        if *count == 0 && block != self.current {
            self.waiting.push_back(block as u32);
        }
        *count += 1;
    }

    /// Whose turn it is.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        loop {
            if let Some(seat) = self.take() {
                return Some(seat);
            }
            self.next_block()?;
        }
    }

    /// The next of the current block, from its first to its last and again, as long as its turn lasts.
    #[inline]
    fn take(&mut self) -> Option<u32> {
        if self.counts[self.current] == 0 {
            return None;
        }
        let end = 1 << self.shift;
        loop {
            if self.cursor == end {
                if self.left == 0 {
                    return None;
                }
                self.cursor = 0;
            }
            let word = &mut self.ready[(self.current << self.shift | self.cursor) / WORD];
            let rest = *word & !0 << (self.cursor % WORD);
            if rest != 0 {
                let place = self.cursor / WORD * WORD + rest.trailing_zeros() as usize;
                *word &= !(1 << (place % WORD));
                self.counts[self.current] -= 1;
                self.cursor = place + 1;
                return Some((self.current << self.digits | place) as u32);
            }
            self.cursor = (self.cursor / WORD + 1) * WORD;
        }
    }

    #[cold]
    #[inline(never)]
    fn next_block(&mut self) -> Option<()> {
        if self.counts[self.current] > 0 {
            self.paused.push_back(self.current as u32);
        }
        // Those that wake each other again and again do not keep the others from their turn.
        self.turns += 1;
        if self.waiting.is_empty() || self.turns > self.counts.len() {
            self.waiting.append(&mut self.paused);
            self.turns = 0;
        }
        self.left = SHARE << self.digits;
        self.current = self.waiting.pop_front()? as usize;
        self.cursor = 0;
        Some(())
    }

    /// It has done so much.
    #[inline]
    pub(super) fn done(&mut self, operations: u32) {
        self.left = self.left.saturating_sub(operations.into());
    }

    /// Are there so few blocks that all of them stay in the cache?
    #[inline]
    pub(super) fn is_small(&self) -> bool {
        self.counts.len() <= FEW
    }

    /// Whose turn it is after so many others if all can go on, and often if not: ranks wake those behind them.
    #[inline]
    pub(super) fn soon(&self, others: u32) -> u32 {
        (self.current << self.digits) as u32 + self.cursor as u32 + others
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
    fn ranks_of_a_block_have_their_turn_in_their_order() {
        let mut agenda = Agenda::new(200, 0);
        assert!((0..100).all(|seat| agenda.pop() == Some(seat)));
        // The share is no reason to leave out those that did not have their turn; who is woken behind them has it, too.
        agenda.done(u32::MAX);
        for seat in [7, 150, 3] {
            agenda.push(seat);
        }
        let rest: Vec<u32> = std::iter::from_fn(|| agenda.pop()).collect();
        assert_eq!(rest, (100..200).chain([3, 7]).collect::<Vec<u32>>());
    }

    #[test]
    fn a_rank_is_woken_once() {
        let mut agenda = Agenda::new(1, 0);
        agenda.push(0);
        assert_eq!((agenda.pop(), agenda.pop()), (Some(0), None));
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
