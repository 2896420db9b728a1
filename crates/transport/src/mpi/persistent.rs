//! Persistent operations.

use super::convert::native_selector;
use super::endpoint::Endpoint;
use super::handle::{Active, Kind, Persistent, PersistentSpec};
use crate::error::{Error, Result};
use crate::message::{SendMode, Status};

impl Endpoint {
    /// Makes the operation.
    ///
    /// # Safety
    /// As for [`Transport::persistent_send`](crate::Transport::persistent_send) and
    /// [`persistent_receive`](crate::Transport::persistent_receive).
    pub(super) unsafe fn make(&self, spec: PersistentSpec) -> Result<Persistent> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        Ok(Persistent { active: unsafe { self.request(spec) }?, spec, started: false })
    }

    /// Makes MPI's persistent request, where one is used. Open MPI 4.1 sends stale bytes when a
    /// buffered one is started again, so each start of a buffered send is an `MPI_Bsend`.
    ///
    /// # Safety
    /// As for [`make`](Self::make).
    unsafe fn request(&self, spec: PersistentSpec) -> Result<Option<Active>> {
        Ok(match spec {
            PersistentSpec::Send { mode: SendMode::Buffered, .. } => None,
            PersistentSpec::Send { mode, data, to, at } => {
                let comm = self.comm(at.tag);
                // SAFETY: the caller promises that the data stays valid until the operation is
                // retired.
                let request = unsafe { comm.persistent_send(mode, data, at.len, to, at.tag) }?;
                Some(Active { request, kind: Kind::Send(at) })
            }
            PersistentSpec::Receive { buffer, len, selector } => {
                // SAFETY: the caller promises that the buffer stays valid until the operation is
                // retired.
                let request = unsafe {
                    self.comm_of(selector).persistent_receive(buffer, len, native_selector(selector))
                }?;
                Some(Active { request, kind: Kind::Receive(len) })
            }
        })
    }

    /// Starts the operation.
    ///
    /// # Safety
    /// As for [`Transport::start`](crate::Transport::start).
    pub(super) unsafe fn start_again(&self, operation: &mut Persistent) -> Result<()> {
        if operation.started {
            return Err(Error::AlreadyStarted);
        }
        if operation.active.is_none() {
            // SAFETY: the memory is valid as the caller promised when the operation was made.
            operation.active = unsafe { self.request(operation.spec) }?;
        }
        match (&mut operation.active, operation.spec) {
            // SAFETY: the request is persistent and not active, and the caller promises that its
            // memory is valid.
            (Some(active), _) => unsafe { active.request.start(&self.job.mpi) }?,
            (None, PersistentSpec::Send { data, to, at, .. }) => {
                // SAFETY: the caller promises that the bytes are readable; they are copied before
                // this returns.
                self.send_buffered(unsafe { std::slice::from_raw_parts(data, at.len) }, to, at.tag)?;
            }
            (None, PersistentSpec::Receive { .. }) => return Err(Error::NoRequest),
        }
        operation.started = true;
        Ok(())
    }

    /// Waits for the operation.
    pub(super) fn finish_started(&self, operation: &mut Persistent) -> Result<Status> {
        if !std::mem::take(&mut operation.started) {
            return Err(Error::NoRequest);
        }
        let outcome = match (&mut operation.active, operation.spec) {
            (Some(active), _) => self.complete(active),
            (None, spec) => Ok(spec.sent()),
        };
        self.forget_failed(operation, outcome.is_err());
        outcome
    }

    /// Tests the operation.
    pub(super) fn poll_started(&self, operation: &mut Persistent) -> Result<Option<Status>> {
        if !operation.started {
            return Err(Error::NoRequest);
        }
        let outcome = match (&mut operation.active, operation.spec) {
            (Some(active), _) => self.try_complete(active),
            (None, spec) => Ok(Some(spec.sent())),
        };
        operation.started = outcome == Ok(None);
        if operation.started {
            self.yield_core();
        }
        self.forget_failed(operation, outcome.is_err());
        outcome
    }

    fn forget_failed(&self, operation: &mut Persistent, failed: bool) {
        if failed && let Some(mut active) = operation.active.take() {
            // MPICH keeps the request; where MPI has dropped it, there is nothing to free. SAFETY:
            // its last start is complete, with the failure.
            let _ = unsafe { active.request.free(&self.job.mpi) };
        }
    }

    /// Cancels the operation if it is started, and frees it.
    pub(super) fn retire_operation(&self, operation: &mut Persistent) {
        let started = std::mem::take(&mut operation.started);
        let Some(mut active) = operation.active.take() else { return };
        if started {
            self.withdraw(&mut active);
        }
        // A failure only leaks a few bytes. SAFETY: the request is not started, or was just
        // cancelled.
        let _ = unsafe { active.request.free(&self.job.mpi) };
    }
}

impl PersistentSpec {
    /// Returns the status of a send that is complete as soon as it was started.
    fn sent(self) -> Status {
        match self {
            Self::Send { at, .. } => at,
            Self::Receive { len, .. } => Status { source: 0, tag: 0, len },
        }
    }
}
