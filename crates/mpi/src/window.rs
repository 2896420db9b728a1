//! Windows: memory that two ranks expose to each other for one-sided communication.
//!
//! Accesses are complete when the call that closes their epoch returns; until then their local
//! memory is in use. A rank's own part of the window is reached through [`Window::store`] and
//! [`Window::load`] only, under an exclusive lock, so that no rank reads what another one is
//! writing.

use std::ffi::{c_int, c_void};

use crate::comm::{Comm, count};
use crate::error::{Error, Result};
use crate::functions::Word;
use crate::mpi::Mpi;

/// An access to the partner's part of a window.
#[derive(Debug, Clone, Copy)]
pub enum Access {
    /// `MPI_Put`: bytes are written there.
    Put(*const u8),
    /// `MPI_Get`: bytes are read from there.
    Get(*mut u8),
    /// `MPI_Accumulate` with `MPI_SUM`: bytes are added to those that are there. Sums beyond 255
    /// depend on the library.
    Accumulate(*const u8),
}

/// A range of the partner's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The offset.
    pub at: usize,
    /// The length, in bytes.
    pub len: usize,
}

/// Windows have whole cache lines: MPICH 4.0.2 uses a wrong address for a part whose size is not a
/// multiple of 16 bytes, and not every library can make an empty window.
const CACHE_LINE: usize = 64;

/// A window of two ranks, by `MPI_Win_allocate`.
pub struct Window {
    comm: Comm,
    raw: Word,
    /// This rank's part.
    memory: *mut u8,
    bytes: usize,
    /// The group of the partner only.
    partner: Word,
}

impl Window {
    /// Allocates a window with this number of bytes on each rank. Both ranks of the communicator
    /// must call this.
    ///
    /// # Panics
    /// If the communicator does not have two ranks.
    pub fn allocate(comm: Comm, bytes: usize) -> Result<Self> {
        assert_eq!(comm.size(), 2, "a window is between two ranks");
        let (functions, constants) = (comm.mpi.functions(), comm.mpi.constants());
        let mut memory: *mut c_void = std::ptr::null_mut();
        let mut raw: Word = 0;
        let whole_lines = bytes.max(1).next_multiple_of(CACHE_LINE);
        let len = isize::try_from(whole_lines).map_err(|_| Error::TooLarge(bytes))?;
        // SAFETY: the handles are MPI's, and the results are local variables.
        unsafe {
            let code = (functions.MPI_Win_allocate)(
                len,
                1,
                constants.info_null,
                comm.raw,
                &raw mut memory,
                &raw mut raw,
            );
            comm.mpi.check("MPI_Win_allocate", code)?;
            let code = (functions.MPI_Win_set_errhandler)(raw, constants.errors_return);
            comm.mpi.check("MPI_Win_set_errhandler", code)?;
        }
        let partner = group_of(&comm, 1 - comm.rank())?;
        Ok(Self { raw, memory: memory.cast(), bytes, partner, comm })
    }

    /// Frees the window. Both ranks must call this, when no epoch is open.
    pub fn free(mut self) -> Result<()> {
        let mpi = self.comm.mpi.clone();
        // SAFETY: both handles were made here, and are not used again.
        unsafe {
            mpi.check("MPI_Group_free", (mpi.functions().MPI_Group_free)(&raw mut self.partner))?;
            mpi.check("MPI_Win_free", (mpi.functions().MPI_Win_free)(&raw mut self.raw))?;
        }
        self.comm.free()
    }

    /// Returns the MPI to which it belongs.
    pub fn mpi(&self) -> &Mpi {
        &self.comm.mpi
    }

    /// Returns the bytes of each rank's part.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Returns whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Writes to the beginning of this rank's part.
    ///
    /// # Panics
    /// If the data are longer than the part.
    pub fn store(&self, data: &[u8]) -> Result<()> {
        assert!(data.len() <= self.bytes, "more than the window has");
        // SAFETY: the memory is long enough, belongs to MPI, and is not accessed by another rank
        // while it is locked.
        self.locked(|memory| unsafe { memory.copy_from_nonoverlapping(data.as_ptr(), data.len()) })
    }

    /// Reads the beginning of this rank's part.
    ///
    /// # Panics
    /// If the buffer is longer than the part.
    pub fn load(&self, into: &mut [u8]) -> Result<()> {
        assert!(into.len() <= self.bytes, "more than the window has");
        // SAFETY: the memory is long enough, belongs to MPI, and is not accessed by another rank
        // while it is locked.
        self.locked(|memory| unsafe { memory.copy_to_nonoverlapping(into.as_mut_ptr(), into.len()) })
    }

    /// Runs a function on this rank's part while no other access is allowed.
    fn locked(&self, body: impl FnOnce(*mut u8)) -> Result<()> {
        let this = self.comm.rank() as c_int;
        self.lock_rank(this, self.mpi().constants().lock_exclusive)?;
        body(self.memory);
        self.unlock_rank(this)
    }

    /// Starts an access to the partner's part, in an open epoch.
    ///
    /// # Safety
    /// The memory at the address must be as long as the part and stay valid until the epoch is
    /// closed or flushed: unchanged if it is read, and not accessed if it is written.
    pub unsafe fn access(&self, access: Access, part: Part) -> Result<()> {
        let (mpi, functions) = (self.mpi(), self.mpi().functions());
        if part.at.checked_add(part.len).is_none_or(|end| end > self.bytes) {
            return Err(Error::TooLarge(part.at.saturating_add(part.len)));
        }
        let (len, at, to, window) = (count(part.len)?, part.at as isize, self.partner_rank(), self.raw);
        let constants = mpi.constants();
        let (byte, number) = (constants.byte, constants.unsigned_char);
        // SAFETY: the caller keeps the memory valid; the part lies within the partner's.
        let (name, code) = unsafe {
            match access {
                Access::Put(data) => {
                    ("MPI_Put", (functions.MPI_Put)(data.cast(), len, byte, to, at, len, byte, window))
                }
                Access::Get(into) => {
                    ("MPI_Get", (functions.MPI_Get)(into.cast(), len, byte, to, at, len, byte, window))
                }
                Access::Accumulate(data) => {
                    let (function, sum) = (functions.MPI_Accumulate, constants.sum);
                    let code = function(data.cast(), len, number, to, at, len, number, sum, window);
                    ("MPI_Accumulate", code)
                }
            }
        };
        mpi.check(name, code)
    }

    /// Closes an epoch and opens the next. Both ranks must call this.
    pub fn fence(&self) -> Result<()> {
        self.fence_with(0)
    }

    /// Closes the last epoch of fences. Both ranks must call this before they use another
    /// synchronization.
    pub fn last_fence(&self) -> Result<()> {
        self.fence_with(self.mpi().constants().mode_nosucceed)
    }

    fn fence_with(&self, assert: c_int) -> Result<()> {
        let function = self.mpi().functions().MPI_Win_fence;
        // SAFETY: the window is open.
        self.mpi().check("MPI_Win_fence", unsafe { function(assert, self.raw) })
    }

    /// Opens an epoch on the partner's part, shared with others.
    pub fn lock(&self) -> Result<()> {
        self.lock_rank(self.partner_rank(), self.mpi().constants().lock_shared)
    }

    /// Closes the epoch on the partner's part; all accesses are complete.
    pub fn unlock(&self) -> Result<()> {
        self.unlock_rank(self.partner_rank())
    }

    /// Opens an epoch on both parts.
    pub fn lock_all(&self) -> Result<()> {
        let function = self.mpi().functions().MPI_Win_lock_all;
        // SAFETY: the window is open.
        self.mpi().check("MPI_Win_lock_all", unsafe { function(0, self.raw) })
    }

    /// Closes the epoch on both parts.
    pub fn unlock_all(&self) -> Result<()> {
        let function = self.mpi().functions().MPI_Win_unlock_all;
        // SAFETY: the window is open.
        self.mpi().check("MPI_Win_unlock_all", unsafe { function(self.raw) })
    }

    /// Completes all accesses so far; the epoch stays open.
    pub fn flush(&self) -> Result<()> {
        let function = self.mpi().functions().MPI_Win_flush;
        // SAFETY: the window is open.
        self.mpi().check("MPI_Win_flush", unsafe { function(self.partner_rank(), self.raw) })
    }

    /// Exposes this rank's part to the partner.
    pub fn post(&self) -> Result<()> {
        let function = self.mpi().functions().MPI_Win_post;
        // SAFETY: the window is open, and the group was made for it.
        self.mpi().check("MPI_Win_post", unsafe { function(self.partner, 0, self.raw) })
    }

    /// Opens an epoch on the part that the partner exposes.
    pub fn start(&self) -> Result<()> {
        let function = self.mpi().functions().MPI_Win_start;
        // SAFETY: the window is open, and the group was made for it.
        self.mpi().check("MPI_Win_start", unsafe { function(self.partner, 0, self.raw) })
    }

    /// Closes the epoch on the part that the partner exposes.
    pub fn complete(&self) -> Result<()> {
        let function = self.mpi().functions().MPI_Win_complete;
        // SAFETY: the window is open.
        self.mpi().check("MPI_Win_complete", unsafe { function(self.raw) })
    }

    /// Waits until the partner has closed its epoch on this rank's part.
    pub fn wait(&self) -> Result<()> {
        // SAFETY: the window is open.
        self.mpi().check("MPI_Win_wait", unsafe { (self.mpi().functions().MPI_Win_wait)(self.raw) })
    }

    /// Returns whether the partner has closed its epoch on this rank's part.
    pub fn test(&self) -> Result<bool> {
        let mut flag: c_int = 0;
        let function = self.mpi().functions().MPI_Win_test;
        // SAFETY: the window is open, and `flag` is a local variable.
        self.mpi().check("MPI_Win_test", unsafe { function(self.raw, &raw mut flag) })?;
        Ok(flag != 0)
    }

    fn partner_rank(&self) -> c_int {
        1 - self.comm.rank() as c_int
    }

    fn lock_rank(&self, rank: c_int, kind: c_int) -> Result<()> {
        let function = self.mpi().functions().MPI_Win_lock;
        // SAFETY: the window is open, and has this rank.
        self.mpi().check("MPI_Win_lock", unsafe { function(kind, rank, 0, self.raw) })
    }

    fn unlock_rank(&self, rank: c_int) -> Result<()> {
        let function = self.mpi().functions().MPI_Win_unlock;
        // SAFETY: the window is open, and has this rank.
        self.mpi().check("MPI_Win_unlock", unsafe { function(rank, self.raw) })
    }
}

/// Returns the group of one rank of a communicator.
fn group_of(comm: &Comm, rank: usize) -> Result<Word> {
    let (mpi, functions) = (&comm.mpi, comm.mpi.functions());
    let (mut all, mut one): (Word, Word) = (0, 0);
    let rank = rank as c_int;
    // SAFETY: the communicator has this rank; the results are local variables.
    unsafe {
        mpi.check("MPI_Comm_group", (functions.MPI_Comm_group)(comm.raw, &raw mut all))?;
        let code = (functions.MPI_Group_incl)(all, 1, &raw const rank, &raw mut one);
        mpi.check("MPI_Group_incl", code)?;
        mpi.check("MPI_Group_free", (functions.MPI_Group_free)(&raw mut all))?;
    }
    Ok(one)
}
