//! A pending or complete operation in one word.
//!
//! A handle goes through a `Result` and into the list of its scope; one word does so in registers. Programs with started
//! operations spend a fifth of their time less for it.

use std::cell::RefCell;

use panto_sim::RequestId;

use crate::error::{Error, Result};
use crate::message::Status;

/// A pending operation of an [`Endpoint`](super::Endpoint).
pub struct Handle(u64);

/// What a handle says.
pub(super) enum State {
    Sending(RequestId),
    Receiving(RequestId),
    Over,
}

/// What is too large for a word. It stays until the rank ends; there is little of it.
#[derive(Default)]
pub(super) struct Aside(RefCell<Vec<Over>>);

/// How an operation ended.
#[derive(Clone, Copy)]
enum Over {
    Complete(Status),
    /// The message was longer than the buffer.
    Truncated(Status, usize),
}

const KIND: u32 = 2;
const SENDING: u64 = 0;
const RECEIVING: u64 = 1;
/// The envelope is in the word: tag, source and length.
const INLINE: u64 = 2;
/// The word is a place in [`Aside`].
const ASIDE: u64 = 3;

const TAG: u32 = 16;
const SOURCE: u32 = 22;
const LEN: u32 = 24;

impl Handle {
    #[inline]
    pub(super) fn sending(request: RequestId) -> Self {
        Self(u64::from(request) << KIND | SENDING)
    }

    #[inline]
    pub(super) fn receiving(request: RequestId) -> Self {
        Self(u64::from(request) << KIND | RECEIVING)
    }

    #[inline]
    pub(super) fn complete(status: Status, aside: &Aside) -> Self {
        let (source, tag, len) = (status.source as u64, u64::from(status.tag), status.len as u64);
        if source >> SOURCE == 0 && tag >> TAG == 0 && len >> LEN == 0 {
            return Self(len << (KIND + TAG + SOURCE) | source << (KIND + TAG) | tag << KIND | INLINE);
        }
        aside.keep(Over::Complete(status))
    }

    /// A receive into a buffer of `capacity` bytes is over.
    #[inline]
    pub(super) fn received(message: Status, capacity: usize, aside: &Aside) -> Self {
        if message.len > capacity {
            return aside.keep(Over::Truncated(message, capacity));
        }
        Self::complete(message, aside)
    }

    #[inline]
    pub(super) fn state(&self) -> State {
        let request = (self.0 >> KIND) as RequestId;
        match self.0 & 3 {
            SENDING => State::Sending(request),
            RECEIVING => State::Receiving(request),
            _ => State::Over,
        }
    }

    /// The answer of an operation that is over, on this rank.
    #[inline]
    pub(super) fn answer(&self, rank: usize, aside: &Aside) -> Result<Status> {
        let bits = |shift: u32, width: u32| (self.0 >> shift & ((1 << width) - 1)) as usize;
        if self.0 & 3 == INLINE {
            let (tag, source) = (bits(KIND, TAG) as u32, bits(KIND + TAG, SOURCE));
            return Ok(Status { source, tag, len: bits(KIND + TAG + SOURCE, LEN) });
        }
        match aside.0.borrow().get((self.0 >> KIND) as usize) {
            Some(&Over::Complete(status)) => Ok(status),
            Some(&Over::Truncated(message, capacity)) => Err(Error::Truncated { rank, message, capacity }),
            None => Err(Error::NothingToWaitFor),
        }
    }
}

impl Aside {
    #[cold]
    fn keep(&self, over: Over) -> Handle {
        let mut all = self.0.borrow_mut();
        all.push(over);
        Handle((all.len() as u64 - 1) << KIND | ASIDE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_survive_their_word() {
        let aside = Aside::default();
        for (source, tag, len) in
            [(0, 0, 0), (7, 32_767, 1), (4_194_303, 1, 16_777_215), (4_194_304, 2, 3), (1, 2, 1 << 40)]
        {
            let status = Status { source, tag, len };
            assert_eq!(Handle::complete(status, &aside).answer(0, &aside), Ok(status));
        }
    }

    #[test]
    fn a_truncated_message_stays_an_error() {
        let (aside, message) = (Aside::default(), Status { source: 1, tag: 2, len: 9 });
        let handle = Handle::received(message, 8, &aside);
        for _ in 0..2 {
            assert_eq!(handle.answer(5, &aside), Err(Error::Truncated { rank: 5, message, capacity: 8 }));
        }
        assert!(matches!(handle.state(), State::Over));
    }

    #[test]
    fn pending_ones_name_their_request() {
        assert!(matches!(Handle::sending(77).state(), State::Sending(77)));
        assert!(matches!(Handle::receiving(u32::MAX).state(), State::Receiving(u32::MAX)));
    }
}
