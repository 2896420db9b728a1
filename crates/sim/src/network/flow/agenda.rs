//! What happens when, where the time of what is on the list can change.

use std::cmp::Ordering;
use std::collections::VecDeque;

use super::message::Flow;
use crate::network::Ticket;
use crate::piles::{Piles, Timed};
use crate::slots::Slots;

/// One moment for each flow, the earliest first; of equal moments the one with the lower order.
///
/// A moment that has moved stays in the queue, and is passed over when its turn comes: most never move. The flow itself knows which
/// one holds.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    /// What became known in the order of time: most of it, where messages are of equal lengths and meet nobody.
    run: VecDeque<Entry>,
    /// The rest.
    queue: Piles<Entry>,
    /// The first that holds, if it was looked for since something changed.
    first: Option<Entry>,
}

/// That something happens to a flow.
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
    /// What happens first.
    #[inline]
    pub(super) fn first(&mut self, flows: &Slots<Flow>) -> Option<Entry> {
        if self.first.is_none() {
            self.look(flows);
        }
        self.first
    }

    fn look(&mut self, flows: &Slots<Flow>) {
        while let Some(&first) = self.run.front().max(self.queue.first()) {
            if flows[first.slot].expects(&first) {
                self.first = Some(first);
                return;
            }
            self.drop_first();
        }
    }

    /// Puts a flow on the list, or moves it to the moment that it now expects.
    #[inline]
    pub(super) fn put(&mut self, slot: u32, flow: &Flow) {
        let Flow { when: time, order, ticket, .. } = *flow;
        let entry = Entry { time, order, slot, ticket };
        if self.first.is_some_and(|first| first.slot == slot || first < entry) {
            self.first = None;
        }
        if self.run.back().is_none_or(|last| entry <= *last) {
            self.run.push_back(entry);
        } else {
            self.queue.push(entry);
        }
    }

    /// What is first happens now.
    #[inline]
    pub(super) fn take_first(&mut self) {
        self.first = None;
        self.drop_first();
    }

    #[inline]
    fn drop_first(&mut self) {
        if self.run.front() > self.queue.first() {
            self.run.pop_front();
        } else {
            self.queue.pop();
        }
    }

    /// What happens so many later, as far as that is known.
    #[inline]
    pub(super) fn later(&self, by: usize) -> Option<&Entry> {
        self.run.get(by - 1).or_else(|| self.queue.later(by))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn it_is_a_sorted_list_whose_moments_move() {
        let mut agenda = Agenda::default();
        let mut flows = Slots::<Flow>::default();
        for order in 0..97 {
            let slot = flows.take();
            flows[slot].order = order;
            flows[slot].forget();
        }
        let mut list = BTreeMap::new();
        let mut random = 1_u64;
        for round in 0..20_000_u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (slot, time) = ((random >> 33) as u32 % 97, (random >> 40) % 1_000);
            if round % 3 == 2 {
                let first = list.iter().map(|(slot, time)| (*time, *slot)).min();
                let entry = agenda.first(&flows);
                assert_eq!(entry.map(|entry| (entry.time, entry.slot)), first);
                if let Some((_, slot)) = first {
                    agenda.take_first();
                    flows[slot].forget();
                    list.remove(&slot);
                }
            } else {
                let flow = &mut flows[slot];
                (flow.when, flow.order) = (time, slot.into());
                agenda.put(slot, flow);
                list.insert(slot, time);
            }
        }
    }
}
