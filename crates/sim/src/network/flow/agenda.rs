//! What happens when, where the time of what is on the list can change: a heap that knows where everybody is.

/// Nowhere.
const ABSENT: u32 = u32::MAX;

/// One moment for each slot, the earliest first; of equal moments the one with the lower order.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    /// A heap in which everybody has four children.
    heap: Vec<Entry>,
    places: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    time: u64,
    order: u64,
    slot: u32,
}

impl Entry {
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        // As one number: which of two is earlier cannot be foreseen, and a branch for each half would often go wrong.
        let key = |entry: &Self| u128::from(entry.time) << 64 | u128::from(entry.order);
        key(self) < key(other)
    }
}

impl Agenda {
    /// The earliest moment.
    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        self.heap.first().map(|entry| entry.time)
    }

    /// Puts a slot on the list, or moves it to another moment.
    #[inline]
    pub(super) fn set(&mut self, slot: u32, time: u64, order: u64) {
        let entry = Entry { time, order, slot };
        if self.places.len() <= slot as usize {
            self.places.resize(slot as usize + 1, ABSENT);
        }
        let mut at = self.places[slot as usize] as usize;
        if at == ABSENT as usize {
            at = self.heap.len();
            self.heap.push(entry);
            self.rise(at, entry);
        } else if entry.is_before(&self.heap[at]) {
            self.rise(at, entry);
        } else {
            self.sink(at, entry);
        }
    }

    /// Takes the earliest from the list.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        let first = self.heap.first()?.slot;
        self.places[first as usize] = ABSENT;
        let last = self.heap.pop()?;
        if last.slot != first {
            self.sink(0, last);
        }
        Some(first)
    }

    fn rise(&mut self, mut at: usize, entry: Entry) {
        while at > 0 {
            let parent = (at - 1) / 4;
            if !entry.is_before(&self.heap[parent]) {
                break;
            }
            self.put(at, self.heap[parent]);
            at = parent;
        }
        self.put(at, entry);
    }

    fn sink(&mut self, mut at: usize, entry: Entry) {
        loop {
            let first = 4 * at + 1;
            let end = (first + 4).min(self.heap.len());
            let Some(least) =
                (first..end).reduce(|a, b| if self.heap[b].is_before(&self.heap[a]) { b } else { a })
            else {
                break;
            };
            if !self.heap[least].is_before(&entry) {
                break;
            }
            self.put(at, self.heap[least]);
            at = least;
        }
        self.put(at, entry);
    }

    #[inline]
    fn put(&mut self, at: usize, entry: Entry) {
        self.heap[at] = entry;
        self.places[entry.slot as usize] = at as u32;
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
