//! Message matching, by MPI's rules: a receive takes the oldest message that its selector accepts,
//! a message goes to the oldest posted receive that accepts it.
//!
//! Two lists: posted receives in the order of posting, unexpected messages in the order of arrival.
//! Only the rank's own thread uses them, so nothing is locked. Both are searched from the front,
//! which costs O(length); they are short in programs that post receives for what is sent to them.
//!
//! A posted receive has an *outcome slot* (not a slot of the ring), which its handle names. It is
//! reused after the outcome has been taken.

use std::collections::VecDeque;

use super::packet::UnexpectedMessage;
use crate::error::Result;
use crate::message::{Selector, Status};

/// A receive that waits for its message. `buffer[..capacity]` is valid as [`Matching::post`]
/// requires.
pub(super) struct PostedReceive {
    pub(super) selector: Selector,
    pub(super) buffer: *mut u8,
    pub(super) capacity: usize,
    slot: usize,
}

enum Outcome {
    Free,
    Pending,
    Done(Result<Status>),
}

/// Posted receives and unexpected messages that have not been matched.
#[derive(Default)]
pub(super) struct Matching {
    posted: Vec<PostedReceive>,
    unexpected: VecDeque<UnexpectedMessage>,
    outcomes: Vec<Outcome>,
    free: Vec<usize>,
}

impl Matching {
    /// Removes and returns the oldest unexpected message that the selector accepts.
    #[inline]
    pub(super) fn take_unexpected(&mut self, selector: Selector) -> Option<UnexpectedMessage> {
        let place = self.find_unexpected(selector)?;
        self.unexpected.remove(place)
    }

    /// Returns the envelope of the oldest unexpected message that the selector accepts and that its
    /// sender has not withdrawn.
    pub(super) fn peek_unexpected(&self, selector: Selector) -> Option<Status> {
        let there = |stored: &&UnexpectedMessage| selector.accepts(stored.status) && !stored.is_withdrawn();
        self.unexpected.iter().find(there).map(|stored| stored.status)
    }

    fn find_unexpected(&self, selector: Selector) -> Option<usize> {
        self.unexpected.iter().position(|stored| selector.accepts(stored.status))
    }

    pub(super) fn keep_unexpected(&mut self, message: UnexpectedMessage) {
        self.unexpected.push_back(message);
    }

    /// Returns the envelopes of all unexpected messages, for deadlock reports.
    pub(super) fn unexpected(&self) -> impl ExactSizeIterator<Item = Status> {
        self.unexpected.iter().map(|stored| stored.status)
    }

    /// Posts a receive and returns its slot.
    ///
    /// # Safety
    /// `buffer[..capacity]` must stay writable, and exclusively this receive's, until its outcome
    /// was taken or it was cancelled.
    pub(super) unsafe fn post(&mut self, selector: Selector, buffer: *mut u8, capacity: usize) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.outcomes.push(Outcome::Free);
            self.outcomes.len() - 1
        });
        self.outcomes[slot] = Outcome::Pending;
        self.posted.push(PostedReceive { selector, buffer, capacity, slot });
        slot
    }

    /// Removes the oldest posted receive that accepts this message, and returns it with its
    /// position.
    #[inline]
    pub(super) fn take_posted(&mut self, message: Status) -> Option<(usize, PostedReceive)> {
        let place = self.posted.iter().position(|posted| posted.selector.accepts(message))?;
        Some((place, self.posted.remove(place)))
    }

    /// Puts a receive back at its position, because the matched message was withdrawn by its
    /// sender.
    pub(super) fn put_back(&mut self, place: usize, posted: PostedReceive) {
        self.posted.insert(place, posted);
    }

    pub(super) fn complete(&mut self, posted: &PostedReceive, outcome: Result<Status>) {
        self.outcomes[posted.slot] = Outcome::Done(outcome);
    }

    /// Returns the selector of the receive in this slot while it is posted.
    pub(super) fn selector_of(&self, slot: usize) -> Option<Selector> {
        self.posted.iter().find(|posted| posted.slot == slot).map(|posted| posted.selector)
    }

    /// Takes the outcome of the receive in this slot, if it has one, and frees the slot.
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

    /// Removes the receive in this slot. Returns the message's envelope if it was complete already.
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
