//! The requests of the program: from MPI's handles to places that a loop uses again.

use rustc_hash::FxHashMap;

use panto_trace::Slot;

/// What is known of a request.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is true or false of a request, whatever the others are"
)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Request {
    /// A receive with wild cards: what came is worth recording.
    pub is_wild: bool,
    /// It can be started again.
    pub is_persistent: bool,
    /// It was started, and not completed yet.
    pub is_active: bool,
    /// The program asked to cancel it.
    pub is_cancelled: bool,
}

/// All that are under way.
///
/// One handle may stand for several at once: MPICH gives all sends that ended at once the same. They are then in the order in which they
/// were made.
#[derive(Default)]
pub struct Requests {
    /// The first and the last with each handle. It stays when there is none any more: most handles are used again soon.
    ends: FxHashMap<usize, (u32, u32)>,
    entries: Vec<Entry>,
    free: Free,
}

struct Entry {
    request: Request,
    handle: usize,
    /// The next with the same handle.
    next: u32,
}

/// The end of a list.
const LAST: u32 = u32::MAX;

/// So many handles without requests are kept at least.
const MOST_UNUSED: usize = 1_000;

impl Requests {
    /// Adds one, at the lowest free place.
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
        // Some libraries never use a handle again.
        if self.ends.len() >= MOST_UNUSED + 2 * self.entries.len() {
            self.ends.retain(|_, (first, _)| *first != LAST);
        }
        self.ends.insert(handle, (place, place));
    }

    /// Takes the first with this handle out of the list. It keeps its place until it is given back or dropped.
    pub fn take(&mut self, handle: usize) -> Option<Slot> {
        let (first, _) = self.ends.get_mut(&handle)?;
        let entry = self.entries.get_mut(*first as usize)?;
        let taken = std::mem::replace(first, entry.next);
        entry.next = LAST;
        Some(Slot(taken))
    }

    /// Puts one that was taken back in front of its list. Several are given back in the reverse order.
    pub fn give_back(&mut self, slot: Slot) {
        let handle = self.entries[slot.index()].handle;
        let (first, last) = self.ends.get(&handle).copied().unwrap_or((LAST, LAST));
        self.entries[slot.index()].next = first;
        self.ends.insert(handle, (slot.0, if first == LAST { slot.0 } else { last }));
    }

    /// MPI gave one that was taken another handle.
    pub fn rename(&mut self, slot: Slot, handle: usize) {
        self.entries[slot.index()].handle = handle;
    }

    /// Forgets one that was taken; its place is free again.
    pub fn drop(&mut self, slot: Slot) {
        self.free.give(slot.0);
    }

    /// What is known of one.
    pub fn get(&self, slot: Slot) -> Request {
        self.entries[slot.index()].request
    }

    /// To change what is known of one.
    pub fn get_mut(&mut self, slot: Slot) -> &mut Request {
        &mut self.entries[slot.index()].request
    }

    /// The first with this handle; it stays in the list.
    pub fn peek(&self, handle: usize) -> Option<Slot> {
        self.ends.get(&handle).filter(|(first, _)| *first != LAST).map(|(first, _)| Slot(*first))
    }
}

/// Free places: a bit for each, so that the lowest is found at once.
#[derive(Default)]
struct Free {
    words: Vec<u64>,
    /// No word before this one has a free place.
    first: usize,
}

impl Free {
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
