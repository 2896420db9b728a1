//! Requests: operations that were started, or can be started.

use std::ffi::c_int;

use crate::error::{Error, Result};
use crate::functions::Word;
use crate::handles::Handles;
use crate::mpi::Mpi;
use crate::status::{RawStatus, Status};

/// A request. It belongs to the [`Mpi`] that made it, and is not completed by being dropped: the
/// caller that started it must complete it.
#[derive(Debug, PartialEq, Eq)]
pub struct Request(pub(crate) Word);

impl Request {
    /// Takes the request out of its place, for a call on several in an array.
    ///
    /// # Safety
    /// What is left is no request, and must not be used before another one is put in its place.
    #[must_use]
    pub unsafe fn take(&mut self) -> Self {
        Self(std::mem::take(&mut self.0))
    }

    /// Starts a persistent request.
    ///
    /// # Safety
    /// It must be persistent and not active, and its memory valid until it is complete.
    pub unsafe fn start(&mut self, mpi: &Mpi) -> Result<()> {
        // SAFETY: the caller promises a persistent request that is not active, whose memory is
        // valid.
        mpi.check("MPI_Start", unsafe { (mpi.functions().MPI_Start)(&raw mut self.0) })
    }

    /// Waits until a send or a collective is complete.
    #[inline]
    pub fn complete(&mut self, mpi: &Mpi) -> Result<()> {
        // SAFETY: the request is MPI's own, and the status is `MPI_STATUS_IGNORE`.
        let code = unsafe { (mpi.functions().MPI_Wait)(&raw mut self.0, mpi.ignore()) };
        mpi.check("MPI_Wait", code)
    }

    /// Returns whether a send or a collective is complete.
    #[inline]
    pub fn is_complete(&mut self, mpi: &Mpi) -> Result<bool> {
        let mut flag = 0;
        // SAFETY: the request is MPI's own, and the status is `MPI_STATUS_IGNORE`.
        let code = unsafe { (mpi.functions().MPI_Test)(&raw mut self.0, &raw mut flag, mpi.ignore()) };
        mpi.check("MPI_Test", code)?;
        Ok(flag != 0)
    }

    /// Waits until a receive is complete, and returns its status.
    #[inline]
    pub fn receive(&mut self, mpi: &Mpi) -> Result<Status> {
        let mut status = RawStatus::new();
        // SAFETY: the request is MPI's own, and the status is a local variable.
        let code = unsafe { (mpi.functions().MPI_Wait)(&raw mut self.0, status.as_mut_ptr()) };
        mpi.check("MPI_Wait", code)?;
        Ok(status.read(mpi))
    }

    /// Returns the status of a receive, if it is complete.
    #[inline]
    pub fn try_receive(&mut self, mpi: &Mpi) -> Result<Option<Status>> {
        let (mut status, mut flag) = (RawStatus::new(), 0);
        // SAFETY: the request is MPI's own, and the status is a local variable.
        let code = unsafe { (mpi.functions().MPI_Test)(&raw mut self.0, &raw mut flag, status.as_mut_ptr()) };
        mpi.check("MPI_Test", code)?;
        Ok((flag != 0).then(|| status.read(mpi)))
    }

    /// Waits until one of the requests is complete. Returns its position, and the status of a
    /// receive or its error. The outer error means that nothing is known of any of them.
    pub fn wait_any(mpi: &Mpi, requests: &mut [Self]) -> Result<(usize, Result<Status>)> {
        let mut words = Handles::gather(mpi, requests.iter().map(|request| request.0));
        let (mut status, mut index) = (RawStatus::new(), -1);
        let (function, count) = (mpi.functions().MPI_Waitany, requests.len() as c_int);
        // SAFETY: the requests are MPI's own, in an array as the ABI demands; the results are local
        // variables.
        let code = unsafe { function(count, words.as_mut_ptr(), &raw mut index, status.as_mut_ptr()) };
        requests.iter_mut().zip(words.words()).for_each(|(request, word)| request.0 = word);
        let outcome = mpi.check("MPI_Waitany", code);
        match usize::try_from(index).ok().filter(|index| *index < requests.len()) {
            Some(index) => Ok((index, outcome.map(|()| status.read(mpi)))),
            None => Err(outcome.err().unwrap_or(Error::NothingToWaitFor)),
        }
    }

    /// Cancels a receive. Returns none if it was cancelled; otherwise a message had been matched,
    /// and this is its status.
    pub fn cancel_receive(&mut self, mpi: &Mpi) -> Result<Option<Status>> {
        let (mut status, mut flag) = (RawStatus::new(), 0);
        let functions = mpi.functions();
        // SAFETY: the request is MPI's own and active; the status is a local variable.
        unsafe {
            mpi.check("MPI_Cancel", (functions.MPI_Cancel)(&raw mut self.0))?;
            mpi.check("MPI_Wait", (functions.MPI_Wait)(&raw mut self.0, status.as_mut_ptr()))?;
            mpi.check("MPI_Test_cancelled", (functions.MPI_Test_cancelled)(status.as_ptr(), &raw mut flag))?;
            Ok((flag == 0).then(|| status.read(mpi)))
        }
    }

    /// Frees a persistent request.
    ///
    /// # Safety
    /// It must not be active: the library would continue to use its memory for an unknown time.
    pub unsafe fn free(&mut self, mpi: &Mpi) -> Result<()> {
        // SAFETY: the request is MPI's own.
        mpi.check("MPI_Request_free", unsafe { (mpi.functions().MPI_Request_free)(&raw mut self.0) })
    }
}
