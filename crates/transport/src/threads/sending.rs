//! Sending: eager (a copy), or by rendezvous (the bytes stay in the sender's buffer).

use std::fmt;
use std::sync::Arc;

use super::endpoint::{Endpoint, check_tag};
use super::rendezvous::Rendezvous;
use super::ring::Outgoing;
use super::shared::Shared;
use crate::error::Result;
use crate::message::{SendMode, Status, Tag};
use crate::transport::Transport;

/// The destination of a message.
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

impl Shared {
    /// Sends a copy to a handler of the destination, or to its ring. Any thread may call this.
    #[inline]
    pub(super) fn post_copy(&self, source: usize, data: &[u8], at: Destination) {
        if !self.hand_over(source, data, at) {
            self.post(source, Outgoing::Copy(data), at);
        }
    }

    /// Gives a copy to the handler of the tag at the destination. Returns `false` if there is none.
    #[inline]
    fn hand_over(&self, source: usize, data: &[u8], at: Destination) -> bool {
        self.inboxes[at.to].handlers.take(at.status(source), data, || self.handles())
    }

    #[inline]
    fn post(&self, source: usize, message: Outgoing<'_>, at: Destination) {
        let inbox = &self.inboxes[at.to];
        inbox.ring.push(source as u32, at.tag, at.len, message);
        inbox.wake();
    }
}

impl Endpoint {
    #[inline]
    pub(super) fn check_send(&self, to: usize, tag: Tag) -> Result<()> {
        self.check_rank(to)?;
        check_tag(tag)?;
        self.check()
    }

    /// Whether a send in this mode uses rendezvous. A standard message to the sending rank itself
    /// is copied instead, whatever its size: a blocking send would deadlock.
    #[inline]
    pub(super) fn uses_rendezvous(&self, mode: SendMode, at: Destination) -> bool {
        match mode {
            SendMode::Synchronous => true,
            SendMode::Buffered => false,
            SendMode::Standard | SendMode::Ready => at.len > self.shared.eager_limit && at.to != self.rank,
        }
    }

    /// Sends a copy.
    #[inline]
    pub(super) fn post_eager(&self, data: &[u8], at: Destination) {
        self.shared.post_copy(self.rank, data, at);
    }

    /// Sends by rendezvous. Returns `None` if a handler took a copy at once.
    ///
    /// # Safety
    /// `data[..at.len]` must stay readable and unchanged until the rendezvous is done or withdrawn.
    pub(super) unsafe fn post_rendezvous(&self, data: *const u8, at: Destination) -> Option<Arc<Rendezvous>> {
        // SAFETY: the caller promises that the bytes are readable; the slice is used only in this
        // call.
        let bytes = unsafe { std::slice::from_raw_parts(data, at.len) };
        if self.shared.hand_over(self.rank, bytes, at) {
            return None;
        }
        // SAFETY: the caller promises that the bytes stay readable until the rendezvous is done or
        // withdrawn.
        let rendezvous = Arc::new(unsafe { Rendezvous::new(data, at.len) });
        self.shared.post(self.rank, Outgoing::Rendezvous(Arc::clone(&rendezvous)), at);
        Some(rendezvous)
    }

    pub(super) fn wait_rendezvous(&self, rendezvous: &Rendezvous, at: Destination) -> Result<()> {
        let taken = self.block_until(
            || at.to_string(),
            || {
                self.progress();
                rendezvous.is_done().then_some(Ok(()))
            },
        );
        if taken.is_err() {
            rendezvous.withdraw();
        }
        taken
    }
}
