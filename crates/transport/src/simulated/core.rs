//! What the ranks of a simulated world share: the engine, and the bytes of messages.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use panto_machine::Machine;
use panto_sim::{Delivery, Engine, Envelope, Label, MessageId, Model, RequestId, Selector};
use panto_units::Time;
use smallvec::SmallVec;

use super::noise::ClockNoise;
use crate::error::Error;
use crate::handler::Handler;
use crate::message::{FIRST_COLLECTIVE_TAG, Status, Tag};
use crate::outcome::panic_text;

/// Worlds that there were so far.
static WORLDS: AtomicU64 = AtomicU64::new(0);

/// The bytes of a message on its way. Most messages are short, and need no allocation.
type Bytes = SmallVec<[u8; 64]>;

/// Where the bytes of a message go.
#[derive(Clone, Copy)]
pub(super) struct Sink {
    pub(super) data: *mut u8,
    pub(super) len: usize,
}

impl Sink {
    pub(super) const NOWHERE: Self = Self { data: std::ptr::null_mut(), len: 0 };

    /// Only for a request that the engine has just matched.
    #[inline]
    fn take(self, bytes: &[u8]) {
        let len = bytes.len().min(self.len);
        if len > 0 {
            // SAFETY: a request is neither complete nor cancelled before the engine says so, which is not before this; the sink
            // was vouched for until then. It may overlap the bytes where a rank sends from the buffer that it receives into.
            unsafe { std::ptr::copy(bytes.as_ptr(), self.data, len) };
        }
    }
}

/// What the ranks of a simulated world share. All of them run on one thread.
pub(super) struct Core {
    /// No other world of this process has it.
    pub(super) number: u64,
    pub(super) machine: Arc<Machine>,
    pub(super) ranks: usize,
    /// Is the computation of ranks measured on the host, instead of declared?
    pub(super) measured: bool,
    /// How inexactly ranks read the clock.
    pub(super) noise: Option<ClockNoise>,
    state: RefCell<State>,
    failed: Cell<bool>,
    failure: RefCell<Option<Error>>,
}

/// A handler of a rank.
struct Registered {
    rank: usize,
    tag: Tag,
    handler: Handler,
    /// Set when nobody listens any more, from wherever.
    is_over: Arc<AtomicBool>,
}

/// The processor works for others too.
pub(super) struct Busy;

struct State {
    engine: Engine,
    /// By message.
    bytes: Vec<Bytes>,
    /// By request.
    sinks: Vec<Sink>,
    handlers: Vec<Registered>,
    /// Messages whose handler must run.
    calls: Vec<(usize, Status, Bytes, Time)>,
}

impl Core {
    pub(super) fn new(
        machine: Arc<Machine>,
        ranks: usize,
        model: Model,
        measured: bool,
        noise: Option<ClockNoise>,
    ) -> Self {
        let engine = Engine::new(&machine, ranks, model, FIRST_COLLECTIVE_TAG);
        let state =
            State { engine, bytes: Vec::new(), sinks: Vec::new(), handlers: Vec::new(), calls: Vec::new() };
        Self {
            number: WORLDS.fetch_add(1, Ordering::Relaxed),
            machine,
            ranks,
            measured,
            noise,
            state: RefCell::new(state),
            failed: Cell::new(false),
            failure: RefCell::default(),
        }
    }

    /// Tells the engine something, and does with the bytes what it says.
    #[inline]
    pub(super) fn tell<R>(&self, words: impl FnOnce(&mut Engine) -> R) -> R {
        let mut state = self.state.borrow_mut();
        let answer = words(&mut state.engine);
        if state.engine.has_deliveries() {
            state.deliver(self.failed.get());
            drop(state);
            self.call_handlers();
        }
        answer
    }

    /// Sends these bytes. They are copied: the caller may reuse its memory at once, whatever the request says.
    #[inline]
    pub(super) fn send(&self, rank: u32, envelope: Envelope, data: &[u8]) -> Option<RequestId> {
        self.state.borrow_mut().send(rank, envelope, data, self.failed.get())
    }

    /// Sends after some work, unless the rank must wait for its processor first; then the work has begun.
    #[inline]
    pub(super) fn work_and_send(
        &self,
        rank: u32,
        time: Time,
        envelope: Envelope,
        data: &[u8],
    ) -> Result<Option<RequestId>, Busy> {
        let mut state = self.state.borrow_mut();
        if !state.engine.work(rank, time) {
            return Err(Busy);
        }
        Ok(state.send(rank, envelope, data, self.failed.get()))
    }

    /// Posts a receive.
    ///
    /// # Safety
    /// The sink must stay writable until the request is complete or cancelled, or the world has failed.
    #[inline]
    pub(super) unsafe fn receive(&self, rank: u32, selector: Selector, sink: Sink) -> RequestId {
        let mut state = self.state.borrow_mut();
        let request = state.engine.receive(rank, selector);
        let place = request as usize;
        if state.sinks.len() <= place {
            state.sinks.resize(place + 1, Sink::NOWHERE);
        }
        state.sinks[place] = sink;
        if state.engine.has_deliveries() {
            state.deliver(self.failed.get());
        }
        request
    }

    /// What a receive has room for.
    pub(super) fn capacity(&self, request: RequestId) -> usize {
        self.state.borrow().sinks.get(request as usize).map_or(0, |sink| sink.len)
    }

    /// Lets messages with this tag go to the handler, until the answer is set; then [`Core::unlisten`] should follow.
    pub(super) fn listen(&self, rank: usize, tag: Tag, handler: Handler) -> Arc<AtomicBool> {
        let is_over = Arc::new(AtomicBool::new(false));
        let registered = Registered { rank, tag, handler, is_over: Arc::clone(&is_over) };
        self.state.borrow_mut().handlers.push(registered);
        self.tell(|engine| engine.listen(rank as u32, tag));
        is_over
    }

    /// Has the rank a handler for this tag?
    pub(super) fn listens(&self, rank: usize, tag: Tag) -> bool {
        let is_it = |known: &Registered| {
            (known.rank, known.tag) == (rank, tag) && !known.is_over.load(Ordering::Relaxed)
        };
        self.state.borrow().handlers.iter().any(is_it)
    }

    pub(super) fn forget_handler(&self, rank: usize, tag: Tag) {
        self.state.borrow_mut().handlers.retain(|known| (known.rank, known.tag) != (rank, tag));
    }

    /// The error that ended the run, if it has ended.
    #[inline]
    pub(super) fn failure(&self) -> Option<Error> {
        if self.failed.get() { self.failure.borrow().clone() } else { None }
    }

    /// Ends the run for all ranks. The first cause counts. From now on no bytes are moved: ranks go back from their
    /// calls with an error, and their buffers with them.
    pub(super) fn fail(&self, error: Error) -> Error {
        self.failed.set(true);
        self.failure.borrow_mut().get_or_insert(error).clone()
    }

    /// Handlers are the user's code: nothing is borrowed while they run. A handler is a part of its rank: when it panics, the
    /// rank has failed (C1).
    fn call_handlers(&self) {
        let (calls, mut handlers) = {
            let mut state = self.state.borrow_mut();
            if state.calls.is_empty() {
                return;
            }
            (std::mem::take(&mut state.calls), std::mem::take(&mut state.handlers))
        };
        for (rank, status, bytes, now) in calls {
            let is_it = |known: &&mut Registered| (known.rank, known.tag) == (rank, status.tag);
            let Some(known) = handlers.iter_mut().find(is_it) else { continue };
            if known.is_over.load(Ordering::Relaxed) || self.failed.get() {
                continue;
            }
            let call = AssertUnwindSafe(|| (known.handler)(status, &bytes, now));
            if let Err(panic) = catch_unwind(call) {
                let message = format!("a handler of it panicked: {}", panic_text(panic.as_ref()));
                self.fail(Error::Aborted { rank, message: message.into() });
            }
        }
        let mut state = self.state.borrow_mut();
        let over = handlers.extract_if(.., |known| known.is_over.load(Ordering::Relaxed));
        for Registered { rank, tag, .. } in over {
            state.engine.unlisten(rank as u32, tag);
        }
        handlers.append(&mut state.handlers);
        state.handlers = handlers;
    }
}

impl State {
    #[inline]
    fn send(&mut self, rank: u32, envelope: Envelope, data: &[u8], failed: bool) -> Option<RequestId> {
        let (message, request) = self.engine.send(rank, envelope);
        // Mostly the receive is posted already, and the bytes go straight to it.
        if let Some(receive) = self.engine.delivered_at_once(message).filter(|_| !failed) {
            self.sinks[receive as usize].take(data);
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
        while let Some(delivery) = self.engine.deliveries() {
            match delivery {
                Delivery::Receive(message, request) if !failed => self.copy(message, request),
                Delivery::Handler(message, rank, label, now) if !failed => {
                    let bytes = std::mem::take(&mut self.bytes[message as usize]);
                    self.calls.push((rank as usize, status(label), bytes, now));
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
        self.sinks[request as usize].take(bytes);
        // Large ones give their memory back.
        if bytes.spilled() {
            *bytes = Bytes::new();
        }
    }
}

pub(super) fn status(label: Label) -> Status {
    Status { source: label.source as usize, tag: label.tag, len: label.bytes as usize }
}
