//! Handles of pending and persistent operations.

use panto_mpi::Request;

use crate::error::Error;
use crate::message::{Selector, SendMode, Status};

/// A pending operation of an [`Endpoint`](super::Endpoint).
pub struct Handle(pub(super) State);

pub(super) enum State {
    Complete(Status),
    Failed(Error),
    Active(Active),
}

/// An operation that MPI has not completed yet.
pub(super) struct Active {
    pub(super) request: Request,
    pub(super) kind: Kind,
}

/// The kind of operation, and what its completion returns.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A send or a collective, with the status to return.
    Send(Status),
    /// A receive into this number of bytes.
    Receive(usize),
}

/// A persistent operation of an [`Endpoint`](super::Endpoint).
pub struct Persistent {
    pub(super) spec: PersistentSpec,
    /// The request that MPI starts repeatedly. Buffered sends have none; one that failed is made
    /// again, because Open MPI drops it.
    pub(super) active: Option<Active>,
    pub(super) started: bool,
}

/// What a persistent operation does at each start.
#[derive(Debug, Clone, Copy)]
pub(super) enum PersistentSpec {
    Send { mode: SendMode, data: *const u8, to: usize, at: Status },
    Receive { buffer: *mut u8, len: usize, selector: Selector },
}

impl Handle {
    /// Wraps an operation that MPI has just started.
    pub(super) fn active(request: Request, kind: Kind) -> Self {
        Self(State::Active(Active { request, kind }))
    }

    pub(super) fn active_mut(&mut self) -> Option<&mut Active> {
        match &mut self.0 {
            State::Active(active) => Some(active),
            State::Complete(_) | State::Failed(_) => None,
        }
    }
}
