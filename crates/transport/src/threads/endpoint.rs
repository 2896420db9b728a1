//! One rank of a world of threads: the operations of the trait. How they send, receive and wait stands in the
//! files of that name.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use panto_schedule::HopShape;

use super::matching::Matching;
use super::offer::Offer;
use super::sending::Destination;
use super::shared::{Mailbox, Shared};
use crate::error::{Error, Result};
use crate::handler::{Handler, Listening};
use crate::message::{MAX_TAG, Mode, Status, Tag, Want};
use crate::outcome::panic_text;
use crate::repeated::{Repeated, repeated_operations};
use crate::transport::{StandardSend, Transport};
use panto_units::Time;

/// One rank. It belongs to its thread: the matching of messages is not locked.
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
    Sending(Arc<Offer>, Destination),
    Receiving(usize),
}

// SAFETY: an offer that is done or withdrawn, and a receive that has its outcome or is forgotten, have no pointer to the
// caller's memory any more.
unsafe impl Transport for Endpoint {
    type Handle = Handle;
    type Persistent = Repeated<Handle>;

    repeated_operations!();

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.mailboxes.len()
    }

    fn send(&self, mode: Mode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.check_send(to, tag)?;
        let at = Destination { to, tag, len: data.len() };
        if !self.offers(mode, at) {
            self.post_copy(data, at);
            return Ok(());
        }
        // SAFETY: `data` is borrowed until this returns, and `wait_offer` returns only when the offer was
        // taken or withdrawn.
        unsafe { self.post_offer(data.as_ptr(), at) }.map_or(Ok(()), |offer| self.wait_offer(&offer, at))
    }

    fn receive(&self, buffer: &mut [u8], want: Want) -> Result<Status> {
        self.check_want(want)?;
        // SAFETY: the buffer is borrowed until this returns.
        unsafe { self.receive_raw(buffer.as_mut_ptr(), buffer.len(), want) }
    }

    fn probe(&self, want: Want) -> Result<Status> {
        self.check_want(want)?;
        self.block_until(
            || want.to_string(),
            || {
                self.progress();
                self.matching.borrow().peek_unexpected(want).map(Ok)
            },
        )
    }

    fn try_probe(&self, want: Want) -> Result<Option<Status>> {
        self.check_want(want)?;
        self.check()?;
        self.progress();
        let found = self.matching.borrow().peek_unexpected(want);
        if found.is_none() && self.shared.oversubscribed {
            std::thread::yield_now();
        }
        Ok(found)
    }

    unsafe fn start_send(
        &self,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Handle> {
        self.check_send(to, tag)?;
        let at = Destination { to, tag, len };
        let complete = Handle(State::Complete(at.status(self.rank)));
        if self.offers(mode, at) {
            // SAFETY: passed on to the caller.
            let offer = unsafe { self.post_offer(data, at) };
            return Ok(offer.map_or(complete, |offer| Handle(State::Sending(offer, at))));
        }
        // SAFETY: the caller keeps the bytes readable.
        self.post_copy(unsafe { std::slice::from_raw_parts(data, len) }, at);
        Ok(complete)
    }

    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Handle> {
        self.check_want(want)?;
        // What came must be looked at first, or a later message could overtake it.
        self.progress();
        // SAFETY: the caller vouches for the buffer.
        if let Some(outcome) = unsafe { self.deliver_unexpected(buffer, len, want) } {
            return outcome.map(|status| Handle(State::Complete(status)));
        }
        Ok(Handle(State::Receiving(self.matching.borrow_mut().post(want, buffer, len))))
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
            return Err(Error::NothingToWaitFor);
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
            State::Sending(offer, at) => offer.withdraw().then(|| at.status(self.rank)),
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

    /// Messages that are not copied are offered in every mode alike, and nothing is made of the promise of a ready send.
    fn alike(&self, mode: Mode, len: usize) -> Mode {
        match mode {
            Mode::Ready => Mode::Standard,
            Mode::Synchronous if len > self.shared.eager_limit => Mode::Standard,
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

    fn on_message(&self, tag: Tag, handler: Handler) -> Result<Listening> {
        check_tag(tag)?;
        let handler = self.guarded(handler);
        self.mailbox().listeners.listen(tag, handler, self.shared.cores.clone(), self.shared.origin)
    }
}

impl Endpoint {
    pub(super) fn new(rank: usize, shared: Arc<Shared>) -> Self {
        Self { rank, shared, matching: RefCell::default() }
    }

    pub(super) fn mailbox(&self) -> &Mailbox {
        &self.shared.mailboxes[self.rank]
    }

    #[inline]
    pub(super) fn check_rank(&self, rank: usize) -> Result<()> {
        let ranks = self.size();
        if rank < ranks { Ok(()) } else { Err(Error::NoSuchRank { rank, ranks }) }
    }

    #[inline]
    pub(super) fn check_want(&self, want: Want) -> Result<()> {
        want.source.map_or(Ok(()), |source| self.check_rank(source))?;
        want.tag.map_or(Ok(()), check_tag)
    }

    /// A handler is a part of its rank: when it panics, the rank has failed (C1).
    pub(super) fn guarded(&self, mut handler: Handler) -> Handler {
        let (shared, rank) = (Arc::clone(&self.shared), self.rank);
        let mut failed = false;
        Box::new(move |status, data, now| {
            if failed {
                return;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| handler(status, data, now))) {
                failed = true;
                let message = format!("a handler of it panicked: {}", panic_text(panic.as_ref()));
                shared.fail(Error::Aborted { rank, message: message.into() });
            }
        })
    }
}

pub(super) fn check_tag(tag: Tag) -> Result<()> {
    if tag > MAX_TAG { Err(Error::TagTooLarge(tag)) } else { Ok(()) }
}
