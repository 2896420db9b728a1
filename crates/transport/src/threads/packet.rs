//! Messages as the receiver finds them: in the ring, on the heap, or still with the sender.

use std::sync::Arc;

use smallvec::SmallVec;

use super::rendezvous::Rendezvous;
use crate::message::Status;

/// Bytes of an unexpected message that are stored without an allocation.
const INLINE_UNEXPECTED: usize = 32;

/// The bytes of an incoming message.
pub(super) enum Body<'a> {
    /// In a slot or cell of the ring: must be copied before the slot is released.
    Bytes(&'a [u8]),
    /// In an allocation of their own.
    Owned(Box<[u8]>),
    /// Still in the sender's buffer, to be copied straight into the receiver's.
    Rendezvous(Arc<Rendezvous>),
}

/// A message that arrived before its receive was posted.
pub(super) struct UnexpectedMessage {
    pub(super) status: Status,
    bytes: Bytes,
}

enum Bytes {
    Copied(SmallVec<[u8; INLINE_UNEXPECTED]>),
    Owned(Box<[u8]>),
    Rendezvous(Arc<Rendezvous>),
}

impl UnexpectedMessage {
    pub(super) fn new(status: Status, body: Body<'_>) -> Self {
        let bytes = match body {
            Body::Bytes(bytes) => Bytes::Copied(bytes.into()),
            Body::Owned(bytes) => Bytes::Owned(bytes),
            Body::Rendezvous(rendezvous) => Bytes::Rendezvous(rendezvous),
        };
        Self { status, bytes }
    }

    pub(super) fn is_withdrawn(&self) -> bool {
        matches!(&self.bytes, Bytes::Rendezvous(rendezvous) if rendezvous.is_withdrawn())
    }

    pub(super) fn body(&self) -> Body<'_> {
        match &self.bytes {
            Bytes::Copied(bytes) => Body::Bytes(bytes),
            Bytes::Owned(bytes) => Body::Bytes(bytes),
            Bytes::Rendezvous(rendezvous) => Body::Rendezvous(Arc::clone(rendezvous)),
        }
    }
}
