//! State that the ranks of a simulated world share: the engine, and the bytes of messages.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use panto_machine::Machine;
use panto_sim::{
    Delivery, Engine, Envelope, MessageId, MessageInfo, RequestId, Selector as EngineSelector, Sharing, costs,
};
use panto_units::Time;
use smallvec::SmallVec;

use super::noise::ClockNoise;
use super::semantics;
use crate::error::Error;
use crate::handler::{Handler, HandlerMessage};
use crate::message::{FIRST_COLLECTIVE_TAG, MAX_TAG, SendMode, Status, Tag};
use crate::outcome::panic_text;

/// The number of worlds made so far in this process.
static WORLDS: AtomicU64 = AtomicU64::new(0);

/// The bytes of a message in flight. Most messages are short and need no allocation.
type Bytes = SmallVec<[u8; 64]>;

/// The buffer of a posted receive.
#[derive(Clone, Copy)]
pub(super) struct ReceiveBuffer {
    pub(super) data: *mut u8,
    pub(super) len: usize,
}

impl ReceiveBuffer {
    pub(super) const EMPTY: Self = Self { data: std::ptr::null_mut(), len: 0 };

    /// Copies the bytes of a matched message into the buffer, as many as fit.
    ///
    /// # Safety
    /// The request of this buffer must be one that the engine has just matched and not yet
    /// completed, so that its owner still keeps the memory valid.
    #[inline]
    unsafe fn fill(self, bytes: &[u8]) {
        let len = bytes.len().min(self.len);
        if len > 0 {
            // SAFETY: the caller promises that the buffer is still valid, for `self.len` bytes. It
            // may overlap the bytes where a rank sends from the buffer that it receives into.
            unsafe { std::ptr::copy(bytes.as_ptr(), self.data, len) };
        }
    }
}

/// State that the ranks of a simulated world share. All of them run on one thread.
pub(super) struct Shared {
    /// A number that is unique among the worlds of this process.
    pub(super) number: u64,
    pub(super) machine: Arc<Machine>,
    pub(super) ranks: usize,
    /// Whether computation is measured on the host instead of declared.
    pub(super) measured: bool,
    /// The noise of clock readings.
    pub(super) noise: Option<ClockNoise>,
    state: RefCell<State>,
    /// Time that handlers took of each rank since it was last taken into account.
    interruptions: RefCell<BTreeMap<usize, Time>>,
    failed: Cell<bool>,
    failure: RefCell<Option<Error>>,
}

/// A handler of a rank.
struct RegisteredHandler {
    rank: usize,
    tag: Tag,
    handler: Handler,
    /// Set when the guard of the handler was dropped, on any thread.
    is_closed: Arc<AtomicBool>,
}

/// The processor is shared and busy: the rank must be suspended.
pub(super) struct ProcessorBusy;

struct State {
    engine: Engine,
    /// Bytes of messages, indexed by message.
    bytes: Vec<Bytes>,
    /// Buffers of posted receives, indexed by request.
    buffers: Vec<ReceiveBuffer>,
    handlers: Vec<RegisteredHandler>,
    /// Handler calls that are due.
    calls: Vec<(usize, Status, Bytes, Time)>,
}

impl Shared {
    pub(super) fn new(
        machine: Arc<Machine>,
        ranks: usize,
        sharing: Sharing,
        measured: bool,
        noise: Option<ClockNoise>,
    ) -> Self {
        let engine = Engine::new(&machine, ranks, sharing, FIRST_COLLECTIVE_TAG);
        let state =
            State { engine, bytes: Vec::new(), buffers: Vec::new(), handlers: Vec::new(), calls: Vec::new() };
        let interruptions = RefCell::default();
        Self {
            number: WORLDS.fetch_add(1, Ordering::Relaxed),
            machine,
            ranks,
            measured,
            noise,
            state: RefCell::new(state),
            interruptions,
            failed: Cell::new(false),
            failure: RefCell::default(),
        }
    }

    /// Calls the engine, then copies the bytes of the messages that it has delivered and runs
    /// handlers.
    #[inline]
    pub(super) fn with_engine<R>(&self, call: impl FnOnce(&mut Engine) -> R) -> R {
        let mut state = self.state.borrow_mut();
        let result = call(&mut state.engine);
        if state.engine.has_deliveries() {
            state.deliver(self.failed.get());
            drop(state);
            self.call_handlers();
        }
        result
    }

    /// Sends these bytes. They are copied: the caller may reuse its memory at once.
    #[inline]
    pub(super) fn send(&self, rank: u32, envelope: Envelope, data: &[u8]) -> Option<RequestId> {
        self.state.borrow_mut().send(rank, envelope, data, self.failed.get())
    }

    /// Sends after some work, unless the rank must wait for its processor first; the work has begun
    /// then.
    #[inline]
    pub(super) fn work_and_send(
        &self,
        rank: u32,
        time: Time,
        envelope: Envelope,
        data: &[u8],
    ) -> Result<Option<RequestId>, ProcessorBusy> {
        let mut state = self.state.borrow_mut();
        if !state.engine.work(rank, time) {
            return Err(ProcessorBusy);
        }
        Ok(state.send(rank, envelope, data, self.failed.get()))
    }

    /// Posts a receive.
    ///
    /// # Safety
    /// The buffer must stay writable, and used by nothing else, until the request is complete or
    /// cancelled or the world has failed.
    #[inline]
    pub(super) unsafe fn receive(
        &self,
        rank: u32,
        selector: EngineSelector,
        buffer: ReceiveBuffer,
    ) -> RequestId {
        let mut state = self.state.borrow_mut();
        let request = state.engine.receive(rank, selector);
        let place = request as usize;
        if state.buffers.len() <= place {
            state.buffers.resize(place + 1, ReceiveBuffer::EMPTY);
        }
        state.buffers[place] = buffer;
        if state.engine.has_deliveries() {
            state.deliver(self.failed.get());
        }
        request
    }

    /// Returns the length of a receive's buffer in bytes.
    pub(super) fn capacity(&self, request: RequestId) -> usize {
        self.state.borrow().buffers.get(request as usize).map_or(0, |buffer| buffer.len)
    }

    /// Registers a handler for messages with this tag, until the returned flag is set;
    /// [`Shared::forget_handler`] should follow.
    pub(super) fn listen(&self, rank: usize, tag: Tag, handler: Handler) -> Arc<AtomicBool> {
        let is_closed = Arc::new(AtomicBool::new(false));
        let registered = RegisteredHandler { rank, tag, handler, is_closed: Arc::clone(&is_closed) };
        self.state.borrow_mut().handlers.push(registered);
        self.with_engine(|engine| engine.add_handler(rank as u32, tag));
        is_closed
    }

    /// Whether the rank has a handler for this tag.
    pub(super) fn listens(&self, rank: usize, tag: Tag) -> bool {
        let is_it = |registered: &RegisteredHandler| {
            (registered.rank, registered.tag) == (rank, tag) && !registered.is_closed.load(Ordering::Relaxed)
        };
        self.state.borrow().handlers.iter().any(is_it)
    }

    /// Returns the time that handlers have taken of the rank since the last call, if any.
    pub(super) fn take_interruption(&self, rank: usize) -> Option<Time> {
        self.interruptions.borrow_mut().remove(&rank).filter(|time| *time > Time::ZERO)
    }

    pub(super) fn forget_handler(&self, rank: usize, tag: Tag) {
        self.state
            .borrow_mut()
            .handlers
            .retain(|registered| (registered.rank, registered.tag) != (rank, tag));
    }

    /// Returns the error that ended the run, if it has ended.
    #[inline]
    pub(super) fn failure(&self) -> Option<Error> {
        if self.failed.get() { self.failure.borrow().clone() } else { None }
    }

    /// Ends the run for all ranks. Returns the first cause, which may be another error. From now on
    /// no bytes are copied: ranks return from their calls with an error, and free their buffers.
    pub(super) fn fail(&self, error: Error) -> Error {
        self.failed.set(true);
        self.failure.borrow_mut().get_or_insert(error).clone()
    }

    /// Runs the handlers that are due, and those that become due by what they send. They are user
    /// code, so nothing is borrowed meanwhile.
    fn call_handlers(&self) {
        loop {
            let (calls, mut handlers) = {
                let mut state = self.state.borrow_mut();
                if state.calls.is_empty() {
                    return;
                }
                (std::mem::take(&mut state.calls), std::mem::take(&mut state.handlers))
            };
            for call in calls {
                self.call_handler(&mut handlers, call);
            }
            self.restore_handlers(handlers);
        }
    }

    /// Runs the handler of a message. It interrupts its rank for the overheads of receiving the
    /// message and of sending what it returns. It is part of its rank: its panic fails the rank
    /// (C1).
    fn call_handler(
        &self,
        handlers: &mut [RegisteredHandler],
        (rank, status, bytes, now): (usize, Status, Bytes, Time),
    ) {
        let is_it =
            |registered: &&mut RegisteredHandler| (registered.rank, registered.tag) == (rank, status.tag);
        let Some(registered) = handlers.iter_mut().find(is_it) else { return };
        if registered.is_closed.load(Ordering::Relaxed) || self.failed.get() {
            return;
        }
        let overhead = costs::receive_overhead(&self.machine, None, bytes.len() as u64, false);
        self.interrupt(rank, overhead);
        let now = now.saturating_add(overhead);
        let call = AssertUnwindSafe(|| (registered.handler)(status, &bytes, now));
        let outcome = catch_unwind(call).unwrap_or_else(|panic| {
            let message = format!("message handler panicked: {}", panic_text(panic.as_ref()));
            self.fail(Error::Aborted { rank, message: message.into() });
            None
        });
        if let Some(message) = outcome {
            self.send_from_handler(rank, now, &message);
        }
    }

    fn interrupt(&self, rank: usize, time: Time) {
        let mut interruptions = self.interruptions.borrow_mut();
        let taken = interruptions.entry(rank).or_default();
        *taken = taken.saturating_add(time);
    }

    /// Sends a message of a handler that has run at `now`: buffered, as no rank waits for it.
    fn send_from_handler(&self, rank: usize, now: Time, message: &HandlerMessage) {
        let HandlerMessage { to, tag, data } = message;
        if *to >= self.ranks || *tag > MAX_TAG {
            let text = format!("a message handler sent to rank {to} with tag {tag}, which do not exist");
            self.fail(Error::Aborted { rank, message: text.into() });
            return;
        }
        let bytes = data.len() as u64;
        let overhead = costs::send_overhead(&self.machine, None, bytes, false);
        self.interrupt(rank, overhead);
        let envelope = Envelope {
            to: *to as u32,
            tag: *tag,
            bytes,
            network_bytes: costs::network_bytes(&self.machine, None, bytes),
            collective: None,
            protocol: semantics::protocol(&self.machine, None, SendMode::Buffered, bytes),
            bypass: false,
        };
        let mut state = self.state.borrow_mut();
        let message = state.engine.send_at(rank as u32, now.saturating_add(overhead), envelope);
        state.keep(message, data);
        if state.engine.has_deliveries() {
            state.deliver(self.failed.get());
        }
    }

    /// Puts handlers back that were taken to be run, except those that were closed meanwhile.
    fn restore_handlers(&self, mut handlers: Vec<RegisteredHandler>) {
        let mut state = self.state.borrow_mut();
        let over = handlers.extract_if(.., |registered| registered.is_closed.load(Ordering::Relaxed));
        for RegisteredHandler { rank, tag, .. } in over {
            state.engine.remove_handler(rank as u32, tag);
        }
        handlers.append(&mut state.handlers);
        state.handlers = handlers;
    }
}

impl State {
    #[inline]
    fn send(&mut self, rank: u32, envelope: Envelope, data: &[u8], failed: bool) -> Option<RequestId> {
        let (message, request) = self.engine.send(rank, envelope);
        // Usually the receive is posted already, and the bytes are copied straight to it.
        if let Some(receive) = self.engine.take_sole_delivery(message).filter(|_| !failed) {
            // SAFETY: the engine has just matched this receive, which is not complete before this
            // returns.
            unsafe { self.buffers[receive as usize].fill(data) };
            return request;
        }
        self.keep(message, data);
        if self.engine.has_deliveries() {
            self.deliver(failed);
        }
        request
    }

    #[inline]
    fn keep(&mut self, message: MessageId, data: &[u8]) {
        let place = message as usize;
        if self.bytes.len() <= place {
            self.bytes.resize_with(place + 1, Bytes::new);
        }
        let bytes = &mut self.bytes[place];
        bytes.clear();
        bytes.extend_from_slice(data);
    }

    fn deliver(&mut self, failed: bool) {
        while let Some(delivery) = self.engine.next_delivery() {
            match delivery {
                Delivery::Receive(message, request) if !failed => self.copy(message, request),
                Delivery::Handler(message, rank, info, now) if !failed => {
                    let bytes = std::mem::take(&mut self.bytes[message as usize]);
                    self.calls.push((rank as usize, status(info), bytes, now));
                }
                Delivery::Receive(message, _) | Delivery::Handler(message, ..) | Delivery::Drop(message) => {
                    self.bytes[message as usize] = Bytes::new();
                }
            }
        }
    }

    #[inline]
    fn copy(&mut self, message: MessageId, request: RequestId) {
        let bytes = &mut self.bytes[message as usize];
        // SAFETY: the engine has just matched this receive, which is not complete before this
        // returns.
        unsafe { self.buffers[request as usize].fill(bytes) };
        // Large allocations are freed.
        if bytes.spilled() {
            *bytes = Bytes::new();
        }
    }
}

pub(super) fn status(info: MessageInfo) -> Status {
    Status { source: info.source as usize, tag: info.tag, len: info.bytes as usize }
}
