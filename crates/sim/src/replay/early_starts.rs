//! Ranks with several threads: operations that began before what other threads did meanwhile.
//!
//! A call is recorded when it returns, but the operation that it starts may have been matched long
//! before. If a call of another thread was recorded in between and waits for what the partner did
//! next, replaying in the order of the record would deadlock. So the first call of a thread after
//! calls of others starts its operations where the thread's last call ended. Then whatever an
//! operation waits for was started by a call that was recorded earlier, and there is no cycle.

use std::collections::{BTreeMap, VecDeque};

use crate::program::PackedOp;

/// The position of an operation in a rank's code: at a number, or as the `early`-th before the
/// operation with that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpPosition {
    /// The number of the operation.
    pub number: u64,
    /// The index among those before it; 0 is the operation itself.
    pub early: u32,
}

/// Operations that are inserted before others.
#[derive(Default)]
pub struct EarlyStarts {
    /// Where operations are started at present; `None` for the end of the code.
    pub insert_at: Option<u64>,
    /// Whether there ever was such a place.
    pub is_used: bool,
    pub ops: BTreeMap<OpPosition, PackedOp>,
    /// Slots with the number of the operation from which on they are free. Operations that start
    /// before that cannot use them.
    pub freed_slots: VecDeque<(u64, u32)>,
}

impl EarlyStarts {
    /// Inserts an operation before the one with this number.
    pub fn insert(&mut self, number: u64, op: PackedOp) -> OpPosition {
        let before = OpPosition { number, early: 1 }..OpPosition { number: number + 1, early: 0 };
        let last = self.ops.range(before).next_back();
        let position = OpPosition { number, early: last.map_or(1, |(last, _)| last.early + 1) };
        self.ops.insert(position, op);
        position
    }

    /// Removes the first inserted operation that comes before the operation with this number.
    pub fn take_first_before(&mut self, end: u64) -> Option<(OpPosition, PackedOp)> {
        let first = self.ops.first_entry().filter(|first| first.key().number < end)?;
        Some(first.remove_entry())
    }

    /// Takes a slot that is free at the operation with this number.
    #[inline]
    pub fn take_freed_slot(&mut self, number: u64) -> Option<u32> {
        let (since, slot) = *self.freed_slots.front()?;
        if since > number {
            return None;
        }
        self.freed_slots.pop_front();
        Some(slot)
    }
}
