//! A rank between its operations: whose turn it is, and what its processor does.

use std::cell::Cell;
use std::rc::Rc;

use corosensei::Yielder;
use panto_units::Time;

use super::core::Core;
use super::endpoint::{Endpoint, Quick};
use super::handle::Aside;
use super::listening;
use super::meter::Meter;
use super::noise::Noise;
use super::posting::Terms;

impl Endpoint {
    /// # Safety
    /// The yielder must live as long as the endpoint is used, and only its own coroutine may use it.
    pub(super) unsafe fn new(rank: u32, core: Rc<Core>, yielder: *const Yielder<(), ()>) -> Self {
        let meter = core.measured.then(Meter::new);
        let noise = core.noise.map(|noise| Noise::new(noise, rank));
        Self {
            rank,
            core,
            yielder,
            operation: Cell::new(None),
            is_aside: Cell::new(false),
            terms: Cell::new(Terms::NONE),
            aside: Aside::default(),
            meter,
            noise,
        }
    }

    /// Tells this rank from all others, of other worlds too.
    pub(super) fn identity(&self) -> (u64, u32) {
        (self.core.number, self.rank)
    }

    /// Gives the thread to another rank, until this one's turn.
    pub(super) fn suspend(&self) -> Quick<()> {
        // SAFETY: see `new`.
        unsafe { &*self.yielder }.suspend(());
        listening::runs(self);
        self.core.failure().map_or(Ok(()), |error| Err(Box::new(error)))
    }

    /// The rank calls the message layer.
    #[inline]
    pub(super) fn enter(&self) -> Quick<()> {
        if let Some(error) = self.core.failure() {
            return Err(Box::new(error));
        }
        match self.meter.as_ref().and_then(|meter| meter.stop(&self.core.machine)) {
            Some(time) => self.work(time),
            None => Ok(()),
        }
    }

    /// It goes back to its own work.
    #[inline]
    pub(super) fn leave(&self) {
        if let Some(meter) = &self.meter {
            meter.start();
        }
    }

    /// The rank agrees with the others on the time.
    #[inline]
    pub(super) fn set_clock_right(&self) {
        if let Some(noise) = &self.noise {
            noise.set_right();
        }
    }

    /// The processor works for the rank.
    #[inline]
    pub(super) fn work(&self, time: Time) -> Quick<()> {
        if time == Time::ZERO || self.core.tell(|engine| engine.work(self.rank, time)) {
            Ok(())
        } else {
            self.suspend()
        }
    }

    /// Waits until this rank's clock is the earliest of all: what it finds then is final.
    pub(super) fn take_turn(&self) -> Quick<()> {
        self.core.tell(|engine| engine.park(self.rank));
        self.suspend()
    }

    /// From now on messages arrive in the order of time.
    pub(super) fn take_order(&self) -> Quick<()> {
        self.take_turn()?;
        self.core.tell(|engine| engine.order(self.rank));
        Ok(())
    }

    /// A rank that asks and hears no has lost some time.
    pub(super) fn asked(&self, found: bool) -> Quick<()> {
        if found { Ok(()) } else { self.work(self.core.machine.processor.poll.max(Time::from_picos(1))) }
    }
}
