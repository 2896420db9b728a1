//! A pending or complete operation in one 64-bit word.
//!
//! A handle is returned in a `Result` and stored in its scope's list; a single word stays in
//! registers, which saves programs with non-blocking operations a fifth of their time. The two
//! lowest bits are the kind; the rest is a request, or an envelope, or an index into a side table
//! for envelopes that do not fit.
//!
//! ```text
//!   63            40 39            18 17             2 1     0
//!   | length: 24    | source: 22     | tag: 16       | kind  |
//! ```

use std::cell::RefCell;

use panto_sim::RequestId;

use crate::error::{Error, Result};
use crate::message::Status;

/// A pending operation of an [`Endpoint`](super::Endpoint).
pub struct Handle(u64);

/// The decoded state of a handle.
pub(super) enum State {
    Sending(RequestId),
    Receiving(RequestId),
    Complete,
}

/// Outcomes that do not fit into a word. Entries stay until the rank ends; they are rare.
#[derive(Default)]
pub(super) struct SideTable(RefCell<Vec<Outcome>>);

/// How an operation ended.
#[derive(Clone, Copy)]
enum Outcome {
    Complete(Status),
    /// The message was longer than the buffer of this many bytes.
    Truncated(Status, usize),
}

const KIND: u32 = 2;
const SENDING: u64 = 0;
const RECEIVING: u64 = 1;
/// Kind of a complete operation whose envelope is in the word.
const INLINE: u64 = 2;
/// Kind of a complete operation whose outcome is in the [`SideTable`].
const IN_SIDE_TABLE: u64 = 3;

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
    pub(super) fn complete(status: Status, side_table: &SideTable) -> Self {
        let (source, tag, len) = (status.source as u64, u64::from(status.tag), status.len as u64);
        if source >> SOURCE == 0 && tag >> TAG == 0 && len >> LEN == 0 {
            return Self(len << (KIND + TAG + SOURCE) | source << (KIND + TAG) | tag << KIND | INLINE);
        }
        side_table.keep(Outcome::Complete(status))
    }

    /// Returns the handle of a completed receive into a buffer of `capacity` bytes.
    #[inline]
    pub(super) fn received(message: Status, capacity: usize, side_table: &SideTable) -> Self {
        if message.len > capacity {
            return side_table.keep(Outcome::Truncated(message, capacity));
        }
        Self::complete(message, side_table)
    }

    #[inline]
    pub(super) fn state(&self) -> State {
        let request = (self.0 >> KIND) as RequestId;
        match self.0 & 3 {
            SENDING => State::Sending(request),
            RECEIVING => State::Receiving(request),
            _ => State::Complete,
        }
    }

    /// Returns the result of a completed operation of this rank.
    #[inline]
    pub(super) fn result(&self, rank: usize, side_table: &SideTable) -> Result<Status> {
        let bits = |shift: u32, width: u32| (self.0 >> shift & ((1 << width) - 1)) as usize;
        if self.0 & 3 == INLINE {
            let (tag, source) = (bits(KIND, TAG) as u32, bits(KIND + TAG, SOURCE));
            return Ok(Status { source, tag, len: bits(KIND + TAG + SOURCE, LEN) });
        }
        match side_table.0.borrow().get((self.0 >> KIND) as usize) {
            Some(&Outcome::Complete(status)) => Ok(status),
            Some(&Outcome::Truncated(message, capacity)) => Err(Error::Truncated { rank, message, capacity }),
            None => Err(Error::NoRequest),
        }
    }
}

impl SideTable {
    #[cold]
    fn keep(&self, outcome: Outcome) -> Handle {
        let mut all = self.0.borrow_mut();
        all.push(outcome);
        Handle((all.len() as u64 - 1) << KIND | IN_SIDE_TABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_are_encoded_and_decoded() {
        let side_table = SideTable::default();
        for (source, tag, len) in
            [(0, 0, 0), (7, 32_767, 1), (4_194_303, 1, 16_777_215), (4_194_304, 2, 3), (1, 2, 1 << 40)]
        {
            let status = Status { source, tag, len };
            assert_eq!(Handle::complete(status, &side_table).result(0, &side_table), Ok(status));
        }
    }

    #[test]
    fn a_truncated_message_stays_an_error() {
        let (side_table, message) = (SideTable::default(), Status { source: 1, tag: 2, len: 9 });
        let handle = Handle::received(message, 8, &side_table);
        for _ in 0..2 {
            assert_eq!(
                handle.result(5, &side_table),
                Err(Error::Truncated { rank: 5, message, capacity: 8 })
            );
        }
        assert!(matches!(handle.state(), State::Complete));
    }

    #[test]
    fn pending_handles_name_their_request() {
        assert!(matches!(Handle::sending(77).state(), State::Sending(77)));
        assert!(matches!(Handle::receiving(u32::MAX).state(), State::Receiving(u32::MAX)));
    }
}
