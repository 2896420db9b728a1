//! The words of the trait in those of MPI, and back.

use crate::message::{Mode, Status, Want};

#[inline]
pub(super) fn native_mode(mode: Mode) -> panto_mpi::Mode {
    match mode {
        Mode::Standard => panto_mpi::Mode::Standard,
        Mode::Buffered => panto_mpi::Mode::Buffered,
        Mode::Synchronous => panto_mpi::Mode::Synchronous,
        Mode::Ready => panto_mpi::Mode::Ready,
    }
}

#[inline]
pub(super) fn native_want(want: Want) -> panto_mpi::Want {
    panto_mpi::Want { source: want.source, tag: want.tag }
}

#[inline]
pub(super) fn status(native: panto_mpi::Status) -> Status {
    Status { source: native.source, tag: native.tag, len: native.len }
}
