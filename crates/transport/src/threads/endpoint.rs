//! One rank of a world of threads: the operations of [`Transport`]. The modules `sending`,
//! `receiving` and `waiting` implement them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use panto_schedule::HopShape;

use super::handlers::HandlerThread;
use super::matching::Matching;
use super::rendezvous::Rendezvous;
use super::sending::Destination;
use super::shared::{Inbox, Shared};
use crate::emulated::{EmulatedPersistent, emulated_persistent_operations};
use crate::error::{Error, Result};
use crate::handler::{Handler, HandlerGuard};
use crate::message::{MAX_TAG, Selector, SendMode, Status, Tag};
use crate::outcome::panic_text;
use crate::transport::{StandardSend, Transport};
use panto_units::Time;

/// One rank's endpoint. It belongs to the rank's thread (it is not `Sync`), so matching needs no
/// locks.
pub struct Endpoint {
    pub(super) rank: usize,
    pub(super) shared: Arc<Shared>,
    pub(super) matching: RefCell<Matching>,
}

/// A pending operation of an [`Endpoint`].
pub struct Handle(pub(super) State);

pub(super) enum State {
    Complete(Status),
    Failed(Error),
    Sending(Arc<Rendezvous>, Destination),
    Receiving(usize),
}

// SAFETY: the pointers to callers' memory are in `Rendezvous` (sends) and `PostedReceive`
// (receives). A rendezvous that is done or withdrawn is no longer read, and a receive that has its
// outcome or was cancelled is no longer in `Matching`; `wait`, `test` and `wait_any` report
// completion and `cancel` returns only after that.
unsafe impl Transport for Endpoint {
    type Handle = Handle;
    type Persistent = EmulatedPersistent<Handle>;

    emulated_persistent_operations!();

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.inboxes.len()
    }

    fn send(&self, mode: SendMode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.check_send(to, tag)?;
        let at = Destination { to, tag, len: data.len() };
        if !self.uses_rendezvous(mode, at) {
            self.post_eager(data, at);
            return Ok(());
        }
        // SAFETY: `data` is borrowed until this returns, and `wait_rendezvous` returns only when
        // the message was taken or withdrawn.
        unsafe { self.post_rendezvous(data.as_ptr(), at) }
            .map_or(Ok(()), |rendezvous| self.wait_rendezvous(&rendezvous, at))
    }

    fn receive(&self, buffer: &mut [u8], selector: Selector) -> Result<Status> {
        self.check_selector(selector)?;
        // SAFETY: the buffer is exclusively borrowed until this returns.
        unsafe { self.receive_raw(buffer.as_mut_ptr(), buffer.len(), selector) }
    }

    fn probe(&self, selector: Selector) -> Result<Status> {
        self.check_selector(selector)?;
        self.block_until(
            || selector.to_string(),
            || {
                self.progress();
                self.matching.borrow().peek_unexpected(selector).map(Ok)
            },
        )
    }

    fn try_probe(&self, selector: Selector) -> Result<Option<Status>> {
        self.check_selector(selector)?;
        self.check()?;
        self.progress();
        let found = self.matching.borrow().peek_unexpected(selector);
        if found.is_none() && self.shared.oversubscribed {
            std::thread::yield_now();
        }
        Ok(found)
    }

    unsafe fn start_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Handle> {
        self.check_send(to, tag)?;
        let at = Destination { to, tag, len };
        let complete = Handle(State::Complete(at.status(self.rank)));
        if self.uses_rendezvous(mode, at) {
            // SAFETY: `data[..len]` stays readable until the handle completes or is cancelled, as
            // the caller of `start_send` promises; the handle holds the rendezvous.
            let rendezvous = unsafe { self.post_rendezvous(data, at) };
            return Ok(rendezvous.map_or(complete, |rendezvous| Handle(State::Sending(rendezvous, at))));
        }
        // SAFETY: `data[..len]` is readable now, as the caller promises; it is copied before this
        // returns.
        self.post_eager(unsafe { std::slice::from_raw_parts(data, len) }, at);
        Ok(complete)
    }

    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, selector: Selector) -> Result<Handle> {
        self.check_selector(selector)?;
        // Messages that arrived earlier come first: a posted receive must not match a later one.
        self.progress();
        // SAFETY: the caller promises that `buffer[..len]` is writable and exclusively this
        // receive's.
        if let Some(outcome) = unsafe { self.deliver_unexpected(buffer, len, selector) } {
            return outcome.map(|status| Handle(State::Complete(status)));
        }
        // SAFETY: the caller promises that the buffer stays valid until the handle completes or is
        // cancelled, which is when the slot's outcome is taken or the receive removed.
        let slot = unsafe { self.matching.borrow_mut().post(selector, buffer, len) };
        Ok(Handle(State::Receiving(slot)))
    }

    fn wait(&self, handle: &mut Handle) -> Result<Status> {
        if let State::Complete(status) = handle.0 {
            return Ok(status);
        }
        let cell = RefCell::new(handle);
        self.block_until(
            || self.describe(&cell.borrow()),
            || {
                self.progress();
                self.settle(&mut cell.borrow_mut())
            },
        )
    }

    fn test(&self, handle: &mut Handle) -> Result<Option<Status>> {
        self.check()?;
        self.progress();
        let outcome = self.settle(handle).transpose()?;
        if outcome.is_none() && self.shared.oversubscribed {
            std::thread::yield_now();
        }
        Ok(outcome)
    }

    fn wait_any(&self, handles: &mut [Handle], which: &[usize]) -> Result<(usize, Status)> {
        if which.is_empty() {
            return Err(Error::NoRequest);
        }
        let cell = RefCell::new(handles);
        let first_ready = || {
            self.progress();
            let mut handles = cell.borrow_mut();
            which.iter().enumerate().find_map(|(place, &index)| {
                self.settle(&mut handles[index]).map(|outcome| outcome.map(|status| (place, status)))
            })
        };
        let waits_for = || {
            let handles = cell.borrow();
            let each: Vec<String> = which.iter().map(|&index| self.describe(&handles[index])).collect();
            format!("one of: {}", each.join("; "))
        };
        self.block_until(waits_for, first_ready)
    }

    fn cancel(&self, handle: &mut Handle) -> Option<Status> {
        let done = match &handle.0 {
            State::Complete(status) => return Some(*status),
            State::Failed(_) => return None,
            State::Sending(rendezvous, at) => rendezvous.withdraw().then(|| at.status(self.rank)),
            State::Receiving(slot) => self.matching.borrow_mut().cancel(*slot),
        };
        handle.0 = State::Complete(done.unwrap_or(Status { source: self.rank, tag: 0, len: 0 }));
        done
    }

    fn now(&self) -> Time {
        self.shared.origin.elapsed().into()
    }

    fn shares_clock(&self) -> bool {
        true
    }

    fn standard_send(&self) -> StandardSend {
        StandardSend::Eager(self.shared.eager_limit)
    }

    /// Rendezvous is the same in every mode, and a ready send is treated like a standard one.
    fn equivalent_mode(&self, mode: SendMode, len: usize) -> SendMode {
        match mode {
            SendMode::Ready => SendMode::Standard,
            SendMode::Synchronous if len > self.shared.eager_limit => SendMode::Standard,
            mode => mode,
        }
    }

    fn shape(&self) -> HopShape {
        HopShape::Complete
    }

    fn oversubscribed(&self) -> bool {
        self.shared.oversubscribed
    }

    fn abort(&self, message: &str) -> Error {
        self.shared.fail(Error::Aborted { rank: self.rank, message: message.into() })
    }

    #[inline]
    fn check(&self) -> Result<()> {
        match self.shared.failure() {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }

    fn on_message(&self, tag: Tag, handler: Handler) -> Result<HandlerGuard> {
        check_tag(tag)?;
        let handler = self.guarded(handler);
        let outside = HandlerThread { shared: Arc::clone(&self.shared), rank: self.rank };
        self.inbox().handlers.listen(tag, handler, outside)
    }
}

impl Endpoint {
    pub(super) fn new(rank: usize, shared: Arc<Shared>) -> Self {
        Self { rank, shared, matching: RefCell::default() }
    }

    pub(super) fn inbox(&self) -> &Inbox {
        &self.shared.inboxes[self.rank]
    }

    #[inline]
    pub(super) fn check_rank(&self, rank: usize) -> Result<()> {
        let ranks = self.size();
        if rank < ranks { Ok(()) } else { Err(Error::NoSuchRank { rank, ranks }) }
    }

    #[inline]
    pub(super) fn check_selector(&self, selector: Selector) -> Result<()> {
        selector.source.map_or(Ok(()), |source| self.check_rank(source))?;
        selector.tag.map_or(Ok(()), check_tag)
    }

    /// Wraps a handler so that its panic fails the rank (C1): a handler is part of its rank.
    pub(super) fn guarded(&self, mut handler: Handler) -> Handler {
        let (shared, rank) = (Arc::clone(&self.shared), self.rank);
        let mut failed = false;
        Box::new(move |status, data, now| {
            if failed {
                return None;
            }
            catch_unwind(AssertUnwindSafe(|| handler(status, data, now))).unwrap_or_else(|panic| {
                failed = true;
                let message = format!("message handler panicked: {}", panic_text(panic.as_ref()));
                shared.fail(Error::Aborted { rank, message: message.into() });
                None
            })
        })
    }
}

pub(super) fn check_tag(tag: Tag) -> Result<()> {
    if tag > MAX_TAG { Err(Error::TagTooLarge(tag)) } else { Ok(()) }
}
