//! One rank of a world of threads.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use panto_schedule::HopShape;

use super::matching::{Matching, Posted};
use super::packet::{Body, Offer, Stored};
use super::panic_text;
use super::patience::Patience;
use super::ring::Outgoing;
use super::shared::{Mailbox, Shared};
use crate::clock::Time;
use crate::error::{Error, Result};
use crate::handler::{Handler, Listening};
use crate::message::{MAX_TAG, Mode, Status, Tag, Want};
use crate::transport::{StandardSend, Transport};

/// One rank. It belongs to its thread: the matching of messages is not locked.
pub struct Endpoint {
    rank: usize,
    shared: Arc<Shared>,
    matching: RefCell<Matching>,
}

/// A pending operation of an [`Endpoint`].
pub struct Handle(State);

enum State {
    Complete(Status),
    Sending(Arc<Offer>, Destination),
    Receiving(usize),
}

#[derive(Clone, Copy)]
struct Destination {
    to: usize,
    tag: Tag,
    len: usize,
}

impl Endpoint {
    pub(super) fn new(rank: usize, shared: Arc<Shared>) -> Self {
        Self { rank, shared, matching: RefCell::default() }
    }

    fn mailbox(&self) -> &Mailbox {
        &self.shared.mailboxes[self.rank]
    }

    #[inline]
    fn check_rank(&self, rank: usize) -> Result<()> {
        let ranks = self.size();
        if rank < ranks { Ok(()) } else { Err(Error::NoSuchRank { rank, ranks }) }
    }

    #[inline]
    fn check_send(&self, to: usize, tag: Tag) -> Result<()> {
        self.check_rank(to)?;
        check_tag(tag)?;
        self.check()
    }

    #[inline]
    fn check_want(&self, want: Want) -> Result<()> {
        want.source.map_or(Ok(()), |source| self.check_rank(source))?;
        want.tag.map_or(Ok(()), check_tag)
    }

    /// Does a send in this mode leave its bytes with the sender until they are taken? A message to oneself is
    /// copied instead: nobody else could take it.
    #[inline]
    fn offers(&self, mode: Mode, at: Destination) -> bool {
        match mode {
            Mode::Synchronous => true,
            Mode::Buffered => false,
            Mode::Standard | Mode::Ready => at.len > self.shared.eager_limit && at.to != self.rank,
        }
    }

    /// Sends a copy.
    #[inline]
    fn post_copy(&self, data: &[u8], at: Destination) {
        if !self.shared.mailboxes[at.to].listeners.take(at.status(self.rank), data) {
            self.post(Outgoing::Copy(data), at);
        }
    }

    /// Offers the bytes where they are; `None` if a handler took a copy at once.
    ///
    /// # Safety
    /// As for [`Transport::start_send`].
    unsafe fn post_offer(&self, data: *const u8, at: Destination) -> Option<Arc<Offer>> {
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
    fn post(&self, message: Outgoing<'_>, at: Destination) {
        let mailbox = &self.shared.mailboxes[at.to];
        mailbox.ring.push(self.rank as u32, at.tag, at.len, message);
        mailbox.wake();
    }

    /// Lets `consume` have the next message from the ring.
    #[inline]
    fn next<R>(&self, consume: impl FnOnce(Status, Body<'_>) -> R) -> Option<R> {
        // SAFETY: an endpoint is the only receiver of its mailbox, and it is not `Sync`.
        unsafe { self.mailbox().ring.pop(consume) }
    }

    /// Gives a message to the receive that waits for it, or back to the caller.
    #[inline]
    fn route<'a>(&self, message: Status, body: Body<'a>) -> Option<Body<'a>> {
        let Some((place, posted)) = self.matching.borrow_mut().take_posted(message) else {
            return Some(body);
        };
        self.fill(place, posted, message, body);
        None
    }

    #[inline]
    fn fill(&self, place: usize, posted: Posted, message: Status, body: Body<'_>) {
        // SAFETY: the contract of `start_receive` holds until the receive completes or is cancelled.
        let outcome = unsafe { self.deliver(message, body, posted.buffer, posted.capacity) };
        let mut matching = self.matching.borrow_mut();
        match outcome {
            Some(outcome) => matching.complete(&posted, outcome),
            None => matching.put_back(place, posted),
        }
    }

    /// Copies a message to where it goes. `None`: its sender has withdrawn it.
    ///
    /// # Safety
    /// `buffer[..capacity]` must be writable, and nobody else's.
    #[inline]
    unsafe fn deliver(
        &self,
        message: Status,
        body: Body<'_>,
        buffer: *mut u8,
        capacity: usize,
    ) -> Option<Result<Status>> {
        let fits = message.len.min(capacity);
        match body {
            // SAFETY: the message has `len` bytes, and `fits` of them have room.
            Body::Bytes(bytes) => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, fits) },
            // SAFETY: as above.
            Body::Owned(bytes) => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, fits) },
            Body::Offer(offer) => {
                // SAFETY: the caller vouches for the buffer.
                if !unsafe { offer.accept(buffer, capacity) } {
                    return None;
                }
                self.shared.mailboxes[message.source].ring_bell();
            }
        }
        if message.len > capacity {
            return Some(Err(Error::Truncated { rank: self.rank, message, capacity }));
        }
        Some(Ok(message))
    }

    /// Takes everything out of the ring: to receives that wait, or aside.
    fn progress(&self) {
        while self.next(|message, body| self.route_or_keep(message, body)).is_some() {}
    }

    fn route_or_keep(&self, message: Status, body: Body<'_>) {
        if let Some(body) = self.route(message, body) {
            self.matching.borrow_mut().keep_unexpected(Stored::new(message, body));
        }
    }

    /// Delivers the oldest message that came before its receive.
    ///
    /// # Safety
    /// As for [`deliver`](Self::deliver).
    #[inline]
    unsafe fn deliver_unexpected(
        &self,
        buffer: *mut u8,
        capacity: usize,
        want: Want,
    ) -> Option<Result<Status>> {
        loop {
            let stored = self.matching.borrow_mut().take_unexpected(want)?;
            // SAFETY: the caller vouches for the buffer.
            let outcome = unsafe { self.deliver(stored.status, stored.body(), buffer, capacity) };
            if outcome.is_some() {
                return outcome;
            }
        }
    }

    /// A handler is a part of its rank: when it panics, the rank has failed (C1).
    fn guarded(&self, mut handler: Handler) -> Handler {
        let (shared, rank) = (Arc::clone(&self.shared), self.rank);
        let mut failed = false;
        Box::new(move |status, data| {
            if failed {
                return;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| handler(status, data))) {
                failed = true;
                let message = format!("a handler of it panicked: {}", panic_text(panic.as_ref()));
                shared.fail(Error::Aborted { rank, message: message.into() });
            }
        })
    }

    /// Waits until `ready` answers: spinning, then yielding, then asleep.
    #[inline]
    fn block_until<R>(
        &self,
        waits_for: impl Fn() -> String,
        mut ready: impl FnMut() -> Option<Result<R>>,
    ) -> Result<R> {
        let mut patience = Patience::new(self.shared.oversubscribed);
        loop {
            let rings = self.mailbox().rings();
            if let Some(outcome) = ready() {
                return outcome;
            }
            self.check()?;
            if !patience.pause() {
                self.shared.sleep(self.rank, rings, || self.explain(&waits_for()));
            }
        }
    }

    /// What this rank waits for, and what came instead.
    #[cold]
    fn explain(&self, waits_for: &str) -> String {
        let matching = self.matching.borrow();
        let others = matching.unexpected();
        let count = others.len();
        let list: Vec<String> =
            others.take(3).map(|m| format!("from rank {} with tag {}", m.source, m.tag)).collect();
        match count {
            0 => format!("waits for {waits_for}"),
            _ => format!("waits for {waits_for}; {count} other here: {}", list.join(", ")),
        }
    }

    /// # Safety
    /// As for [`Transport::start_receive`], until this returns.
    unsafe fn receive_raw(&self, buffer: *mut u8, capacity: usize, want: Want) -> Result<Status> {
        // SAFETY: the caller vouches for the buffer.
        if let Some(outcome) = unsafe { self.deliver_unexpected(buffer, capacity, want) } {
            return outcome;
        }
        let take = |message: Status, body: Body<'_>| {
            let body = self.route(message, body)?;
            if want.accepts(message) {
                // SAFETY: the caller vouches for the buffer.
                return unsafe { self.deliver(message, body, buffer, capacity) };
            }
            self.matching.borrow_mut().keep_unexpected(Stored::new(message, body));
            None
        };
        let ready = || {
            while let Some(outcome) = self.next(take) {
                if outcome.is_some() {
                    return outcome;
                }
            }
            None
        };
        self.block_until(|| want.to_string(), ready)
    }

    fn wait_offer(&self, offer: &Offer, at: Destination) -> Result<()> {
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

    /// Completes a handle if it can be completed now.
    #[inline]
    fn settle(&self, handle: &mut Handle) -> Option<Result<Status>> {
        let outcome = match &handle.0 {
            State::Complete(status) => return Some(Ok(*status)),
            State::Sending(offer, at) => offer.is_done().then(|| Ok(at.status(self.rank))),
            State::Receiving(slot) => self.matching.borrow_mut().take_outcome(*slot),
        }?;
        let status = match &outcome {
            Ok(status) => *status,
            // The handle is spent; the error is told once.
            Err(_) => Status { source: self.rank, tag: 0, len: 0 },
        };
        handle.0 = State::Complete(status);
        Some(outcome)
    }

    fn describe(&self, handle: &Handle) -> String {
        match &handle.0 {
            State::Complete(_) => "nothing".into(),
            State::Sending(_, at) => at.to_string(),
            State::Receiving(slot) => {
                self.matching.borrow().wanted(*slot).map_or_else(|| "nothing".into(), |want| want.to_string())
            }
        }
    }
}

fn check_tag(tag: Tag) -> Result<()> {
    if tag > MAX_TAG { Err(Error::TagTooLarge(tag)) } else { Ok(()) }
}

impl Destination {
    fn status(self, source: usize) -> Status {
        Status { source, tag: self.tag, len: self.len }
    }
}

impl std::fmt::Display for Destination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} to receive {} bytes with tag {}", self.to, self.len, self.tag)
    }
}

// SAFETY: an offer that is done or withdrawn, and a receive that has its outcome or is forgotten, have no pointer to the
// caller's memory any more.
unsafe impl Transport for Endpoint {
    type Handle = Handle;

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
        self.mailbox().listeners.listen(tag, handler, self.shared.cores.clone())
    }
}
