//! What happens when, where the time of what is on the list can change.

use std::cmp::Ordering;

use crate::piles::{Piles, Timed};

/// One moment for each slot, the earliest first; of equal moments the one with the lower order.
///
/// A moment that has moved stays in the queue, and is passed over when its turn comes: most never move.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    queue: Piles<Entry>,
    /// The moment and the order of each slot, by which its entry is known.
    valid: Vec<(u64, u64)>,
}

/// On no list.
const ABSENT: (u64, u64) = (u64::MAX, u64::MAX);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    time: u64,
    order: u64,
    slot: u32,
}

impl Timed for Entry {
    fn time(&self) -> u64 {
        self.time
    }
}

impl Ord for Entry {
    /// The first is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        // As one number: which of two is earlier cannot be foreseen, and a branch for each half would often go wrong.
        let key = |entry: &Self| u128::from(entry.time) << 64 | u128::from(entry.order);
        key(other).cmp(&key(self))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Agenda {
    /// The earliest moment.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        loop {
            let first = self.queue.first()?;
            if self.valid[first.slot as usize] == (first.time, first.order) {
                return Some(first.time);
            }
            self.queue.pop();
        }
    }

    /// Puts a slot on the list, or moves it to another moment.
    #[inline]
    pub(super) fn set(&mut self, slot: u32, time: u64, order: u64) {
        if self.valid.len() <= slot as usize {
            self.valid.resize(slot as usize + 1, ABSENT);
        }
        self.valid[slot as usize] = (time, order);
        self.queue.push(Entry { time, order, slot });
    }

    /// Takes the earliest from the list.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        self.next()?;
        let first = self.queue.pop()?.slot;
        self.valid[first as usize] = ABSENT;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn it_is_a_sorted_list_whose_moments_move() {
        let mut agenda = Agenda::default();
        let mut list = BTreeMap::new();
        let mut random = 1_u64;
        for round in 0..20_000_u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (slot, time) = ((random >> 33) as u32 % 97, (random >> 40) % 1_000);
            if round % 3 == 2 {
                let first = list.iter().map(|(slot, time)| (*time, *slot)).min();
                assert_eq!(agenda.next(), first.map(|(time, _): (u64, u32)| time));
                assert_eq!(agenda.pop(), first.map(|(_, slot)| slot));
                first.map(|(_, slot)| list.remove(&slot));
            } else {
                agenda.set(slot, time, u64::from(slot));
                list.insert(slot, time);
            }
        }
    }
}
