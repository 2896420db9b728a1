//! A rank between its operations: scheduling, and the time of its processor.

use std::cell::Cell;
use std::rc::Rc;

use corosensei::Yielder;
use panto_units::Time;

use super::endpoint::{BoxedResult, Endpoint};
use super::handle::SideTable;
use super::handlers;
use super::meter::Meter;
use super::noise::Noise;
use super::posting::SendCosts;
use super::shared::Shared;

impl Endpoint {
    /// Makes the endpoint of a rank.
    ///
    /// # Safety
    /// `yielder` must live as long as the endpoint is used, and only its own coroutine may use the
    /// endpoint.
    pub(super) unsafe fn new(rank: u32, shared: Rc<Shared>, yielder: *const Yielder<(), ()>) -> Self {
        let meter = shared.measured.then(Meter::new);
        let noise = shared.noise.map(|noise| Noise::new(noise, rank));
        Self {
            rank,
            shared,
            yielder,
            operation: Cell::new(None),
            out_of_band: Cell::new(false),
            send_costs: Cell::new(SendCosts::NONE),
            side_table: SideTable::default(),
            meter,
            noise,
        }
    }

    /// Returns a value that identifies this rank among all ranks of all worlds.
    pub(super) fn identity(&self) -> (u64, u32) {
        (self.shared.number, self.rank)
    }

    /// Suspends this coroutine until the scheduler resumes it.
    pub(super) fn suspend(&self) -> BoxedResult<()> {
        // SAFETY: the yielder lives as long as the endpoint is used (`new`).
        unsafe { &*self.yielder }.suspend(());
        handlers::set_running(self);
        self.shared.failure().map_or(Ok(()), |error| Err(Box::new(error)))
    }

    /// Begins a call of the message layer: ends a measured computation.
    #[inline]
    pub(super) fn enter(&self) -> BoxedResult<()> {
        if let Some(error) = self.shared.failure() {
            return Err(Box::new(error));
        }
        match self.meter.as_ref().and_then(|meter| meter.stop(&self.shared.machine)) {
            Some(time) => self.work(time),
            None => Ok(()),
        }
    }

    /// Ends a call of the message layer: begins a measured computation.
    #[inline]
    pub(super) fn leave(&self) {
        if let Some(meter) = &self.meter {
            meter.start();
        }
    }

    /// Makes the next clock reading exact.
    #[inline]
    pub(super) fn resynchronise_clock(&self) {
        if let Some(noise) = &self.noise {
            noise.resynchronise();
        }
    }

    /// Occupies the rank's processor for this time.
    #[inline]
    pub(super) fn work(&self, time: Time) -> BoxedResult<()> {
        if time == Time::ZERO || self.shared.with_engine(|engine| engine.work(self.rank, time)) {
            Ok(())
        } else {
            self.suspend()
        }
    }

    /// Waits until this rank's clock is the earliest of all: what it observes then is final.
    pub(super) fn wait_for_turn(&self) -> BoxedResult<()> {
        self.shared.with_engine(|engine| engine.park(self.rank));
        self.suspend()
    }

    /// From now on delivers this rank's messages in the order of virtual time.
    pub(super) fn enter_time_order(&self) -> BoxedResult<()> {
        self.wait_for_turn()?;
        self.shared.with_engine(|engine| engine.set_ordered(self.rank));
        Ok(())
    }

    /// Charges the time of an unsuccessful poll.
    pub(super) fn charge_poll(&self, found: bool) -> BoxedResult<()> {
        if found { Ok(()) } else { self.work(self.shared.machine.processor.poll.max(Time::from_picos(1))) }
    }
}
