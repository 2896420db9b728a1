//! A send and a receive in one call.

use std::ffi::c_int;

use crate::comm::{Comm, Selector, count};
use crate::error::Result;
use crate::status::{RawStatus, Status};

impl Comm {
    /// `MPI_Sendrecv`: sends to one rank and receives from another, or from the same, in one call
    /// that cannot deadlock.
    #[inline]
    pub fn send_receive(
        &self,
        (data, to): (&[u8], usize),
        (buffer, from): (&mut [u8], usize),
        tag: u32,
    ) -> Result<Status> {
        let (source, from_tag) = self.envelope(Selector { source: Some(from), tag: Some(tag) });
        let (len, room) = (count(data.len())?, count(buffer.len())?);
        let (byte, mut status) = (self.mpi.constants().byte, RawStatus::new());
        // SAFETY: both buffers are borrowed until the function returns, and do not overlap; the
        // status is a local variable.
        let code = unsafe {
            (self.mpi.functions().MPI_Sendrecv)(
                data.as_ptr().cast(),
                len,
                byte,
                to as c_int,
                tag as c_int,
                buffer.as_mut_ptr().cast(),
                room,
                byte,
                source,
                from_tag,
                self.raw,
                status.as_mut_ptr(),
            )
        };
        self.mpi.check("MPI_Sendrecv", code)?;
        Ok(status.read(&self.mpi))
    }
}
