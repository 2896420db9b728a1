//! Waiting for operations of a simulated rank.

use panto_sim::{Completion, Engine, MessageInfo, RequestId, costs};
use panto_units::Time;

use super::endpoint::{BoxedResult, Endpoint};
use super::handle::{Handle, State};
use super::shared::status;
use crate::error::{Error, Result};
use crate::message::Status;
use crate::transport::Transport;

impl Endpoint {
    /// Waits for a send and releases its request.
    #[inline]
    pub(super) fn wait_for(&self, request: RequestId) -> BoxedResult<Completion> {
        let ready = |engine: &mut Engine| engine.wait(self.rank, request).then(|| take(engine, request));
        if let Some(completion) = self.shared.with_engine(ready) {
            return Ok(completion);
        }
        self.suspend()?;
        Ok(self.shared.with_engine(|engine| take(engine, request)))
    }

    /// Waits for a receive, charges the receive overhead, and releases its request.
    #[inline]
    pub(super) fn await_message(&self, request: RequestId) -> BoxedResult<Completion> {
        let (machine, operation) = (&self.shared.machine, self.operation.get());
        // Released only when nothing can fail any more: a handle may still name it.
        let take = |engine: &mut Engine| {
            let completion = look(engine, request);
            let time = if self.out_of_band.get() {
                Time::ZERO
            } else {
                costs::receive_overhead(machine, operation, completion.message.bytes, completion.unexpected)
            };
            let done = engine.work(self.rank, time);
            if done {
                engine.release(request);
            }
            (completion, done)
        };
        let ready = |engine: &mut Engine| engine.wait(self.rank, request).then(|| take(engine));
        let (completion, done) = if let Some(answer) = self.shared.with_engine(ready) {
            answer
        } else {
            self.suspend()?;
            self.shared.with_engine(take)
        };
        if !done {
            self.suspend()?;
            self.shared.with_engine(|engine| engine.release(request));
        }
        Ok(completion)
    }

    /// Cancels an operation at its place in virtual time, or waits for it if that is not possible.
    pub(super) fn cancel_now(&self, handle: &mut Handle, request: RequestId) -> Option<Status> {
        let undone = self.shared.with_engine(|engine| engine.try_cancel(request));
        if !undone {
            return self.settle(handle).ok();
        }
        *handle = Handle::complete(Status { source: self.rank(), tag: 0, len: 0 }, &self.side_table);
        None
    }

    pub(super) fn is_ready(&self, handle: &Handle) -> bool {
        let Some(request) = request(handle) else { return true };
        self.shared.with_engine(|engine| {
            engine.completion(request).is_some_and(|done| done.at <= engine.clock(self.rank))
        })
    }

    /// Waits for a handle's request and stores the result in the handle.
    pub(super) fn settle(&self, handle: &mut Handle) -> Result<Status> {
        match handle.state() {
            State::Sending(request) => {
                *handle = Handle::complete(status(self.wait_for(request)?.message), &self.side_table);
            }
            State::Receiving(request) => {
                let capacity = self.shared.capacity(request);
                let message = status(self.await_message(request)?.message);
                *handle = Handle::received(message, capacity, &self.side_table);
            }
            State::Complete => {}
        }
        self.leave();
        handle.result(self.rank(), &self.side_table)
    }

    pub(super) fn fits(&self, completion: Completion, capacity: usize) -> Result<Status> {
        let message = status(completion.message);
        if message.len > capacity {
            return Err(Error::Truncated { rank: self.rank(), message, capacity });
        }
        Ok(message)
    }
}

/// Returns the request that a handle waits for.
pub(super) fn request(handle: &Handle) -> Option<RequestId> {
    match handle.state() {
        State::Sending(request) | State::Receiving(request) => Some(request),
        State::Complete => None,
    }
}

/// Returns the completion of a request and releases the request.
#[inline]
fn take(engine: &mut Engine, request: RequestId) -> Completion {
    let completion = look(engine, request);
    engine.release(request);
    completion
}

/// Returns the completion of a request.
#[inline]
fn look(engine: &Engine, request: RequestId) -> Completion {
    let nothing = Completion {
        at: Time::ZERO,
        message: MessageInfo { source: 0, tag: 0, bytes: 0 },
        unexpected: false,
    };
    engine.completion(request).unwrap_or(nothing)
}
