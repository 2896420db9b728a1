//! Operations that are made once and started again and again.

use super::endpoint::Endpoint;
use super::handle::{Active, Kind, Persistent, Recipe};
use super::words::{native_mode, native_want};
use crate::error::{Error, Result};
use crate::message::{Mode, Status};

impl Endpoint {
    /// Makes the operation.
    ///
    /// # Safety
    /// As for [`Transport::persistent_send`](crate::Transport::persistent_send) and its counterpart.
    pub(super) unsafe fn make(&self, recipe: Recipe) -> Result<Persistent> {
        // SAFETY: the caller.
        Ok(Persistent { active: unsafe { self.request(recipe) }?, recipe, started: false })
    }

    /// MPI's own request, where there is one. Open MPI 4.1 sends stale bytes when a buffered one is started again, and so each of its
    /// starts is a send of its own.
    ///
    /// # Safety
    /// As for [`make`](Self::make).
    unsafe fn request(&self, recipe: Recipe) -> Result<Option<Active>> {
        Ok(match recipe {
            Recipe::Send { mode: Mode::Buffered, .. } => None,
            Recipe::Send { mode, data, to, at } => {
                let comm = self.comm(at.tag);
                // SAFETY: the caller.
                let request = unsafe { comm.persistent_send(native_mode(mode), data, at.len, to, at.tag) }?;
                Some(Active { request, kind: Kind::Send(at) })
            }
            Recipe::Receive { buffer, len, want } => {
                // SAFETY: the caller.
                let request =
                    unsafe { self.comm_of(want).persistent_receive(buffer, len, native_want(want)) }?;
                Some(Active { request, kind: Kind::Receive(len) })
            }
        })
    }

    /// Starts it.
    ///
    /// # Safety
    /// As for [`Transport::start`](crate::Transport::start).
    pub(super) unsafe fn start_again(&self, operation: &mut Persistent) -> Result<()> {
        if operation.started {
            return Err(Error::Started);
        }
        if operation.active.is_none() {
            // SAFETY: the memory is what the caller promised when the operation was made.
            operation.active = unsafe { self.request(operation.recipe) }?;
        }
        match (&mut operation.active, operation.recipe) {
            // SAFETY: it is persistent and not active; the caller vouches for its memory.
            (Some(active), _) => unsafe { active.request.start(&self.job.mpi) }?,
            (None, Recipe::Send { data, to, at, .. }) => {
                // SAFETY: the caller keeps the bytes readable.
                self.send_buffered(unsafe { std::slice::from_raw_parts(data, at.len) }, to, at.tag)?;
            }
            (None, Recipe::Receive { .. }) => return Err(Error::NothingToWaitFor),
        }
        operation.started = true;
        Ok(())
    }

    /// Waits for it.
    pub(super) fn finish_started(&self, operation: &mut Persistent) -> Result<Status> {
        if !std::mem::take(&mut operation.started) {
            return Err(Error::NothingToWaitFor);
        }
        let outcome = match (&mut operation.active, operation.recipe) {
            (Some(active), _) => self.complete(active),
            (None, recipe) => Ok(recipe.sent()),
        };
        self.forget_failed(operation, outcome.is_err());
        outcome
    }

    /// Asks for it.
    pub(super) fn poll_started(&self, operation: &mut Persistent) -> Result<Option<Status>> {
        if !operation.started {
            return Err(Error::NothingToWaitFor);
        }
        let outcome = match (&mut operation.active, operation.recipe) {
            (Some(active), _) => self.try_complete(active),
            (None, recipe) => Ok(Some(recipe.sent())),
        };
        operation.started = outcome == Ok(None);
        if operation.started {
            self.give_way();
        }
        self.forget_failed(operation, outcome.is_err());
        outcome
    }

    fn forget_failed(&self, operation: &mut Persistent, failed: bool) {
        if failed && let Some(mut active) = operation.active.take() {
            // MPICH keeps the request; where MPI has forgotten it, there is nothing to free.
            // SAFETY: its last start is complete: that is how it failed.
            let _ = unsafe { active.request.free(&self.job.mpi) };
        }
    }

    /// Takes it back if it is started, and frees it.
    pub(super) fn retire_operation(&self, operation: &mut Persistent) {
        let started = std::mem::take(&mut operation.started);
        let Some(mut active) = operation.active.take() else { return };
        if started {
            self.take_back(&mut active);
        }
        // Nothing is lost but a few bytes if MPI does not want it back.
        // SAFETY: it is not started, or was just taken back.
        let _ = unsafe { active.request.free(&self.job.mpi) };
    }
}

impl Recipe {
    /// What there is to say of a send that is complete as soon as it was started.
    fn sent(self) -> Status {
        match self {
            Self::Send { at, .. } => at,
            Self::Receive { len, .. } => Status { source: 0, tag: 0, len },
        }
    }
}
