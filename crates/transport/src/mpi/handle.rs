//! Operations of a rank that are under way.

use panto_mpi::Request;

use crate::error::Error;
use crate::message::{Mode, Status, Want};

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

/// What kind of operation it is, and what its completion means.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A send or a collective: this is what there is to say of it.
    Send(Status),
    /// A receive into so many bytes.
    Receive(usize),
}

/// A persistent operation of an [`Endpoint`](super::Endpoint).
pub struct Persistent {
    pub(super) recipe: Recipe,
    /// The request that MPI starts again and again. Buffered sends have none; and one that failed is made anew, because Open MPI forgets
    /// it.
    pub(super) active: Option<Active>,
    pub(super) started: bool,
}

/// What a persistent operation does at each start.
#[derive(Debug, Clone, Copy)]
pub(super) enum Recipe {
    Send { mode: Mode, data: *const u8, to: usize, at: Status },
    Receive { buffer: *mut u8, len: usize, want: Want },
}

impl Handle {
    /// An operation that MPI has just started.
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
