//! Which message goes to which receive: messages in the order of arrival, receives in the order of posting.
//!
//! Only the rank's own thread matches, so nothing here is locked. The lists are searched from the front;
//! they are short in programs that receive what they are sent.

use std::collections::VecDeque;

use super::packet::Stored;
use crate::error::Result;
use crate::message::{Status, Want};

/// A receive that waits for its message.
pub(super) struct Posted {
    pub(super) want: Want,
    pub(super) buffer: *mut u8,
    pub(super) capacity: usize,
    slot: usize,
}

enum Outcome {
    Free,
    Pending,
    Done(Result<Status>),
}

/// The receives and the messages that have not found each other yet.
#[derive(Default)]
pub(super) struct Matching {
    posted: Vec<Posted>,
    unexpected: VecDeque<Stored>,
    outcomes: Vec<Outcome>,
    free: Vec<usize>,
}

impl Matching {
    /// Takes the oldest unexpected message that matches.
    #[inline]
    pub(super) fn take_unexpected(&mut self, want: Want) -> Option<Stored> {
        let place = self.find_unexpected(want)?;
        self.unexpected.remove(place)
    }

    /// Looks at the oldest unexpected message that matches and that its sender has not taken back.
    pub(super) fn peek_unexpected(&self, want: Want) -> Option<Status> {
        let there = |stored: &&Stored| want.accepts(stored.status) && !stored.is_withdrawn();
        self.unexpected.iter().find(there).map(|stored| stored.status)
    }

    fn find_unexpected(&self, want: Want) -> Option<usize> {
        self.unexpected.iter().position(|stored| want.accepts(stored.status))
    }

    pub(super) fn keep_unexpected(&mut self, message: Stored) {
        self.unexpected.push_back(message);
    }

    /// The first messages that nobody asked for, for the report of a deadlock.
    pub(super) fn unexpected(&self) -> impl ExactSizeIterator<Item = Status> {
        self.unexpected.iter().map(|stored| stored.status)
    }

    /// Posts a receive and answers its slot.
    pub(super) fn post(&mut self, want: Want, buffer: *mut u8, capacity: usize) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.outcomes.push(Outcome::Free);
            self.outcomes.len() - 1
        });
        self.outcomes[slot] = Outcome::Pending;
        self.posted.push(Posted { want, buffer, capacity, slot });
        slot
    }

    /// Takes the oldest posted receive that this message matches, and says where it was.
    #[inline]
    pub(super) fn take_posted(&mut self, message: Status) -> Option<(usize, Posted)> {
        let place = self.posted.iter().position(|posted| posted.want.accepts(message))?;
        Some((place, self.posted.remove(place)))
    }

    /// Puts a receive back to where it was: its message was withdrawn by a sender that gave up.
    pub(super) fn put_back(&mut self, place: usize, posted: Posted) {
        self.posted.insert(place, posted);
    }

    pub(super) fn complete(&mut self, posted: &Posted, outcome: Result<Status>) {
        self.outcomes[posted.slot] = Outcome::Done(outcome);
    }

    /// What the receive in this slot waits for, while it waits.
    pub(super) fn wanted(&self, slot: usize) -> Option<Want> {
        self.posted.iter().find(|posted| posted.slot == slot).map(|posted| posted.want)
    }

    /// The outcome of the receive in this slot, once; the slot is free then.
    pub(super) fn take_outcome(&mut self, slot: usize) -> Option<Result<Status>> {
        match std::mem::replace(&mut self.outcomes[slot], Outcome::Free) {
            Outcome::Done(outcome) => {
                self.free.push(slot);
                Some(outcome)
            }
            other => {
                self.outcomes[slot] = other;
                None
            }
        }
    }

    /// Forgets the receive in this slot; answers the message if it had come.
    pub(super) fn cancel(&mut self, slot: usize) -> Option<Status> {
        if let Some(outcome) = self.take_outcome(slot) {
            return outcome.ok();
        }
        self.posted.retain(|posted| posted.slot != slot);
        self.outcomes[slot] = Outcome::Free;
        self.free.push(slot);
        None
    }
}
