//! What travels from rank to rank.

use std::sync::Arc;

use smallvec::SmallVec;

use super::offer::Offer;
use crate::message::Status;

/// Bytes that are kept without an allocation.
const KEPT: usize = 32;

/// The bytes of a message, as the receiver finds them.
pub(super) enum Body<'a> {
    /// In the ring; they must be copied before the slot is released.
    Bytes(&'a [u8]),
    /// A copy of their own.
    Owned(Box<[u8]>),
    /// Still with the sender, to be copied once, straight into the receiver's buffer.
    Offer(Arc<Offer>),
}

/// A message that came before its receive.
pub(super) struct Stored {
    pub(super) status: Status,
    bytes: Bytes,
}

enum Bytes {
    Copied(SmallVec<[u8; KEPT]>),
    Owned(Box<[u8]>),
    Offer(Arc<Offer>),
}

impl Stored {
    pub(super) fn new(status: Status, body: Body<'_>) -> Self {
        let bytes = match body {
            Body::Bytes(bytes) => Bytes::Copied(bytes.into()),
            Body::Owned(bytes) => Bytes::Owned(bytes),
            Body::Offer(offer) => Bytes::Offer(offer),
        };
        Self { status, bytes }
    }

    pub(super) fn is_withdrawn(&self) -> bool {
        matches!(&self.bytes, Bytes::Offer(offer) if offer.is_withdrawn())
    }

    pub(super) fn body(&self) -> Body<'_> {
        match &self.bytes {
            Bytes::Copied(bytes) => Body::Bytes(bytes),
            Bytes::Owned(bytes) => Body::Bytes(bytes),
            Bytes::Offer(offer) => Body::Offer(Arc::clone(offer)),
        }
    }
}
