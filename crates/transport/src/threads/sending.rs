//! How a rank sends: a copy, or an offer of the bytes where they are.

use std::fmt;
use std::sync::Arc;

use super::endpoint::{Endpoint, check_tag};
use super::offer::Offer;
use super::ring::Outgoing;
use crate::error::Result;
use crate::message::{Mode, Status, Tag};
use crate::transport::Transport;

/// Where a message goes.
#[derive(Clone, Copy)]
pub(super) struct Destination {
    pub(super) to: usize,
    pub(super) tag: Tag,
    pub(super) len: usize,
}

impl Destination {
    pub(super) fn status(self, source: usize) -> Status {
        Status { source, tag: self.tag, len: self.len }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} to receive {} bytes with tag {}", self.to, self.len, self.tag)
    }
}

impl Endpoint {
    #[inline]
    pub(super) fn check_send(&self, to: usize, tag: Tag) -> Result<()> {
        self.check_rank(to)?;
        check_tag(tag)?;
        self.check()
    }

    /// Does a send in this mode leave its bytes with the sender until they are taken? A message to oneself is
    /// copied instead: nobody else could take it.
    #[inline]
    pub(super) fn offers(&self, mode: Mode, at: Destination) -> bool {
        match mode {
            Mode::Synchronous => true,
            Mode::Buffered => false,
            Mode::Standard | Mode::Ready => at.len > self.shared.eager_limit && at.to != self.rank,
        }
    }

    /// Sends a copy.
    #[inline]
    pub(super) fn post_copy(&self, data: &[u8], at: Destination) {
        if !self.shared.mailboxes[at.to].listeners.take(at.status(self.rank), data) {
            self.post(Outgoing::Copy(data), at);
        }
    }

    /// Offers the bytes where they are; `None` if a handler took a copy at once.
    ///
    /// # Safety
    /// As for [`Transport::start_send`].
    pub(super) unsafe fn post_offer(&self, data: *const u8, at: Destination) -> Option<Arc<Offer>> {
        // SAFETY: the caller keeps the bytes readable.
        let bytes = unsafe { std::slice::from_raw_parts(data, at.len) };
        if self.shared.mailboxes[at.to].listeners.take(at.status(self.rank), bytes) {
            return None;
        }
        // SAFETY: passed on to the caller.
        let offer = Arc::new(unsafe { Offer::new(data, at.len) });
        self.post(Outgoing::Offer(Arc::clone(&offer)), at);
        Some(offer)
    }

    #[inline]
    pub(super) fn post(&self, message: Outgoing<'_>, at: Destination) {
        let mailbox = &self.shared.mailboxes[at.to];
        mailbox.ring.push(self.rank as u32, at.tag, at.len, message);
        mailbox.wake();
    }

    pub(super) fn wait_offer(&self, offer: &Offer, at: Destination) -> Result<()> {
        let taken = self.block_until(
            || at.to_string(),
            || {
                self.progress();
                offer.is_done().then_some(Ok(()))
            },
        );
        if taken.is_err() {
            offer.withdraw();
        }
        taken
    }
}
