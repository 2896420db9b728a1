//! How a rank waits for its operations.

use panto_sim::{Engine, Label, Outcome, RequestId, costs};
use panto_units::Time;

use super::core::status;
use super::endpoint::{Endpoint, Quick};
use super::handle::{Handle, State};
use crate::error::{Error, Result};
use crate::message::Status;
use crate::transport::Transport;

impl Endpoint {
    /// Waits for a send, and lets go of it.
    #[inline]
    pub(super) fn wait_for(&self, request: RequestId) -> Quick<Outcome> {
        let ready = |engine: &mut Engine| engine.wait(self.rank, request).then(|| take(engine, request));
        if let Some(outcome) = self.core.tell(ready) {
            return Ok(outcome);
        }
        self.suspend()?;
        Ok(self.core.tell(|engine| take(engine, request)))
    }

    /// Waits for a receive and lets go of it; the receiver's processor has its part of the work.
    #[inline]
    pub(super) fn await_message(&self, request: RequestId) -> Quick<Outcome> {
        let (machine, operation) = (&self.core.machine, self.operation.get());
        // Let go of only when nothing can fail any more: a handle may still name it.
        let take = |engine: &mut Engine| {
            let outcome = look(engine, request);
            let time = if self.is_aside.get() {
                Time::ZERO
            } else {
                costs::receiving(machine, operation, outcome.label.bytes, outcome.unexpected)
            };
            let done = engine.work(self.rank, time);
            if done {
                engine.release(request);
            }
            (outcome, done)
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
            self.core.tell(|engine| engine.release(request));
        }
        Ok(outcome)
    }

    /// Gives an operation up in the order of time. One that cannot be undone is waited for.
    pub(super) fn cancel_now(&self, handle: &mut Handle, request: RequestId) -> Option<Status> {
        let undone = self.core.tell(|engine| engine.try_cancel(request));
        if !undone {
            return self.settle(handle).ok();
        }
        *handle = Handle::complete(Status { source: self.rank(), tag: 0, len: 0 }, &self.aside);
        None
    }

    pub(super) fn is_ready(&self, handle: &Handle) -> bool {
        let Some(request) = request(handle) else { return true };
        self.core
            .tell(|engine| engine.outcome(request).is_some_and(|done| done.at <= engine.clock(self.rank)))
    }

    /// Waits for a request, and turns it into its answer.
    pub(super) fn settle(&self, handle: &mut Handle) -> Result<Status> {
        match handle.state() {
            State::Sending(request) => {
                *handle = Handle::complete(status(self.wait_for(request)?.label), &self.aside);
            }
            State::Receiving(request) => {
                let capacity = self.core.capacity(request);
                let message = status(self.await_message(request)?.label);
                *handle = Handle::received(message, capacity, &self.aside);
            }
            State::Over => {}
        }
        self.leave();
        handle.answer(self.rank(), &self.aside)
    }

    pub(super) fn fits(&self, outcome: Outcome, capacity: usize) -> Result<Status> {
        let message = status(outcome.label);
        if message.len > capacity {
            return Err(Error::Truncated { rank: self.rank(), message, capacity });
        }
        Ok(message)
    }
}

/// The request that a handle waits for.
pub(super) fn request(handle: &Handle) -> Option<RequestId> {
    match handle.state() {
        State::Sending(request) | State::Receiving(request) => Some(request),
        State::Over => None,
    }
}

/// What became of a complete request, which is forgotten.
#[inline]
fn take(engine: &mut Engine, request: RequestId) -> Outcome {
    let outcome = look(engine, request);
    engine.release(request);
    outcome
}

/// What became of a complete request.
#[inline]
fn look(engine: &Engine, request: RequestId) -> Outcome {
    let nothing = Outcome { at: Time::ZERO, label: Label { source: 0, tag: 0, bytes: 0 }, unexpected: false };
    engine.outcome(request).unwrap_or(nothing)
}
