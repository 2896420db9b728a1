//! Non-blocking collectives in flight.

use std::marker::PhantomData;
use std::ops::Deref;

use panto_schedule::{Collective, Plan};

use super::execute::{Dependency, PlanRun, WaitMode};
use crate::error::Result;
use crate::message::{COLLECTIVE_TAG, FIRST_COLLECTIVE_TAG, Tag};
use crate::transport::Transport;

/// The tag of a non-blocking collective, which keeps its messages apart from those of others.
/// Collectives that are in flight at the same time need different tags, on which all ranks must
/// agree. Blocking collectives use none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CollectiveTag(Tag);

/// The number of collectives that can be in flight at once.
const TAG_COUNT: usize = (COLLECTIVE_TAG - FIRST_COLLECTIVE_TAG) as usize;

impl CollectiveTag {
    /// All tags.
    pub const ALL: [Self; TAG_COUNT] = {
        let mut tags = [Self(0); TAG_COUNT];
        let mut tag = 0;
        while tag < TAG_COUNT {
            tags[tag] = Self(FIRST_COLLECTIVE_TAG + (TAG_COUNT - 1 - tag) as Tag);
            tag += 1;
        }
        tags
    };

    /// Returns the tag of its messages.
    pub(super) fn get(self) -> Tag {
        self.0
    }
}

/// A collective in flight. A schedule makes progress while it is polled or waited for; a native
/// collective may also progress by itself.
pub struct Progress<'a, T: Transport> {
    in_flight: InFlight<'a, T, &'a Plan>,
    memory: PhantomData<&'a mut [u8]>,
}

impl<'a, T: Transport> Progress<'a, T> {
    /// Wraps a collective whose memory is borrowed for `'a`.
    pub(super) fn new(in_flight: InFlight<'a, T, &'a Plan>) -> Self {
        Self { in_flight, memory: PhantomData }
    }

    /// Advances the collective as far as possible without blocking. Returns whether it is complete.
    pub fn poll(&mut self) -> Result<bool> {
        self.in_flight.poll()
    }

    /// Waits for the collective.
    pub(super) fn finish(mut self) -> Result<()> {
        self.in_flight.wait()
    }
}

/// A collective in flight. Its memory must stay valid until this is dropped.
pub(super) enum InFlight<'t, T: Transport, P> {
    Native(Native<'t, T>),
    Planned(Planned<'t, T, P>),
}

impl<'t, T: Transport, P: Deref<Target = Plan>> InFlight<'t, T, P> {
    /// Wraps a native collective.
    ///
    /// # Safety
    /// `handle` must be that of a native collective that this transport has started on memory that
    /// stays valid until this is dropped.
    pub(super) unsafe fn from_native(transport: &'t T, handle: T::Handle) -> Self {
        Self::Native(Native { transport, handle, over: false })
    }

    /// Starts a plan, which must be the one that `run` was made for.
    pub(super) fn from_plan(run: PlanRun<'t, T>, plan: P, collective: Collective) -> Result<Self> {
        let mut planned = Planned { run, plan, collective, next: 0, dependency: Dependency::None };
        planned.with_attribution(Planned::begin)?;
        Ok(Self::Planned(planned))
    }

    /// Advances the collective as far as possible without blocking. Returns whether it is complete.
    pub(super) fn poll(&mut self) -> Result<bool> {
        self.advance(WaitMode::Test)
    }

    /// Waits for the collective.
    pub(super) fn wait(&mut self) -> Result<()> {
        self.advance(WaitMode::Wait).map(drop)
    }

    fn advance(&mut self, mode: WaitMode) -> Result<bool> {
        match self {
            Self::Native(native) => native.advance(mode),
            Self::Planned(planned) => planned.with_attribution(|planned| planned.advance(mode)),
        }
    }
}

/// A native collective of the message layer.
pub(super) struct Native<'t, T: Transport> {
    transport: &'t T,
    handle: T::Handle,
    over: bool,
}

impl<T: Transport> Native<'_, T> {
    fn advance(&mut self, mode: WaitMode) -> Result<bool> {
        if self.over {
            return Ok(true);
        }
        let outcome = match mode {
            WaitMode::Test => self.transport.test(&mut self.handle).map(|status| status.is_some()),
            WaitMode::Wait => self.transport.wait(&mut self.handle).map(|_| true),
        };
        // A collective that failed is over too: see `Transport::start_native`.
        self.over = outcome != Ok(false);
        outcome
    }
}

impl<T: Transport> Drop for Native<'_, T> {
    /// Waits for the collective: it cannot be cancelled, and its memory is free only when it is
    /// complete.
    fn drop(&mut self) {
        // The caller is handling an error already; a second one would add nothing.
        let _ = self.advance(WaitMode::Wait);
    }
}

/// A plan in execution, from one dependency to the next.
pub(super) struct Planned<'t, T: Transport, P> {
    run: PlanRun<'t, T>,
    plan: P,
    collective: Collective,
    next: usize,
    dependency: Dependency,
}

impl<T: Transport, P: Deref<Target = Plan>> Planned<'_, T, P> {
    /// Attributes messages that are sent in `act` to the collective.
    fn with_attribution<R>(&mut self, act: impl FnOnce(&mut Self) -> R) -> R {
        let transport = self.run.transport();
        transport.set_collective(Some(self.collective));
        let answer = act(self);
        transport.set_collective(None);
        answer
    }

    /// Executes steps up to the next unsatisfied dependency, or to the end.
    fn begin(&mut self) -> Result<()> {
        while self.dependency == Dependency::None
            && let Some(step) = self.plan.steps().get(self.next)
        {
            self.dependency = self.run.begin(step)?;
            self.next += 1;
        }
        Ok(())
    }

    fn advance(&mut self, mode: WaitMode) -> Result<bool> {
        while self.dependency != Dependency::None {
            if !self.run.is_satisfied(self.dependency, mode)? {
                return Ok(false);
            }
            self.dependency = Dependency::None;
            self.begin()?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Selector, Status};

    /// Tags differ from each other and from that of blocking collectives, and wildcards do not
    /// match them.
    #[test]
    fn tags_are_distinct() {
        let mut tags: Vec<_> = CollectiveTag::ALL.map(CollectiveTag::get).into();
        assert_eq!((tags[0], tags[14]), (COLLECTIVE_TAG - 1, FIRST_COLLECTIVE_TAG));
        tags.push(COLLECTIVE_TAG);
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), 16);
        for tag in tags {
            let message = Status { source: 3, tag, len: 0 };
            assert!(!Selector::any().accepts(message) && !Selector::source(3).accepts(message));
            assert!(Selector::tag(tag).accepts(message) && Selector::new(3, tag).accepts(message));
        }
        let last_user_tag = Status { source: 3, tag: FIRST_COLLECTIVE_TAG - 1, len: 0 };
        assert!(Selector::any().accepts(last_user_tag));
    }
}
