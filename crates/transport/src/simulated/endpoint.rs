//! One rank of a simulated world: the operations of the trait.

use std::cell::Cell;
use std::rc::Rc;

use corosensei::Yielder;
use panto_schedule::{Algorithm, Collective, HopShape, Problem};
use panto_sim::{RequestId, costs};
use panto_units::Time;

use super::handle::{Handle, SideTable, State};
use super::handlers;
use super::meter::Meter;
use super::noise::Noise;
use super::posting::SendCosts;
use super::semantics;
use super::shape;
use super::shared::{ReceiveBuffer, Shared, status};
use super::waiting::request;
use crate::emulated::{EmulatedPersistent, emulated_persistent_operations};
use crate::error::{Error, Result};
use crate::handler::{Handler, HandlerGuard};
use crate::message::{MAX_TAG, Selector, SendMode, Status, Tag};
use crate::transport::{StandardSend, Transport, WaitPolicy, Work};

/// The result of an internal step. Errors are boxed so that the usual case is returned in
/// registers.
pub(super) type BoxedResult<T> = std::result::Result<T, Box<Error>>;

/// One rank's endpoint. The rank is a coroutine: an operation that would block switches to another
/// rank.
pub struct Endpoint {
    pub(super) rank: u32,
    pub(super) shared: Rc<Shared>,
    pub(super) yielder: *const Yielder<(), ()>,
    /// The collective that messages are attributed to.
    pub(super) operation: Cell<Option<Collective>>,
    /// Whether messages are out of band; see [`Transport::set_out_of_band`].
    pub(super) out_of_band: Cell<bool>,
    pub(super) send_costs: Cell<SendCosts>,
    pub(super) side_table: SideTable,
    pub(super) meter: Option<Meter>,
    pub(super) noise: Option<Noise>,
}

// SAFETY: bytes are copied from the caller's memory when a send starts, and into it when the engine
// matches a receive, which is before the receive is complete. A cancelled receive is not in the
// engine any more, and a world that failed copies no bytes.
unsafe impl Transport for Endpoint {
    type Handle = Handle;
    type Persistent = EmulatedPersistent<Handle>;

    emulated_persistent_operations!();

    fn rank(&self) -> usize {
        self.rank as usize
    }

    fn size(&self) -> usize {
        self.shared.ranks
    }

    #[inline]
    fn send(&self, mode: SendMode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.enter()?;
        if let Some(request) = self.post_send(mode, data, to, tag, false)? {
            self.wait_for(request)?;
        }
        self.leave();
        Ok(())
    }

    #[inline]
    fn receive(&self, buffer: &mut [u8], selector: Selector) -> Result<Status> {
        self.enter()?;
        let buffer = ReceiveBuffer { data: buffer.as_mut_ptr(), len: buffer.len() };
        // SAFETY: the buffer is exclusively borrowed until this returns: the request is complete
        // then, or the world has failed.
        let request = unsafe { self.post_receive(buffer, selector) }?;
        let outcome = self.await_message(request)?;
        self.leave();
        self.fits(outcome, buffer.len)
    }

    fn probe(&self, selector: Selector) -> Result<Status> {
        self.enter()?;
        let selector = self.engine_selector(selector)?;
        self.enter_time_order()?;
        loop {
            if let Some(label) = self.shared.with_engine(|engine| engine.probe(self.rank, selector)) {
                self.leave();
                return Ok(status(label));
            }
            self.shared.with_engine(|engine| engine.wait_for_message(self.rank, selector));
            self.suspend()?;
        }
    }

    fn try_probe(&self, selector: Selector) -> Result<Option<Status>> {
        self.enter()?;
        let selector = self.engine_selector(selector)?;
        self.wait_for_turn()?;
        let found = self.shared.with_engine(|engine| engine.try_probe(self.rank, selector)).map(status);
        self.charge_poll(found.is_some())?;
        self.leave();
        Ok(found)
    }

    #[inline]
    unsafe fn start_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Handle> {
        self.enter()?;
        // SAFETY: the caller promises that `data[..len]` is readable; it is copied before this
        // returns.
        let data = if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, len) } };
        let request = self.post_send(mode, data, to, tag, true)?;
        self.leave();
        Ok(match request {
            Some(request) => Handle::sending(request),
            None => Handle::complete(Status { source: self.rank(), tag, len }, &self.side_table),
        })
    }

    #[inline]
    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, selector: Selector) -> Result<Handle> {
        self.enter()?;
        self.work(costs::post_overhead(&self.shared.machine, self.operation.get()))?;
        // SAFETY: the caller promises that the buffer stays writable, and exclusively this
        // receive's, until the handle completes or is cancelled.
        let request = unsafe { self.post_receive(ReceiveBuffer { data: buffer, len }, selector) }?;
        self.leave();
        Ok(Handle::receiving(request))
    }

    #[inline]
    fn wait(&self, handle: &mut Handle) -> Result<Status> {
        if let State::Complete = handle.state() {
            return handle.result(self.rank(), &self.side_table);
        }
        self.enter()?;
        self.settle(handle)
    }

    fn test(&self, handle: &mut Handle) -> Result<Option<Status>> {
        if let State::Complete = handle.state() {
            return handle.result(self.rank(), &self.side_table).map(Some);
        }
        self.enter()?;
        self.wait_for_turn()?;
        if self.is_ready(handle) {
            return self.settle(handle).map(Some);
        }
        self.charge_poll(false)?;
        self.leave();
        Ok(None)
    }

    fn wait_any(&self, handles: &mut [Handle], which: &[usize]) -> Result<(usize, Status)> {
        if which.is_empty() {
            return Err(Error::NoRequest);
        }
        self.enter()?;
        loop {
            self.wait_for_turn()?;
            if let Some(place) = which.iter().position(|&index| self.is_ready(&handles[index])) {
                return self.settle(&mut handles[which[place]]).map(|status| (place, status));
            }
            let pending: Vec<RequestId> =
                which.iter().filter_map(|&index| request(&handles[index])).collect();
            self.shared.with_engine(|engine| engine.wait_any(self.rank, &pending));
            self.suspend()?;
        }
    }

    fn cancel(&self, handle: &mut Handle) -> Option<Status> {
        let (State::Sending(request) | State::Receiving(request)) = handle.state() else {
            return handle.result(self.rank(), &self.side_table).ok();
        };
        // Cancelled in the order of virtual time, unless the world has failed.
        if !std::thread::panicking() && self.shared.failure().is_none() && self.enter_time_order().is_ok() {
            return self.cancel_now(handle, request);
        }
        self.shared.with_engine(|engine| engine.cancel(request));
        *handle = Handle::complete(Status { source: self.rank(), tag: 0, len: 0 }, &self.side_table);
        None
    }

    fn now(&self) -> Time {
        let computed = self.meter.as_ref().and_then(|meter| meter.so_far(&self.shared.machine));
        let time = self.shared.with_engine(|engine| engine.clock(self.rank)) + computed.unwrap_or_default();
        self.noise.as_ref().map_or(time, |noise| noise.read(time))
    }

    fn shares_clock(&self) -> bool {
        true
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn wait_until(&self, moment: Time, _: WaitPolicy) -> Result<()> {
        self.enter()?;
        self.shared.with_engine(|engine| engine.wait_until(self.rank, moment));
        self.suspend()?;
        self.resynchronise_clock();
        self.leave();
        Ok(())
    }

    fn compute(&self, time: Time) {
        // Handlers that ran while the rank waited have interrupted nothing.
        let _ = self.shared.take_interruption(self.rank as usize);
        // An error is reported by the next operation.
        let _ = self.enter().and_then(|()| self.work(time)).and_then(|()| {
            // Lets handlers run that became due meanwhile. Each interrupts the computation for the
            // overhead of receiving its message, and others may become due while it continues.
            if !self.shared.with_engine(|engine| engine.has_handler(self.rank)) {
                return Ok(());
            }
            self.wait_for_turn()?;
            while let Some(interruption) = self.shared.take_interruption(self.rank as usize) {
                self.work(interruption)?;
                self.wait_for_turn()?;
            }
            Ok(())
        });
        self.leave();
    }

    #[inline]
    fn charge(&self, work: Work) {
        if self.meter.is_none() && !self.out_of_band.get() {
            let _ = self.work(semantics::work_time(&self.shared.machine, work));
        }
    }

    fn algorithm(&self, problem: &Problem, element: usize) -> Option<Algorithm> {
        Some(self.shared.machine.algorithm(problem, element))
    }

    #[inline]
    fn set_collective(&self, collective: Option<Collective>) {
        self.operation.set(collective);
    }

    fn set_out_of_band(&self, aside: bool) {
        self.out_of_band.set(aside);
        self.resynchronise_clock();
    }

    fn standard_send(&self) -> StandardSend {
        semantics::standard_send(&self.shared.machine)
    }

    fn equivalent_mode(&self, mode: SendMode, len: usize) -> SendMode {
        let protocol = |mode| semantics::protocol(&self.shared.machine, None, mode, len as u64);
        if protocol(mode) == protocol(SendMode::Standard) { SendMode::Standard } else { mode }
    }

    fn shape(&self) -> HopShape {
        shape::of(&self.shared.machine.network, self.shared.ranks)
    }

    fn oversubscribed(&self) -> bool {
        self.shared.ranks > self.shared.machine.processors()
    }

    fn abort(&self, message: &str) -> Error {
        self.shared.fail(Error::Aborted { rank: self.rank(), message: message.into() })
    }

    /// Costs as much as an unsuccessful probe; otherwise a polling loop would never advance virtual
    /// time.
    fn check(&self) -> Result<()> {
        self.enter()?;
        self.charge_poll(false)?;
        self.wait_for_turn()?;
        self.leave();
        Ok(())
    }

    fn on_message(&self, tag: Tag, handler: Handler) -> Result<HandlerGuard> {
        check_tag(tag)?;
        if self.shared.listens(self.rank(), tag) {
            return Err(Error::Unsupported("second handler for a tag"));
        }
        self.enter()?;
        self.enter_time_order()?;
        let listening = handlers::listen(self, tag, handler);
        self.leave();
        Ok(listening)
    }
}

pub(super) fn check_tag(tag: Tag) -> BoxedResult<()> {
    if tag > MAX_TAG { Err(Box::new(Error::TagTooLarge(tag))) } else { Ok(()) }
}
