//! Conversions between the trait's types and those of `panto-mpi`.

use crate::message::{Selector, Status};

#[inline]
pub(super) fn native_selector(selector: Selector) -> panto_mpi::Selector {
    panto_mpi::Selector { source: selector.source, tag: selector.tag }
}

#[inline]
pub(super) fn status(native: panto_mpi::Status) -> Status {
    Status { source: native.source, tag: native.tag, len: native.len }
}
