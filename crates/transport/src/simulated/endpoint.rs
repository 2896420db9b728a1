//! One rank of a simulated world: the operations of the trait.

use std::cell::Cell;
use std::rc::Rc;

use corosensei::Yielder;
use panto_schedule::{Algorithm, Collective, HopShape, Problem};
use panto_sim::{RequestId, costs};
use panto_units::Time;

use super::core::{Core, Sink, status};
use super::handle::{Aside, Handle, State};
use super::listening;
use super::meaning;
use super::meter::Meter;
use super::noise::Noise;
use super::posting::Terms;
use super::shape;
use super::waiting::request;
use crate::error::{Error, Result};
use crate::handler::{Handler, Listening};
use crate::message::{MAX_TAG, Mode, Status, Tag, Want};
use crate::repeated::{Repeated, repeated_operations};
use crate::transport::{Patience, StandardSend, Transport, Work};

/// Errors of steps on the way are in a box: then what is usual comes back in registers.
pub(super) type Quick<T> = std::result::Result<T, Box<Error>>;

/// One rank. It is a coroutine: what would block gives the thread to another rank.
pub struct Endpoint {
    pub(super) rank: u32,
    pub(super) core: Rc<Core>,
    pub(super) yielder: *const Yielder<(), ()>,
    /// The collective that is being carried out.
    pub(super) operation: Cell<Option<Collective>>,
    /// Does what it does serve the measurement?
    pub(super) is_aside: Cell<bool>,
    pub(super) terms: Cell<Terms>,
    pub(super) aside: Aside,
    pub(super) meter: Option<Meter>,
    pub(super) noise: Option<Noise>,
}

// SAFETY: bytes are copied from the caller's memory when a send starts, and into it when the engine matches a receive, which is
// before the receive is complete. A cancelled receive is not in the engine any more, and a world that failed moves no bytes.
unsafe impl Transport for Endpoint {
    type Handle = Handle;
    type Persistent = Repeated<Handle>;

    repeated_operations!();

    fn rank(&self) -> usize {
        self.rank as usize
    }

    fn size(&self) -> usize {
        self.core.ranks
    }

    #[inline]
    fn send(&self, mode: Mode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.enter()?;
        if let Some(request) = self.post_send(mode, data, to, tag, false)? {
            self.wait_for(request)?;
        }
        self.leave();
        Ok(())
    }

    #[inline]
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

    #[inline]
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
        Ok(match request {
            Some(request) => Handle::sending(request),
            None => Handle::complete(Status { source: self.rank(), tag, len }, &self.aside),
        })
    }

    #[inline]
    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Handle> {
        self.enter()?;
        self.work(costs::posting(&self.core.machine, self.operation.get()))?;
        // SAFETY: the caller vouches for the buffer.
        let request = unsafe { self.post_receive(Sink { data: buffer, len }, want) }?;
        self.leave();
        Ok(Handle::receiving(request))
    }

    #[inline]
    fn wait(&self, handle: &mut Handle) -> Result<Status> {
        if let State::Over = handle.state() {
            return handle.answer(self.rank(), &self.aside);
        }
        self.enter()?;
        self.settle(handle)
    }

    fn test(&self, handle: &mut Handle) -> Result<Option<Status>> {
        if let State::Over = handle.state() {
            return handle.answer(self.rank(), &self.aside).map(Some);
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
                which.iter().filter_map(|&index| request(&handles[index])).collect();
            self.core.tell(|engine| engine.watch(self.rank, &pending));
            self.suspend()?;
        }
    }

    fn cancel(&self, handle: &mut Handle) -> Option<Status> {
        let (State::Sending(request) | State::Receiving(request)) = handle.state() else {
            return handle.answer(self.rank(), &self.aside).ok();
        };
        // In the order of time, unless there is none any more.
        if !std::thread::panicking() && self.core.failure().is_none() && self.take_order().is_ok() {
            return self.cancel_now(handle, request);
        }
        self.core.tell(|engine| engine.cancel(request));
        *handle = Handle::complete(Status { source: self.rank(), tag: 0, len: 0 }, &self.aside);
        None
    }

    fn now(&self) -> Time {
        let computed = self.meter.as_ref().and_then(|meter| meter.so_far(&self.core.machine));
        let time = self.core.tell(|engine| engine.clock(self.rank)) + computed.unwrap_or_default();
        self.noise.as_ref().map_or(time, |noise| noise.read(time))
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
        self.set_clock_right();
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
        if self.meter.is_none() && !self.is_aside.get() {
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

    fn set_aside(&self, aside: bool) {
        self.is_aside.set(aside);
        self.set_clock_right();
    }

    fn standard_send(&self) -> StandardSend {
        meaning::promise(&self.core.machine)
    }

    fn alike(&self, mode: Mode, len: usize) -> Mode {
        let manner = |mode| meaning::manner(&self.core.machine, None, mode, len as u64);
        if manner(mode) == manner(Mode::Standard) { Mode::Standard } else { mode }
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
        if self.core.listens(self.rank(), tag) {
            return Err(Error::Unsupported("second handler for one tag"));
        }
        self.enter()?;
        self.take_order()?;
        let listening = listening::listen(self, tag, handler);
        self.leave();
        Ok(listening)
    }
}

pub(super) fn check_tag(tag: Tag) -> Quick<()> {
    if tag > MAX_TAG { Err(Box::new(Error::TagTooLarge(tag))) } else { Ok(()) }
}
