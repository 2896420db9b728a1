//! Groups of ranks, and messages between them.

use std::ffi::{c_int, c_void};

use crate::error::{Error, Result};
use crate::functions::Word;
use crate::mpi::Mpi;
use crate::request::Request;
use crate::status::{RawStatus, Status};

/// A communicator. It lives as long as the job, unless all its ranks come together to [`free`](Comm::free) it.
#[derive(Clone)]
pub struct Comm {
    pub(crate) mpi: Mpi,
    pub(crate) raw: Word,
    rank: usize,
    size: usize,
}

/// How a send behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `MPI_Send`: as the library likes best.
    Standard,
    /// `MPI_Bsend`: completes at once, from the attached buffer.
    Buffered,
    /// `MPI_Ssend`: completes when the receive has begun.
    Synchronous,
    /// `MPI_Rsend`: the receive is posted already.
    Ready,
}

/// Which messages a receive accepts; `None` is a wild card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// The sender.
    pub source: Option<usize>,
    /// The tag.
    pub tag: Option<u32>,
}

/// Arguments of a blocking send, and of one that makes a request.
type Send = unsafe extern "C" fn(*const c_void, c_int, Word, c_int, c_int, Word) -> c_int;
type Start = unsafe extern "C" fn(*const c_void, c_int, Word, c_int, c_int, Word, *mut Word) -> c_int;

impl Comm {
    pub(crate) fn new(mpi: &Mpi, raw: Word) -> Self {
        let (mut rank, mut size): (c_int, c_int) = (0, 0);
        // SAFETY: the handle is a communicator's; the others are places for the answers. Neither can fail for one.
        unsafe {
            (mpi.functions().MPI_Comm_rank)(raw, &raw mut rank);
            (mpi.functions().MPI_Comm_size)(raw, &raw mut size);
        }
        Self { mpi: mpi.clone(), raw, rank: rank as usize, size: size as usize }
    }

    /// A new one, whose errors come back too: the standard says that it inherits this, and not every library does it.
    fn made(mpi: &Mpi, raw: Word) -> Result<Self> {
        mpi.return_errors(raw)?;
        Ok(Self::new(mpi, raw))
    }

    /// The MPI that it belongs to.
    #[inline]
    pub fn mpi(&self) -> &Mpi {
        &self.mpi
    }

    /// This rank in it.
    #[inline]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks it has.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// A communicator of the ranks that say `true`, in the same order. All ranks must call this; the others get none.
    pub fn split(&self, member: bool) -> Result<Option<Self>> {
        self.split_by(member.then_some(0))
    }

    /// A communicator of the ranks of the same team, in the same order. All ranks must call this; those of no team get none.
    pub fn split_by(&self, team: Option<usize>) -> Result<Option<Self>> {
        let color = team.map_or(self.mpi.constants().undefined, |team| team as c_int);
        let (function, mut new): (_, Word) = (self.mpi.functions().MPI_Comm_split, 0);
        // SAFETY: `new` is a place for a handle.
        let code = unsafe { function(self.raw, color, self.rank as c_int, &raw mut new) };
        self.mpi.check("MPI_Comm_split", code)?;
        team.map(|_| Self::made(&self.mpi, new)).transpose()
    }

    /// Gives it back. All its ranks must call this, and nobody may have a copy of it.
    pub fn free(mut self) -> Result<()> {
        // SAFETY: a communicator that was made here, and that is not used again.
        let code = unsafe { (self.mpi.functions().MPI_Comm_free)(&raw mut self.raw) };
        self.mpi.check("MPI_Comm_free", code)
    }

    /// The same ranks again, whose messages meet none of this one's. All ranks must call this.
    pub fn duplicate(&self) -> Result<Self> {
        let mut new: Word = 0;
        // SAFETY: `new` is a place for a handle.
        let code = unsafe { (self.mpi.functions().MPI_Comm_dup)(self.raw, &raw mut new) };
        self.mpi.check("MPI_Comm_dup", code)?;
        Self::made(&self.mpi, new)
    }

    /// Sends, and returns when `data` may be used again.
    #[inline]
    pub fn send(&self, mode: Mode, data: &[u8], to: usize, tag: u32) -> Result<()> {
        let (name, function) = self.send_function(mode)?;
        let (to, tag) = (to as c_int, tag as c_int);
        // SAFETY: the data is borrowed until the function returns.
        let code = unsafe {
            function(data.as_ptr().cast(), count(data.len())?, self.mpi.constants().byte, to, tag, self.raw)
        };
        self.mpi.check(name, code)
    }

    /// Receives the first message that matches.
    #[inline]
    pub fn receive(&self, buffer: &mut [u8], want: Want) -> Result<Status> {
        let (source, tag) = self.envelope(want);
        let mut status = RawStatus::new();
        let (data, len) = (buffer.as_mut_ptr().cast(), count(buffer.len())?);
        let byte = self.mpi.constants().byte;
        // SAFETY: the buffer is borrowed until the function returns, and the status a place for one.
        let code = unsafe {
            (self.mpi.functions().MPI_Recv)(data, len, byte, source, tag, self.raw, status.as_mut_ptr())
        };
        self.mpi.check("MPI_Recv", code)?;
        Ok(status.read(&self.mpi))
    }

    /// Waits until a message that matches is there, and leaves it there.
    pub fn probe(&self, want: Want) -> Result<Status> {
        let (source, tag) = self.envelope(want);
        let mut status = RawStatus::new();
        // SAFETY: the status is a place for one.
        let code = unsafe { (self.mpi.functions().MPI_Probe)(source, tag, self.raw, status.as_mut_ptr()) };
        self.mpi.check("MPI_Probe", code)?;
        Ok(status.read(&self.mpi))
    }

    /// Is a message that matches there?
    pub fn try_probe(&self, want: Want) -> Result<Option<Status>> {
        let (source, tag) = self.envelope(want);
        let (mut status, mut flag) = (RawStatus::new(), 0);
        let function = self.mpi.functions().MPI_Iprobe;
        // SAFETY: both are places for the answers.
        let code = unsafe { function(source, tag, self.raw, &raw mut flag, status.as_mut_ptr()) };
        self.mpi.check("MPI_Iprobe", code)?;
        Ok((flag != 0).then(|| status.read(&self.mpi)))
    }

    /// Starts a send.
    ///
    /// # Safety
    /// `data[..len]` must stay readable and unchanged until the request is complete.
    #[inline]
    pub unsafe fn start_send(
        &self,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: u32,
    ) -> Result<Request> {
        let functions = self.mpi.functions();
        let (name, function): (_, Start) = match mode {
            Mode::Standard => ("MPI_Isend", functions.MPI_Isend),
            Mode::Buffered => ("MPI_Ibsend", functions.MPI_Ibsend),
            Mode::Synchronous => ("MPI_Issend", functions.MPI_Issend),
            Mode::Ready => ("MPI_Irsend", functions.MPI_Irsend),
        };
        // SAFETY: the caller.
        unsafe { self.request(name, function, mode, data, len, to, tag) }
    }

    /// Prepares a send that can be started again and again.
    ///
    /// # Safety
    /// `data[..len]` must stay where it is until the request is freed, and readable and unchanged while it is active.
    pub unsafe fn persistent_send(
        &self,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: u32,
    ) -> Result<Request> {
        let functions = self.mpi.functions();
        let (name, function): (_, Start) = match mode {
            Mode::Standard => ("MPI_Send_init", functions.MPI_Send_init),
            Mode::Buffered => ("MPI_Bsend_init", functions.MPI_Bsend_init),
            Mode::Synchronous => ("MPI_Ssend_init", functions.MPI_Ssend_init),
            Mode::Ready => ("MPI_Rsend_init", functions.MPI_Rsend_init),
        };
        // SAFETY: the caller.
        unsafe { self.request(name, function, mode, data, len, to, tag) }
    }

    /// # Safety
    /// As for the function that is called.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "those of the MPI function, and which one it is")]
    unsafe fn request(
        &self,
        name: &'static str,
        function: Start,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: u32,
    ) -> Result<Request> {
        if mode == Mode::Buffered {
            self.mpi.attach_buffer()?;
        }
        let mut request: Word = 0;
        let (to, tag, len) = (to as c_int, tag as c_int, count(len)?);
        let byte = self.mpi.constants().byte;
        // SAFETY: the caller keeps the data; `request` is a place for a handle.
        let code = unsafe { function(data.cast(), len, byte, to, tag, self.raw, &raw mut request) };
        self.mpi.check(name, code)?;
        Ok(Request(request))
    }

    /// Starts a receive.
    ///
    /// # Safety
    /// `buffer[..len]` must stay writable, and nobody else may touch it, until the request is complete.
    #[inline]
    pub unsafe fn start_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Request> {
        // SAFETY: the caller.
        unsafe { self.receive_request("MPI_Irecv", self.mpi.functions().MPI_Irecv, buffer, len, want) }
    }

    /// Prepares a receive that can be started again and again.
    ///
    /// # Safety
    /// `buffer[..len]` must stay where it is until the request is freed, and nobody else may touch it while it is active.
    pub unsafe fn persistent_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Request> {
        let function = self.mpi.functions().MPI_Recv_init;
        // SAFETY: the caller.
        unsafe { self.receive_request("MPI_Recv_init", function, buffer, len, want) }
    }

    /// # Safety
    /// As for the function that is called.
    #[inline]
    unsafe fn receive_request(
        &self,
        name: &'static str,
        function: unsafe extern "C" fn(*mut c_void, c_int, Word, c_int, c_int, Word, *mut Word) -> c_int,
        buffer: *mut u8,
        len: usize,
        want: Want,
    ) -> Result<Request> {
        let (source, tag) = self.envelope(want);
        let (mut request, byte): (Word, Word) = (0, self.mpi.constants().byte);
        // SAFETY: the caller keeps the buffer; `request` is a place for a handle.
        let code =
            unsafe { function(buffer.cast(), count(len)?, byte, source, tag, self.raw, &raw mut request) };
        self.mpi.check(name, code)?;
        Ok(Request(request))
    }

    #[inline]
    fn send_function(&self, mode: Mode) -> Result<(&'static str, Send)> {
        let functions = self.mpi.functions();
        Ok(match mode {
            Mode::Standard => ("MPI_Send", functions.MPI_Send),
            Mode::Buffered => {
                self.mpi.attach_buffer()?;
                ("MPI_Bsend", functions.MPI_Bsend)
            }
            Mode::Synchronous => ("MPI_Ssend", functions.MPI_Ssend),
            Mode::Ready => ("MPI_Rsend", functions.MPI_Rsend),
        })
    }

    #[inline]
    pub(crate) fn envelope(&self, want: Want) -> (c_int, c_int) {
        let constants = self.mpi.constants();
        let source = want.source.map_or(constants.any_source, |rank| rank as c_int);
        (source, want.tag.map_or(constants.any_tag, |tag| tag as c_int))
    }
}

/// MPI counts in `int`.
#[inline]
pub(crate) fn count(len: usize) -> Result<c_int> {
    c_int::try_from(len).map_err(|_| Error::TooLarge(len))
}
