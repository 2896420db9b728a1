//! How a rank waits, and what it says of it.

use super::endpoint::{Endpoint, Handle, State};
use super::patience::Patience;
use crate::deadlock;
use crate::error::Result;
use crate::message::Status;
use crate::transport::Transport;

impl Endpoint {
    /// Waits until `ready` answers: spinning, then yielding, then asleep.
    #[inline]
    pub(super) fn block_until<R>(
        &self,
        waits_for: impl Fn() -> String,
        mut ready: impl FnMut() -> Option<Result<R>>,
    ) -> Result<R> {
        let mut patience = Patience::new(self.shared.is_crowded());
        loop {
            let rings = self.mailbox().rings();
            if let Some(outcome) = ready() {
                return outcome;
            }
            self.check()?;
            if !patience.pause() {
                self.shared.sleep(self.rank, rings, || self.explain(&waits_for()));
            }
        }
    }

    /// What this rank waits for, and what came instead.
    #[cold]
    pub(super) fn explain(&self, waits_for: &str) -> String {
        deadlock::waits_for(waits_for, self.matching.borrow().unexpected())
    }

    /// Completes a handle if it can be completed now.
    #[inline]
    pub(super) fn settle(&self, handle: &mut Handle) -> Option<Result<Status>> {
        let outcome = match &handle.0 {
            State::Complete(status) => return Some(Ok(*status)),
            State::Failed(error) => return Some(Err(error.clone())),
            State::Sending(offer, at) => offer.is_done().then(|| Ok(at.status(self.rank))),
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
            State::Receiving(slot) => {
                self.matching.borrow().wanted(*slot).map_or_else(|| "nothing".into(), |want| want.to_string())
            }
        }
    }
}
