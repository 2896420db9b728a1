//! Operations that are under way.

use std::ffi::{c_int, c_void};

use smallvec::SmallVec;

use crate::abi::Abi;
use crate::error::{Error, Result};
use crate::functions::Word;
use crate::mpi::Mpi;
use crate::status::{RawStatus, Status};

/// An operation that was started, or prepared to be started. It belongs to the [`Mpi`] that made it, and does not end by being
/// dropped: whoever started it must complete it.
#[derive(Debug, PartialEq, Eq)]
pub struct Request(pub(crate) Word);

impl Request {
    /// Takes it out of its place, for a call that wants several side by side.
    ///
    /// # Safety
    /// What stays behind is no request, and must not be used before another one is put in its place.
    #[must_use]
    pub unsafe fn take(&mut self) -> Self {
        Self(std::mem::take(&mut self.0))
    }

    /// Starts a persistent operation again.
    ///
    /// # Safety
    /// It must be persistent and not active, and its memory valid until it is complete.
    pub unsafe fn start(&mut self, mpi: &Mpi) -> Result<()> {
        // SAFETY: the caller.
        mpi.check("MPI_Start", unsafe { (mpi.functions().MPI_Start)(&raw mut self.0) })
    }

    /// Waits until a send or a collective is complete.
    #[inline]
    pub fn complete(&mut self, mpi: &Mpi) -> Result<()> {
        // SAFETY: the request is MPI's own, and this address says that nobody wants the status.
        let code = unsafe { (mpi.functions().MPI_Wait)(&raw mut self.0, mpi.ignore()) };
        mpi.check("MPI_Wait", code)
    }

    /// Is a send or a collective complete?
    #[inline]
    pub fn is_complete(&mut self, mpi: &Mpi) -> Result<bool> {
        let mut flag = 0;
        // SAFETY: as in `complete`.
        let code = unsafe { (mpi.functions().MPI_Test)(&raw mut self.0, &raw mut flag, mpi.ignore()) };
        mpi.check("MPI_Test", code)?;
        Ok(flag != 0)
    }

    /// Waits until a receive is complete, and answers what came.
    #[inline]
    pub fn receive(&mut self, mpi: &Mpi) -> Result<Status> {
        let mut status = RawStatus::new();
        // SAFETY: the request is MPI's own, and the status a place for one.
        let code = unsafe { (mpi.functions().MPI_Wait)(&raw mut self.0, status.as_mut_ptr()) };
        mpi.check("MPI_Wait", code)?;
        Ok(status.read(mpi))
    }

    /// What came, if a receive is complete.
    #[inline]
    pub fn try_receive(&mut self, mpi: &Mpi) -> Result<Option<Status>> {
        let (mut status, mut flag) = (RawStatus::new(), 0);
        // SAFETY: as in `receive`.
        let code = unsafe { (mpi.functions().MPI_Test)(&raw mut self.0, &raw mut flag, status.as_mut_ptr()) };
        mpi.check("MPI_Test", code)?;
        Ok((flag != 0).then(|| status.read(mpi)))
    }

    /// Waits until one of them is complete; answers its place, and what came if it is a receive. The error that stands alone says that
    /// nothing is known of any of them.
    pub fn wait_any(mpi: &Mpi, requests: &mut [Self]) -> Result<(usize, Result<Status>)> {
        let mut words = Words::gather(mpi, requests);
        let (mut status, mut index) = (RawStatus::new(), -1);
        let (function, count) = (mpi.functions().MPI_Waitany, requests.len() as c_int);
        // SAFETY: the requests are MPI's own, in the form in which it keeps them; the others are places for the answers.
        let code = unsafe { function(count, words.as_mut_ptr(), &raw mut index, status.as_mut_ptr()) };
        words.scatter(requests);
        let outcome = mpi.check("MPI_Waitany", code);
        match usize::try_from(index).ok().filter(|index| *index < requests.len()) {
            Some(index) => Ok((index, outcome.map(|()| status.read(mpi)))),
            None => Err(outcome.err().unwrap_or(Error::NothingToWaitFor)),
        }
    }

    /// Takes a receive back. `None` if it was taken back; otherwise a message had come, and this is it.
    pub fn cancel_receive(&mut self, mpi: &Mpi) -> Result<Option<Status>> {
        let (mut status, mut flag) = (RawStatus::new(), 0);
        let functions = mpi.functions();
        // SAFETY: the request is MPI's own and active; the status is a place for one.
        unsafe {
            mpi.check("MPI_Cancel", (functions.MPI_Cancel)(&raw mut self.0))?;
            mpi.check("MPI_Wait", (functions.MPI_Wait)(&raw mut self.0, status.as_mut_ptr()))?;
            mpi.check("MPI_Test_cancelled", (functions.MPI_Test_cancelled)(status.as_ptr(), &raw mut flag))?;
            Ok((flag == 0).then(|| status.read(mpi)))
        }
    }

    /// Frees a persistent operation.
    ///
    /// # Safety
    /// It must not be active: the library would go on with its memory, and nobody could know until when.
    pub unsafe fn free(&mut self, mpi: &Mpi) -> Result<()> {
        // SAFETY: the request is MPI's own.
        mpi.check("MPI_Request_free", unsafe { (mpi.functions().MPI_Request_free)(&raw mut self.0) })
    }
}

/// Requests side by side, as the library's arrays have them: MPICH's handles have half a word.
enum Words {
    Narrow(SmallVec<[u32; 16]>),
    Wide(SmallVec<[Word; 16]>),
}

impl Words {
    fn gather(mpi: &Mpi, requests: &[Request]) -> Self {
        let words = requests.iter().map(|request| request.0);
        match mpi.library().abi() {
            Abi::Mpich => Self::Narrow(words.map(|word| word as u32).collect()),
            Abi::OpenMpi | Abi::Standard => Self::Wide(words.collect()),
        }
    }

    fn as_mut_ptr(&mut self) -> *mut c_void {
        match self {
            Self::Narrow(words) => words.as_mut_ptr().cast(),
            Self::Wide(words) => words.as_mut_ptr().cast(),
        }
    }

    fn scatter(self, requests: &mut [Request]) {
        match self {
            Self::Narrow(words) => {
                requests.iter_mut().zip(words).for_each(|(request, word)| request.0 = word as Word);
            }
            Self::Wide(words) => requests.iter_mut().zip(words).for_each(|(request, word)| request.0 = word),
        }
    }
}
