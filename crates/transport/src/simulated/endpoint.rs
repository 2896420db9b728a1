//! One rank of a simulated world: the operations of the trait.

use std::cell::Cell;
use std::rc::Rc;

use corosensei::Yielder;
use panto_schedule::{Algorithm, Collective, HopShape, Problem};
use panto_sim::{Engine, Envelope, Outcome, RequestId, Selector, costs};
use panto_units::Time;

use super::core::{Core, Sink, status};
use super::costs as meaning;
use super::listening;
use super::meter::Meter;
use super::shape;
use crate::error::{Error, Result};
use crate::handler::{Handler, Listening};
use crate::message::{MAX_TAG, Mode, Status, Tag, Want};
use crate::transport::{Patience, StandardSend, Transport, Work};

/// One rank. It is a coroutine: what would block gives the thread to another rank.
pub struct Endpoint {
    pub(super) rank: u32,
    pub(super) core: Rc<Core>,
    yielder: *const Yielder<(), ()>,
    /// The collective that is being carried out.
    operation: Cell<Option<Collective>>,
    meter: Option<Meter>,
}

/// A pending operation of an [`Endpoint`].
pub struct Handle(State);

enum State {
    Complete(Status),
    // In a box, because handles are moved about.
    Failed(Box<Error>),
    Pending { request: RequestId, kind: Kind },
}

#[derive(Clone, Copy)]
enum Kind {
    Send,
    Receive,
}

// SAFETY: bytes are copied from the caller's memory when a send starts, and into it when the engine matches a receive, which is
// before the receive is complete. A cancelled receive is not in the engine any more, and a world that failed moves no bytes.
unsafe impl Transport for Endpoint {
    type Handle = Handle;

    fn rank(&self) -> usize {
        self.rank as usize
    }

    fn size(&self) -> usize {
        self.core.ranks
    }

    fn send(&self, mode: Mode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.enter()?;
        if let Some(request) = self.post_send(mode, data, to, tag, false)? {
            self.wait_for(request)?;
        }
        self.leave();
        Ok(())
    }

    fn receive(&self, buffer: &mut [u8], want: Want) -> Result<Status> {
        self.enter()?;
        let sink = Sink { data: buffer.as_mut_ptr(), len: buffer.len() };
        // SAFETY: the buffer is borrowed until this returns: the request is complete then, or the world has failed.
        let request = unsafe { self.post_receive(sink, want) }?;
        let outcome = self.await_message(request)?;
        self.leave();
        self.fits(outcome, sink.len)
    }

    fn probe(&self, want: Want) -> Result<Status> {
        self.enter()?;
        let selector = self.selector(want)?;
        self.take_order()?;
        loop {
            if let Some(label) = self.core.tell(|engine| engine.probe(self.rank, selector)) {
                self.leave();
                return Ok(status(label));
            }
            self.core.tell(|engine| engine.wait_for_message(self.rank, selector));
            self.suspend()?;
        }
    }

    fn try_probe(&self, want: Want) -> Result<Option<Status>> {
        self.enter()?;
        let selector = self.selector(want)?;
        self.take_turn()?;
        let found = self.core.tell(|engine| engine.look(self.rank, selector)).map(status);
        self.asked(found.is_some())?;
        self.leave();
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
        self.enter()?;
        // SAFETY: the caller keeps the bytes readable; they are copied before this returns.
        let data = if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, len) } };
        let request = self.post_send(mode, data, to, tag, true)?;
        self.leave();
        Ok(Handle(match request {
            Some(request) => State::Pending { request, kind: Kind::Send },
            None => State::Complete(Status { source: self.rank(), tag, len }),
        }))
    }

    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Handle> {
        self.enter()?;
        self.work(costs::posting(&self.core.machine, self.operation.get()))?;
        // SAFETY: the caller vouches for the buffer.
        let request = unsafe { self.post_receive(Sink { data: buffer, len }, want) }?;
        self.leave();
        Ok(Handle(State::Pending { request, kind: Kind::Receive }))
    }

    fn wait(&self, handle: &mut Handle) -> Result<Status> {
        if let State::Complete(status) = handle.0 {
            return Ok(status);
        }
        self.enter()?;
        self.settle(handle)
    }

    fn test(&self, handle: &mut Handle) -> Result<Option<Status>> {
        if let State::Complete(status) = handle.0 {
            return Ok(Some(status));
        }
        self.enter()?;
        self.take_turn()?;
        if self.is_ready(handle) {
            return self.settle(handle).map(Some);
        }
        self.asked(false)?;
        self.leave();
        Ok(None)
    }

    fn wait_any(&self, handles: &mut [Handle], which: &[usize]) -> Result<(usize, Status)> {
        if which.is_empty() {
            return Err(Error::NothingToWaitFor);
        }
        self.enter()?;
        loop {
            self.take_turn()?;
            if let Some(place) = which.iter().position(|&index| self.is_ready(&handles[index])) {
                return self.settle(&mut handles[which[place]]).map(|status| (place, status));
            }
            let pending: Vec<RequestId> =
                which.iter().filter_map(|&index| handles[index].request()).collect();
            self.core.tell(|engine| engine.watch(self.rank, &pending));
            self.suspend()?;
        }
    }

    fn cancel(&self, handle: &mut Handle) -> Option<Status> {
        let done = match &handle.0 {
            State::Complete(status) => return Some(*status),
            State::Failed(_) => return None,
            State::Pending { request, .. } => self.core.tell(|engine| engine.cancel(*request)).map(status),
        };
        handle.0 = State::Complete(done.unwrap_or(Status { source: self.rank(), tag: 0, len: 0 }));
        done
    }

    fn now(&self) -> Time {
        if let Some(meter) = &self.meter
            && let Some(time) = meter.stop(&self.core.machine)
        {
            // On a shared processor that would be another rank's turn, which a clock cannot wait for.
            let _ =
                self.core.tell(|engine| !engine.shares_processor(self.rank) && engine.work(self.rank, time));
            meter.start();
        }
        self.core.tell(|engine| engine.clock(self.rank))
    }

    fn shares_clock(&self) -> bool {
        true
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn wait_until(&self, moment: Time, _: Patience) -> Result<()> {
        self.enter()?;
        self.core.tell(|engine| engine.wait_until(self.rank, moment));
        self.suspend()?;
        self.leave();
        Ok(())
    }

    fn compute(&self, time: Time) {
        // An error is heard at the next operation.
        let _ = self.enter().and_then(|()| self.work(time)).and_then(|()| {
            // Handlers run meanwhile.
            if self.core.tell(|engine| engine.listens(self.rank)) { self.take_turn() } else { Ok(()) }
        });
        self.leave();
    }

    #[inline]
    fn charge(&self, work: Work) {
        if self.meter.is_none() {
            let _ = self.work(meaning::work(&self.core.machine, work));
        }
    }

    fn algorithm(&self, problem: &Problem, element: usize) -> Option<Algorithm> {
        Some(self.core.machine.algorithm(problem, element))
    }

    #[inline]
    fn on_behalf_of(&self, collective: Option<Collective>) {
        self.operation.set(collective);
    }

    fn standard_send(&self) -> StandardSend {
        meaning::promise(&self.core.machine)
    }

    fn shape(&self) -> HopShape {
        shape::of(&self.core.machine.network, self.core.ranks)
    }

    fn oversubscribed(&self) -> bool {
        self.core.ranks > self.core.machine.processors()
    }

    fn abort(&self, message: &str) -> Error {
        self.core.fail(Error::Aborted { rank: self.rank(), message: message.into() })
    }

    /// Costs as much as a look for a message, or a rank could ask for ever.
    fn check(&self) -> Result<()> {
        self.enter()?;
        self.asked(false)?;
        self.take_turn()?;
        self.leave();
        Ok(())
    }

    fn on_message(&self, tag: Tag, handler: Handler) -> Result<Listening> {
        check_tag(tag)?;
        self.enter()?;
        self.take_order()?;
        let listening = listening::listen(self, tag, handler);
        self.leave();
        Ok(listening)
    }
}

impl Endpoint {
    /// # Safety
    /// The yielder must live as long as the endpoint is used, and only its own coroutine may use it.
    pub(super) unsafe fn new(rank: u32, core: Rc<Core>, yielder: *const Yielder<(), ()>) -> Self {
        let meter = core.measured.then(Meter::new);
        Self { rank, core, yielder, operation: Cell::new(None), meter }
    }

    /// Tells this rank from all others, of other worlds too.
    pub(super) fn identity(&self) -> (u64, u32) {
        (self.core.number, self.rank)
    }

    /// Gives the thread to another rank, until this one's turn.
    pub(super) fn suspend(&self) -> Result<()> {
        // SAFETY: see `new`.
        unsafe { &*self.yielder }.suspend(());
        listening::runs(self);
        self.core.failure().map_or(Ok(()), Err)
    }

    /// The rank calls the message layer.
    #[inline]
    fn enter(&self) -> Result<()> {
        if let Some(error) = self.core.failure() {
            return Err(error);
        }
        match self.meter.as_ref().and_then(|meter| meter.stop(&self.core.machine)) {
            Some(time) => self.work(time),
            None => Ok(()),
        }
    }

    /// It goes back to its own work.
    #[inline]
    fn leave(&self) {
        if let Some(meter) = &self.meter {
            meter.start();
        }
    }

    /// The processor works for the rank.
    #[inline]
    fn work(&self, time: Time) -> Result<()> {
        if self.core.tell(|engine| engine.work(self.rank, time)) { Ok(()) } else { self.suspend() }
    }

    /// Waits until this rank's clock is the earliest of all: what it finds then is final.
    pub(super) fn take_turn(&self) -> Result<()> {
        self.core.tell(|engine| engine.park(self.rank));
        self.suspend()
    }

    /// From now on messages arrive in the order of time.
    fn take_order(&self) -> Result<()> {
        self.take_turn()?;
        self.core.tell(|engine| engine.order(self.rank));
        Ok(())
    }

    /// A rank that asks and hears no has lost some time.
    fn asked(&self, found: bool) -> Result<()> {
        if found { Ok(()) } else { self.work(self.core.machine.processor.poll) }
    }

    #[inline]
    fn post_send(
        &self,
        mode: Mode,
        data: &[u8],
        to: usize,
        tag: Tag,
        started: bool,
    ) -> Result<Option<RequestId>> {
        self.check_rank(to)?;
        check_tag(tag)?;
        let (machine, operation, bytes) = (&self.core.machine, self.operation.get(), data.len() as u64);
        self.work(costs::sending(machine, operation, bytes, started))?;
        let envelope = Envelope {
            to: to as u32,
            tag,
            bytes,
            carried: costs::carried(machine, operation, bytes),
            operation,
            manner: meaning::manner(machine, operation, mode, bytes),
        };
        Ok(self.core.send(self.rank, envelope, data))
    }

    /// # Safety
    /// As for [`Core::receive`].
    #[inline]
    unsafe fn post_receive(&self, sink: Sink, want: Want) -> Result<RequestId> {
        let selector = self.selector(want)?;
        if selector.source.is_none() {
            self.take_order()?;
        }
        // SAFETY: the caller.
        Ok(unsafe { self.core.receive(self.rank, selector, sink) })
    }

    fn selector(&self, want: Want) -> Result<Selector> {
        want.source.map_or(Ok(()), |source| self.check_rank(source))?;
        want.tag.map_or(Ok(()), check_tag)?;
        Ok(Selector { source: want.source.map(|source| source as u32), tag: want.tag })
    }

    #[inline]
    fn check_rank(&self, rank: usize) -> Result<()> {
        let ranks = self.core.ranks;
        if rank < ranks { Ok(()) } else { Err(Error::NoSuchRank { rank, ranks }) }
    }

    /// Waits for a send, and lets go of it.
    #[inline]
    fn wait_for(&self, request: RequestId) -> Result<Outcome> {
        let ready = |engine: &mut Engine| engine.wait(self.rank, request).then(|| take(engine, request));
        if let Some(outcome) = self.core.tell(ready) {
            return Ok(outcome);
        }
        self.suspend()?;
        Ok(self.core.tell(|engine| take(engine, request)))
    }

    /// Waits for a receive and lets go of it; the receiver's processor has its part of the work.
    #[inline]
    fn await_message(&self, request: RequestId) -> Result<Outcome> {
        let (machine, operation) = (&self.core.machine, self.operation.get());
        let take = |engine: &mut Engine| {
            let outcome = take(engine, request);
            let time = costs::receiving(machine, operation, outcome.label.bytes, outcome.unexpected);
            (outcome, engine.work(self.rank, time))
        };
        let ready = |engine: &mut Engine| engine.wait(self.rank, request).then(|| take(engine));
        let (outcome, done) = if let Some(answer) = self.core.tell(ready) {
            answer
        } else {
            self.suspend()?;
            self.core.tell(take)
        };
        if !done {
            self.suspend()?;
        }
        Ok(outcome)
    }

    fn is_ready(&self, handle: &Handle) -> bool {
        let Some(request) = handle.request() else { return true };
        self.core
            .tell(|engine| engine.outcome(request).is_some_and(|done| done.at <= engine.clock(self.rank)))
    }

    /// Waits for a request, and turns it into its answer.
    fn settle(&self, handle: &mut Handle) -> Result<Status> {
        let State::Pending { request, kind } = handle.0 else { return handle.answer() };
        let answer = match kind {
            Kind::Send => self.wait_for(request).map(|outcome| status(outcome.label)),
            Kind::Receive => {
                let capacity = self.core.capacity(request);
                self.await_message(request).and_then(|outcome| self.fits(outcome, capacity))
            }
        };
        self.leave();
        handle.0 = match &answer {
            Ok(status) => State::Complete(*status),
            Err(error) => State::Failed(Box::new(error.clone())),
        };
        answer
    }

    fn fits(&self, outcome: Outcome, capacity: usize) -> Result<Status> {
        let message = status(outcome.label);
        if message.len > capacity {
            return Err(Error::Truncated { rank: self.rank(), message, capacity });
        }
        Ok(message)
    }
}

impl Handle {
    fn request(&self) -> Option<RequestId> {
        match self.0 {
            State::Pending { request, .. } => Some(request),
            _ => None,
        }
    }

    fn answer(&self) -> Result<Status> {
        match &self.0 {
            State::Failed(error) => Err((**error).clone()),
            State::Complete(status) => Ok(*status),
            State::Pending { .. } => Err(Error::NothingToWaitFor),
        }
    }
}

/// What became of a complete request, which is forgotten.
#[inline]
fn take(engine: &mut Engine, request: RequestId) -> Outcome {
    let nothing = Outcome {
        at: Time::ZERO,
        label: panto_sim::Label { source: 0, tag: 0, bytes: 0 },
        unexpected: false,
    };
    let outcome = engine.outcome(request).unwrap_or(nothing);
    engine.release(request);
    outcome
}

fn check_tag(tag: Tag) -> Result<()> {
    if tag > MAX_TAG { Err(Error::TagTooLarge(tag)) } else { Ok(()) }
}
