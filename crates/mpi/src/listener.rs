//! Messages that a thread of its own takes.

use std::ffi::c_int;

use crate::abi::Constants;
use crate::comm::{Comm, count};
use crate::error::{Error, Result};
use crate::functions::{Functions, Word};
use crate::mpi;
use crate::status::{RawStatus, Status};

/// Takes the messages with one tag, on any thread. Nothing else may receive them.
#[derive(Debug)]
pub struct Listener {
    functions: Functions,
    constants: Constants,
    comm: Word,
    tag: c_int,
}

impl Comm {
    /// Returns a listener to a tag; an error unless several threads may call MPI. It must not be
    /// used after [`Mpi::finish`](crate::Mpi::finish).
    pub fn listener(&self, tag: u32) -> Result<Listener> {
        if !self.mpi.has_threads() {
            return Err(Error::NoThreads);
        }
        let (functions, constants) = (*self.mpi.functions(), *self.mpi.constants());
        Ok(Listener { functions, constants, comm: self.raw, tag: tag as c_int })
    }
}

impl Listener {
    /// Returns the next message, if one has arrived.
    pub fn next(&self) -> Result<Option<(Status, Vec<u8>)>> {
        let Self { functions, constants, comm, tag } = self;
        let (mut status, mut flag) = (RawStatus::new(), 0);
        // SAFETY: flag and status are local variables.
        let code = unsafe {
            (functions.MPI_Iprobe)(constants.any_source, *tag, *comm, &raw mut flag, status.as_mut_ptr())
        };
        self.check("MPI_Iprobe", code)?;
        if flag == 0 {
            return Ok(None);
        }
        let found = status.read_by(functions, constants);
        let mut data = vec![0_u8; found.len];
        let (memory, len) = (data.as_mut_ptr().cast(), count(data.len())?);
        let source = found.source as c_int;
        // SAFETY: the memory has room for the message and lives until the function returns; the
        // status is a local variable.
        let code = unsafe {
            (functions.MPI_Recv)(memory, len, constants.byte, source, *tag, *comm, status.as_mut_ptr())
        };
        self.check("MPI_Recv", code)?;
        Ok(Some((found, data)))
    }

    /// Sends a message with this tag, and returns when its data may be reused.
    pub fn send(&self, data: &[u8], to: usize, tag: u32) -> Result<()> {
        let Self { functions, constants, comm, .. } = self;
        let (memory, len) = (data.as_ptr().cast(), count(data.len())?);
        // SAFETY: the memory is borrowed until the function returns.
        let code =
            unsafe { (functions.MPI_Send)(memory, len, constants.byte, to as c_int, tag as c_int, *comm) };
        self.check("MPI_Send", code)
    }

    fn check(&self, function: &'static str, code: c_int) -> Result<()> {
        if code == 0 { Ok(()) } else { Err(mpi::error(&self.functions, &self.constants, function, code)) }
    }
}
