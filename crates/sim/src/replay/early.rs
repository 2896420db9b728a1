//! Where several threads of a rank call MPI: operations that began before what other threads did meanwhile.
//!
//! A call is recorded when it returns, and what it started may have met its partner long before. If another thread's call was recorded in
//! between and waits for what the partner did next, the order of the record would be a deadlock. So the first call of a thread after others
//! starts what it starts where the thread's last call ended. Then whatever an operation waits for was started by a call that was
//! recorded earlier in time, and there is no circle.

use std::collections::{BTreeMap, VecDeque};

use crate::program::Op;

/// Where an operation is: it has a number, or comes before the one with that number, as the `early`-th of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The number.
    pub number: u64,
    /// Which one before it; 0 is the operation itself.
    pub early: u32,
}

/// Operations that come before others.
#[derive(Default)]
pub struct Early {
    /// Where things are started for now, if not at the end.
    pub place: Option<u64>,
    /// Was there ever such a place?
    pub is_used: bool,
    pub ops: BTreeMap<Spot, Op>,
    /// Places of requests that were free from an operation on. What starts before that cannot use them.
    pub resting: VecDeque<(u64, u32)>,
}

impl Early {
    /// Adds an operation before the one with this number.
    pub fn add(&mut self, place: u64, op: Op) -> Spot {
        let there = Spot { number: place, early: 1 }..Spot { number: place + 1, early: 0 };
        let last = self.ops.range(there).next_back();
        let spot = Spot { number: place, early: last.map_or(1, |(spot, _)| spot.early + 1) };
        self.ops.insert(spot, op);
        spot
    }

    /// Takes the first one out that comes before the operation with a number.
    pub fn first_before(&mut self, end: u64) -> Option<(Spot, Op)> {
        let first = self.ops.first_entry().filter(|first| first.key().number < end)?;
        Some(first.remove_entry())
    }

    /// The place of a request that was free at an operation, if one is known.
    #[inline]
    pub fn rested(&mut self, now: u64) -> Option<u32> {
        let (since, slot) = *self.resting.front()?;
        if since > now {
            return None;
        }
        self.resting.pop_front();
        Some(slot)
    }
}
