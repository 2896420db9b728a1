//! The event list of flows, whose times change when rates do.
//!
//! A flow whose event moves gets a second entry; the stale one stays in the list and is skipped
//! when it becomes first (*lazy deletion*). Most flows never change their rate, so most entries are
//! current.

use std::cmp::Ordering;
use std::collections::VecDeque;

use super::state::Flow;
use crate::network::Ticket;
use crate::radix_heap::{RadixHeap, Timed};
use crate::slab::Slab;

/// One event for each flow, the earliest first; ties in the order of injection. The flow knows
/// which of its entries is current.
#[derive(Debug, Default)]
pub(super) struct EventList {
    /// Entries that were added in the order of time: most of them, where messages have equal
    /// lengths and no contention.
    sorted: VecDeque<Entry>,
    /// The other entries.
    heap: RadixHeap<Entry>,
    /// The first current entry, if it was determined since the last change.
    first: Option<Entry>,
}

/// The next event of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) time: u64,
    pub(super) order: u64,
    pub(super) slot: u32,
    pub(super) ticket: Ticket,
}

impl Timed for Entry {
    fn time(&self) -> u64 {
        self.time
    }
}

impl Ord for Entry {
    /// The earliest entry is the greatest, as the heap needs it.
    fn cmp(&self, other: &Self) -> Ordering {
        // One number: the order of two entries is unpredictable, and a branch for each half would
        // often be mispredicted.
        let key = |entry: &Self| u128::from(entry.time) << 64 | u128::from(entry.order);
        key(other).cmp(&key(self))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl EventList {
    /// The first current entry.
    #[inline]
    pub(super) fn first(&mut self, flows: &Slab<Flow>) -> Option<Entry> {
        if self.first.is_none() {
            self.find_first(flows);
        }
        self.first
    }

    fn find_first(&mut self, flows: &Slab<Flow>) {
        while let Some(&first) = self.sorted.front().max(self.heap.first()) {
            if flows[first.slot].is_current(&first) {
                self.first = Some(first);
                return;
            }
            self.drop_first();
        }
    }

    /// Adds the event of a flow, or moves it to its new time.
    #[inline]
    pub(super) fn schedule(&mut self, slot: u32, flow: &Flow) {
        let Flow { next_event: time, order, ticket, .. } = *flow;
        let entry = Entry { time, order, slot, ticket };
        if self.first.is_some_and(|first| first.slot == slot || first < entry) {
            self.first = None;
        }
        if self.sorted.back().is_none_or(|last| entry <= *last) {
            self.sorted.push_back(entry);
        } else {
            self.heap.push(entry);
        }
    }

    /// Removes the first entry.
    #[inline]
    pub(super) fn take_first(&mut self) {
        self.first = None;
        self.drop_first();
    }

    #[inline]
    fn drop_first(&mut self) {
        if self.sorted.front() > self.heap.first() {
            self.sorted.pop_front();
        } else {
            self.heap.pop();
        }
    }

    /// The entry that comes `by` entries later, if that is known yet.
    #[inline]
    pub(super) fn upcoming(&self, by: usize) -> Option<&Entry> {
        self.sorted.get(by - 1).or_else(|| self.heap.nth(by))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn equals_a_sorted_list_with_moving_times() {
        let mut events = EventList::default();
        let mut flows = Slab::<Flow>::default();
        for order in 0..97 {
            let slot = flows.reserve();
            flows[slot].order = order;
            flows[slot].invalidate();
        }
        let mut list = BTreeMap::new();
        let mut random = 1_u64;
        for round in 0..20_000_u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (slot, time) = ((random >> 33) as u32 % 97, (random >> 40) % 1_000);
            if round % 3 == 2 {
                let first = list.iter().map(|(slot, time)| (*time, *slot)).min();
                let entry = events.first(&flows);
                assert_eq!(entry.map(|entry| (entry.time, entry.slot)), first);
                if let Some((_, slot)) = first {
                    events.take_first();
                    flows[slot].invalidate();
                    list.remove(&slot);
                }
            } else {
                let flow = &mut flows[slot];
                (flow.next_event, flow.order) = (time, slot.into());
                events.schedule(slot, flow);
                list.insert(slot, time);
            }
        }
    }
}
