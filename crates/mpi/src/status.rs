//! The status of a message that was received.

use std::ffi::{c_int, c_void};

use crate::abi::Constants;
use crate::functions::Functions;
use crate::mpi::Mpi;

/// Source, tag and length of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The sender's rank.
    pub source: usize,
    /// The tag.
    pub tag: u32,
    /// The length, in bytes.
    pub len: usize,
}

/// Memory for an `MPI_Status` of any ABI; the largest has 32 bytes. A library need not write all of
/// it, so it is initialized.
#[repr(C, align(8))]
pub(crate) struct RawStatus([u8; 32]);

impl RawStatus {
    #[inline]
    pub(crate) fn new() -> Self {
        Self([0; 32])
    }

    #[inline]
    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_void {
        (&raw mut self.0).cast()
    }

    #[inline]
    pub(crate) fn as_ptr(&self) -> *const c_void {
        (&raw const self.0).cast()
    }

    #[inline]
    fn field(&self, offset: usize) -> c_int {
        let bytes = self.0.get(offset..offset + size_of::<c_int>()).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, c_int::from_ne_bytes)
    }

    /// Returns the status of a message that was received.
    #[inline]
    pub(crate) fn read(&self, mpi: &Mpi) -> Status {
        self.read_by(mpi.functions(), mpi.constants())
    }

    /// Returns the status of a message that was received through these functions.
    #[inline]
    pub(crate) fn read_by(&self, functions: &Functions, constants: &Constants) -> Status {
        let layout = &constants.status;
        let (source, tag) = (self.field(layout.source), self.field(layout.tag));
        // Messages of more than 31 bits of bytes cannot be sent, so the lower half is the length.
        let is_known = layout.count < layout.size;
        let len = if is_known { self.field(layout.count) as usize } else { self.count(functions, constants) };
        Status { source: source.max(0) as usize, tag: tag.max(0) as u32, len }
    }

    fn count(&self, functions: &Functions, constants: &Constants) -> usize {
        let mut count: c_int = 0;
        // SAFETY: `MPI_BYTE` is a datatype, and the status was written by MPI.
        unsafe { (functions.MPI_Get_count)(self.as_ptr(), constants.byte, &raw mut count) };
        count.max(0) as usize
    }
}
