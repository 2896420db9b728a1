//! The requests of the program: from handles of MPI to slots of the trace.
//!
//! The lowest free slot is taken, so that each iteration of a loop uses the same slots and its
//! calls repeat in the trace. Adding, taking and dropping a request take constant time.

use rustc_hash::FxHashMap;

use panto_trace::Slot;

/// What is known of a request.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is true or false of a request, whatever the others are"
)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Request {
    /// Whether it is a receive with wildcards: what it matches is recorded.
    pub is_wild: bool,
    /// Whether it is a receive, and nothing else.
    pub is_receive: bool,
    /// Whether it can be started again.
    pub is_persistent: bool,
    /// Whether it was started and is not complete.
    pub is_active: bool,
    /// Whether the program called `MPI_Cancel` for it.
    pub is_cancelled: bool,
}

/// The requests of this rank.
///
/// A handle may stand for several requests at once: MPICH gives the same one to all sends that are
/// complete when they return. The requests of a handle are a linked list in the order in which they
/// were made.
#[derive(Default)]
pub struct Requests {
    /// The first and the last request of each handle. An entry stays when its list is empty,
    /// because most handles are reused soon.
    ends: FxHashMap<usize, (u32, u32)>,
    entries: Vec<Entry>,
    free: FreeSlots,
}

struct Entry {
    request: Request,
    handle: usize,
    /// The next request with the same handle.
    next: u32,
}

/// Stands for the end of a list.
const LAST: u32 = u32::MAX;

/// Handles without requests that are kept before any is removed. Libraries that never reuse a
/// handle would fill the memory otherwise.
const MAX_UNUSED: usize = 1_000;

impl Requests {
    /// Adds a request at the lowest free slot.
    pub fn add(&mut self, handle: usize, request: Request) -> Slot {
        let place = self.free.take();
        let entry = Entry { request, handle, next: LAST };
        match self.entries.get_mut(place as usize) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
        self.link_last(handle, place);
        Slot(place)
    }

    fn link_last(&mut self, handle: usize, place: u32) {
        match self.ends.get_mut(&handle) {
            None => self.add_handle(handle, place),
            Some((first, last)) => {
                if *first == LAST {
                    *first = place;
                } else {
                    self.entries[*last as usize].next = place;
                }
                *last = place;
            }
        }
    }

    fn add_handle(&mut self, handle: usize, place: u32) {
        if self.ends.len() >= MAX_UNUSED + 2 * self.entries.len() {
            self.ends.retain(|_, (first, _)| *first != LAST);
        }
        self.ends.insert(handle, (place, place));
    }

    /// Takes the first request of a handle off its list. It keeps its slot until it is given back
    /// or dropped.
    pub fn take(&mut self, handle: usize) -> Option<Slot> {
        let (first, _) = self.ends.get_mut(&handle)?;
        let entry = self.entries.get_mut(*first as usize)?;
        let taken = std::mem::replace(first, entry.next);
        entry.next = LAST;
        Some(Slot(taken))
    }

    /// Puts a request that was taken back in front of its list. Several must be given back in
    /// reverse order.
    pub fn release_slot(&mut self, slot: Slot) {
        let handle = self.entries[slot.index()].handle;
        let (first, last) = self.ends.get(&handle).copied().unwrap_or((LAST, LAST));
        self.entries[slot.index()].next = first;
        self.ends.insert(handle, (slot.0, if first == LAST { slot.0 } else { last }));
    }

    /// Changes the handle of a request that was taken.
    pub fn rename(&mut self, slot: Slot, handle: usize) {
        self.entries[slot.index()].handle = handle;
    }

    /// Drops a request that was taken; its slot is free again.
    pub fn drop(&mut self, slot: Slot) {
        self.free.give(slot.0);
    }

    /// Returns the slot that the next request will have.
    pub fn next_slot(&mut self) -> Slot {
        let place = self.free.take();
        self.free.give(place);
        Slot(place)
    }

    /// Returns what is known of a request.
    pub fn get(&self, slot: Slot) -> Request {
        self.entries[slot.index()].request
    }

    /// Returns what is known of a request, to change it.
    pub fn get_mut(&mut self, slot: Slot) -> &mut Request {
        &mut self.entries[slot.index()].request
    }

    /// Returns the first request of a handle, which stays on its list.
    pub fn peek(&self, handle: usize) -> Option<Slot> {
        self.ends.get(&handle).filter(|(first, _)| *first != LAST).map(|(first, _)| Slot(*first))
    }
}

/// The free slots: a bit for each, so that the lowest is found in a few instructions.
#[derive(Default)]
struct FreeSlots {
    words: Vec<u64>,
    /// The first word that may have a bit set.
    first: usize,
}

impl FreeSlots {
    fn take(&mut self) -> u32 {
        while self.words.get(self.first) == Some(&0) {
            self.first += 1;
        }
        if self.first == self.words.len() {
            self.words.push(u64::MAX);
        }
        let word = &mut self.words[self.first];
        let bit = word.trailing_zeros();
        *word &= *word - 1;
        self.first as u32 * 64 + bit
    }

    fn give(&mut self, place: u32) {
        let word = place as usize / 64;
        self.words[word] |= 1 << (place % 64);
        self.first = self.first.min(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTIVE: Request = Request {
        is_active: true,
        is_wild: false,
        is_receive: false,
        is_persistent: false,
        is_cancelled: false,
    };

    #[test]
    fn the_lowest_free_slot_is_taken() {
        let mut requests = Requests::default();
        let slots: Vec<u32> = (0..130).map(|handle| requests.add(handle, ACTIVE).0).collect();
        assert_eq!(slots, (0..130).collect::<Vec<_>>());
        for handle in [100, 3, 64] {
            let slot = requests.take(handle).expect("it was added");
            requests.drop(slot);
        }
        let next: Vec<u32> = (200..204).map(|handle| requests.add(handle, ACTIVE).0).collect();
        assert_eq!(next, [3, 64, 100, 130]);
    }

    #[test]
    fn requests_with_one_handle_are_taken_in_their_order() {
        let mut requests = Requests::default();
        let slots = [0; 3].map(|_| requests.add(5, ACTIVE));
        assert_eq!(requests.peek(5), Some(slots[0]));
        assert_eq!([0; 3].map(|_| requests.take(5)), slots.map(Some));
        assert_eq!(requests.take(5), None);
        for slot in slots.into_iter().rev() {
            requests.release_slot(slot);
        }
        assert_eq!([0; 3].map(|_| requests.take(5)), slots.map(Some));
    }

    #[test]
    fn a_started_request_may_get_another_handle() {
        let mut requests = Requests::default();
        let slot = requests.add(5, ACTIVE);
        assert_eq!(requests.take(5), Some(slot));
        requests.rename(slot, 6);
        requests.release_slot(slot);
        assert_eq!((requests.peek(5), requests.peek(6)), (None, Some(slot)));
        requests.get_mut(slot).is_cancelled = true;
        assert!(requests.get(slot).is_cancelled);
    }

    #[test]
    fn handles_that_are_never_reused_do_not_fill_the_memory() {
        let mut requests = Requests::default();
        for handle in 0..100_000 {
            requests.add(handle, ACTIVE);
            let slot = requests.take(handle).expect("it was added");
            requests.drop(slot);
        }
        assert!(requests.ends.len() <= 2 * MAX_UNUSED);
    }
}
