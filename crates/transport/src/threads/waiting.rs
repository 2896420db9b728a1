//! Waiting: backoff, sleeping, and the description of what a rank waits for.

use super::backoff::Backoff;
use super::endpoint::{Endpoint, Handle, State};
use crate::deadlock;
use crate::error::Result;
use crate::message::Status;
use crate::transport::Transport;

impl Endpoint {
    /// Waits until `ready` returns an outcome: spins, then yields, then sleeps (see `backoff`).
    #[inline]
    pub(super) fn block_until<R>(
        &self,
        waits_for: impl Fn() -> String,
        mut ready: impl FnMut() -> Option<Result<R>>,
    ) -> Result<R> {
        let mut backoff = Backoff::new(self.shared.is_oversubscribed_now());
        loop {
            let signals = self.inbox().signals();
            if let Some(outcome) = ready() {
                return outcome;
            }
            self.check()?;
            if !backoff.pause() {
                self.shared.sleep(self.rank, signals, || self.explain(&waits_for()));
            }
        }
    }

    /// Describes what this rank waits for, and which unexpected messages it has.
    #[cold]
    pub(super) fn explain(&self, waits_for: &str) -> String {
        deadlock::waits_for(waits_for, self.matching.borrow().unexpected())
    }

    /// Completes a handle if its operation is complete.
    #[inline]
    pub(super) fn settle(&self, handle: &mut Handle) -> Option<Result<Status>> {
        let outcome = match &handle.0 {
            State::Complete(status) => return Some(Ok(*status)),
            State::Failed(error) => return Some(Err(error.clone())),
            State::Sending(rendezvous, at) => rendezvous.is_done().then(|| Ok(at.status(self.rank))),
            State::Receiving(slot) => self.matching.borrow_mut().take_outcome(*slot),
        }?;
        handle.0 = match &outcome {
            Ok(status) => State::Complete(*status),
            Err(error) => State::Failed(error.clone()),
        };
        Some(outcome)
    }

    pub(super) fn describe(&self, handle: &Handle) -> String {
        match &handle.0 {
            State::Complete(_) | State::Failed(_) => "nothing".into(),
            State::Sending(_, at) => at.to_string(),
            State::Receiving(slot) => self
                .matching
                .borrow()
                .selector_of(*slot)
                .map_or_else(|| "nothing".into(), |selector| selector.to_string()),
        }
    }
}
