//! Collectives that go on beside other work.

use std::marker::PhantomData;
use std::ops::Deref;

use panto_schedule::{Collective, Plan};

use super::run::{Gate, Patience, Run};
use crate::error::Result;
use crate::message::{COLLECTIVE_TAG, FIRST_COLLECTIVE_TAG, Tag};
use crate::transport::Transport;

/// What keeps collectives apart that are in flight at the same time: those that are must go on lanes of their own, and all
/// ranks must agree on them. Blocking collectives are on none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lane(Tag);

/// How many collectives can be in flight at once.
const LANES: usize = (COLLECTIVE_TAG - FIRST_COLLECTIVE_TAG) as usize;

impl Lane {
    /// All that there are.
    pub const ALL: [Self; LANES] = {
        let mut lanes = [Self(0); LANES];
        let mut lane = 0;
        while lane < LANES {
            lanes[lane] = Self(FIRST_COLLECTIVE_TAG + (LANES - 1 - lane) as Tag);
            lane += 1;
        }
        lanes
    };

    /// The tag of its messages.
    pub(super) fn tag(self) -> Tag {
        self.0
    }
}

/// A collective in flight. It goes on while it is asked about, and while somebody waits for it; a message layer's own may
/// also go on by itself.
pub struct Progress<'a, T: Transport> {
    flight: Flight<'a, T, &'a Plan>,
    memory: PhantomData<&'a mut [u8]>,
}

impl<'a, T: Transport> Progress<'a, T> {
    /// The memory of the flight must be borrowed for `'a`.
    pub(super) fn new(flight: Flight<'a, T, &'a Plan>) -> Self {
        Self { flight, memory: PhantomData }
    }

    /// Lets the collective go on as far as it can without waiting. Is it complete?
    pub fn poll(&mut self) -> Result<bool> {
        self.flight.poll()
    }

    /// Waits for it.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flight.wait()
    }
}

/// A collective in flight, whoever owns its memory; it must stay valid until this is dropped.
pub(super) enum Flight<'t, T: Transport, P> {
    Native(Native<'t, T>),
    Planned(Planned<'t, T, P>),
}

impl<'t, T: Transport, P: Deref<Target = Plan>> Flight<'t, T, P> {
    /// # Safety
    /// The handle must be that of a native collective which this transport has started on memory that stays valid until this is
    /// dropped.
    pub(super) unsafe fn of_native(transport: &'t T, handle: T::Handle) -> Self {
        Self::Native(Native { transport, handle, over: false })
    }

    /// Starts a plan; it must be the one that the run was made for.
    pub(super) fn of_plan(run: Run<'t, T>, plan: P, collective: Collective) -> Result<Self> {
        let mut planned = Planned { run, plan, collective, next: 0, gate: Gate::Open };
        planned.on_behalf(Planned::begin)?;
        Ok(Self::Planned(planned))
    }

    /// Lets the collective go on as far as it can without waiting. Is it complete?
    pub(super) fn poll(&mut self) -> Result<bool> {
        self.advance(Patience::Test)
    }

    /// Waits for it.
    pub(super) fn wait(&mut self) -> Result<()> {
        self.advance(Patience::Wait).map(drop)
    }

    fn advance(&mut self, patience: Patience) -> Result<bool> {
        match self {
            Self::Native(native) => native.advance(patience),
            Self::Planned(planned) => planned.on_behalf(|planned| planned.advance(patience)),
        }
    }
}

/// The message layer's own collective.
pub(super) struct Native<'t, T: Transport> {
    transport: &'t T,
    handle: T::Handle,
    over: bool,
}

impl<T: Transport> Native<'_, T> {
    fn advance(&mut self, patience: Patience) -> Result<bool> {
        if self.over {
            return Ok(true);
        }
        let outcome = match patience {
            Patience::Test => self.transport.test(&mut self.handle).map(|status| status.is_some()),
            Patience::Wait => self.transport.wait(&mut self.handle).map(|_| true),
        };
        // What failed is over too: see `Transport::start_native`.
        self.over = outcome != Ok(false);
        outcome
    }
}

impl<T: Transport> Drop for Native<'_, T> {
    /// It cannot be cancelled, and its memory is free only when it is complete.
    fn drop(&mut self) {
        // Whoever drops it has failed already, and a second error says nothing new.
        let _ = self.advance(Patience::Wait);
    }
}

/// A plan, from gate to gate.
pub(super) struct Planned<'t, T: Transport, P> {
    run: Run<'t, T>,
    plan: P,
    collective: Collective,
    next: usize,
    gate: Gate,
}

impl<T: Transport, P: Deref<Target = Plan>> Planned<'_, T, P> {
    /// What is sent meanwhile belongs to the collective.
    fn on_behalf<R>(&mut self, act: impl FnOnce(&mut Self) -> R) -> R {
        let transport = self.run.transport();
        transport.on_behalf_of(Some(self.collective));
        let answer = act(self);
        transport.on_behalf_of(None);
        answer
    }

    /// Carries steps out up to a gate that is closed, or to the last.
    fn begin(&mut self) -> Result<()> {
        while self.gate == Gate::Open
            && let Some(step) = self.plan.steps().get(self.next)
        {
            self.gate = self.run.begin(step)?;
            self.next += 1;
        }
        Ok(())
    }

    fn advance(&mut self, patience: Patience) -> Result<bool> {
        while self.gate != Gate::Open {
            if !self.run.passes(self.gate, patience)? {
                return Ok(false);
            }
            self.gate = Gate::Open;
            self.begin()?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Status, Want};

    /// Also from blocking collectives, and from what wild cards take.
    #[test]
    fn lanes_are_apart() {
        let mut tags: Vec<_> = Lane::ALL.map(Lane::tag).into();
        assert_eq!((tags[0], tags[14]), (COLLECTIVE_TAG - 1, FIRST_COLLECTIVE_TAG));
        tags.push(COLLECTIVE_TAG);
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), 16);
        for tag in tags {
            let message = Status { source: 3, tag, len: 0 };
            assert!(!Want::any().accepts(message) && !Want::from(3).accepts(message));
            assert!(Want::tag(tag).accepts(message) && Want::new(3, tag).accepts(message));
        }
        let last_of_all_others = Status { source: 3, tag: FIRST_COLLECTIVE_TAG - 1, len: 0 };
        assert!(Want::any().accepts(last_of_all_others));
    }
}
