//! Communicators, and messages between their ranks.

use std::ffi::{c_int, c_void};

use panto_calls::SendMode;

use crate::error::{Error, Result};
use crate::functions::Word;
use crate::mpi::Mpi;
use crate::request::Request;
use crate::status::{RawStatus, Status};

/// A communicator. It lives as long as the job, unless all its ranks call [`free`](Comm::free).
#[derive(Clone)]
pub struct Comm {
    pub(crate) mpi: Mpi,
    pub(crate) raw: Word,
    rank: usize,
    size: usize,
}

/// Which messages a receive accepts; `None` is a wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selector {
    /// The sender.
    pub source: Option<usize>,
    /// The tag.
    pub tag: Option<u32>,
}

/// The prototypes of a blocking send, and of one that makes a request.
type Send = unsafe extern "C" fn(*const c_void, c_int, Word, c_int, c_int, Word) -> c_int;
type Start = unsafe extern "C" fn(*const c_void, c_int, Word, c_int, c_int, Word, *mut Word) -> c_int;

impl Comm {
    pub(crate) fn new(mpi: &Mpi, raw: Word) -> Self {
        let (mut rank, mut size): (c_int, c_int) = (0, 0);
        // SAFETY: the handle is a communicator's, and the results are local variables. Neither
        // function can fail then.
        unsafe {
            (mpi.functions().MPI_Comm_rank)(raw, &raw mut rank);
            (mpi.functions().MPI_Comm_size)(raw, &raw mut size);
        }
        Self { mpi: mpi.clone(), raw, rank: rank as usize, size: size as usize }
    }

    /// Wraps a new communicator and makes its errors return codes: the standard says that it
    /// inherits this, but not every library implements it.
    pub(crate) fn made(mpi: &Mpi, raw: Word) -> Result<Self> {
        mpi.return_errors(raw)?;
        Ok(Self::new(mpi, raw))
    }

    /// Returns the MPI to which it belongs.
    #[inline]
    pub fn mpi(&self) -> &Mpi {
        &self.mpi
    }

    /// Returns this rank's number in it.
    #[inline]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns a communicator of the ranks that pass `true`, in the same order; none for the
    /// others. All ranks must call this.
    pub fn split(&self, member: bool) -> Result<Option<Self>> {
        self.split_by(member.then_some(0))
    }

    /// Returns a communicator of the ranks of the same team, in the same order; none for ranks
    /// without a team. All ranks must call this.
    pub fn split_by(&self, team: Option<usize>) -> Result<Option<Self>> {
        let color = team.map_or(self.mpi.constants().undefined, |team| team as c_int);
        let new = self.split_raw(color, self.rank)?;
        team.map(|_| Self::made(&self.mpi, new)).transpose()
    }

    /// Returns a communicator of all ranks in the order of the numbers that they pass. All ranks
    /// must call this.
    pub fn ordered(&self, place: usize) -> Result<Self> {
        Self::made(&self.mpi, self.split_raw(0, place)?)
    }

    fn split_raw(&self, color: c_int, key: usize) -> Result<Word> {
        let (function, mut new): (_, Word) = (self.mpi.functions().MPI_Comm_split, 0);
        // SAFETY: `new` is a local variable.
        let code = unsafe { function(self.raw, color, key as c_int, &raw mut new) };
        self.mpi.check("MPI_Comm_split", code)?;
        Ok(new)
    }

    /// Frees it. All its ranks must call this, and no copy of it may be used again.
    pub fn free(mut self) -> Result<()> {
        // SAFETY: this communicator was made here and is not used again.
        let code = unsafe { (self.mpi.functions().MPI_Comm_free)(&raw mut self.raw) };
        self.mpi.check("MPI_Comm_free", code)
    }

    /// Returns a communicator of the same ranks with a separate message context. All ranks must
    /// call this.
    pub fn duplicate(&self) -> Result<Self> {
        let mut new: Word = 0;
        // SAFETY: `new` is a local variable.
        let code = unsafe { (self.mpi.functions().MPI_Comm_dup)(self.raw, &raw mut new) };
        self.mpi.check("MPI_Comm_dup", code)?;
        Self::made(&self.mpi, new)
    }

    /// Sends a message, and returns when `data` may be reused.
    #[inline]
    pub fn send(&self, mode: SendMode, data: &[u8], to: usize, tag: u32) -> Result<()> {
        let (name, function) = self.send_function(mode)?;
        let (to, tag) = (to as c_int, tag as c_int);
        // SAFETY: the data are borrowed until the function returns.
        let code = unsafe {
            function(data.as_ptr().cast(), count(data.len())?, self.mpi.constants().byte, to, tag, self.raw)
        };
        self.mpi.check(name, code)
    }

    /// Receives the first message that matches.
    #[inline]
    pub fn receive(&self, buffer: &mut [u8], selector: Selector) -> Result<Status> {
        let (source, tag) = self.envelope(selector);
        let mut status = RawStatus::new();
        let (data, len) = (buffer.as_mut_ptr().cast(), count(buffer.len())?);
        let byte = self.mpi.constants().byte;
        // SAFETY: the buffer is borrowed until the function returns, and the status is a local
        // variable.
        let code = unsafe {
            (self.mpi.functions().MPI_Recv)(data, len, byte, source, tag, self.raw, status.as_mut_ptr())
        };
        self.mpi.check("MPI_Recv", code)?;
        Ok(status.read(&self.mpi))
    }

    /// Waits for a message that matches, without receiving it.
    pub fn probe(&self, selector: Selector) -> Result<Status> {
        let (source, tag) = self.envelope(selector);
        let mut status = RawStatus::new();
        // SAFETY: the status is a local variable.
        let code = unsafe { (self.mpi.functions().MPI_Probe)(source, tag, self.raw, status.as_mut_ptr()) };
        self.mpi.check("MPI_Probe", code)?;
        Ok(status.read(&self.mpi))
    }

    /// Returns the status of a message that matches, if there is one, without receiving it.
    pub fn try_probe(&self, selector: Selector) -> Result<Option<Status>> {
        let (source, tag) = self.envelope(selector);
        let (mut status, mut flag) = (RawStatus::new(), 0);
        let function = self.mpi.functions().MPI_Iprobe;
        // SAFETY: flag and status are local variables.
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
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: u32,
    ) -> Result<Request> {
        let functions = self.mpi.functions();
        let (name, function): (_, Start) = match mode {
            SendMode::Standard => ("MPI_Isend", functions.MPI_Isend),
            SendMode::Buffered => ("MPI_Ibsend", functions.MPI_Ibsend),
            SendMode::Synchronous => ("MPI_Issend", functions.MPI_Issend),
            SendMode::Ready => ("MPI_Irsend", functions.MPI_Irsend),
        };
        // SAFETY: the caller keeps the data readable and unchanged until the request is complete.
        unsafe { self.request(name, function, mode, data, len, to, tag) }
    }

    /// Makes a persistent send.
    ///
    /// # Safety
    /// `data[..len]` must stay allocated until the request is freed, and readable and unchanged
    /// while it is active.
    pub unsafe fn persistent_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: u32,
    ) -> Result<Request> {
        let functions = self.mpi.functions();
        let (name, function): (_, Start) = match mode {
            SendMode::Standard => ("MPI_Send_init", functions.MPI_Send_init),
            SendMode::Buffered => ("MPI_Bsend_init", functions.MPI_Bsend_init),
            SendMode::Synchronous => ("MPI_Ssend_init", functions.MPI_Ssend_init),
            SendMode::Ready => ("MPI_Rsend_init", functions.MPI_Rsend_init),
        };
        // SAFETY: the caller keeps the data allocated until the request is freed, and unchanged
        // while it is active.
        unsafe { self.request(name, function, mode, data, len, to, tag) }
    }

    /// Calls a function that makes a request of a send.
    ///
    /// # Safety
    /// As for [`start_send`](Self::start_send) or [`persistent_send`](Self::persistent_send).
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "those of the MPI function, and which one it is")]
    unsafe fn request(
        &self,
        name: &'static str,
        function: Start,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: u32,
    ) -> Result<Request> {
        if mode == SendMode::Buffered {
            self.mpi.attach_buffer()?;
        }
        let mut request: Word = 0;
        let (to, tag, len) = (to as c_int, tag as c_int, count(len)?);
        let byte = self.mpi.constants().byte;
        // SAFETY: the caller keeps the data; `request` is a local variable.
        let code = unsafe { function(data.cast(), len, byte, to, tag, self.raw, &raw mut request) };
        self.mpi.check(name, code)?;
        Ok(Request(request))
    }

    /// Starts a receive.
    ///
    /// # Safety
    /// `buffer[..len]` must stay writable, and must not be accessed, until the request is complete.
    #[inline]
    pub unsafe fn start_receive(&self, buffer: *mut u8, len: usize, selector: Selector) -> Result<Request> {
        // SAFETY: the caller keeps the buffer writable and does not access it until the request is
        // complete.
        unsafe { self.receive_request("MPI_Irecv", self.mpi.functions().MPI_Irecv, buffer, len, selector) }
    }

    /// Makes a persistent receive.
    ///
    /// # Safety
    /// `buffer[..len]` must stay allocated until the request is freed, and must not be accessed
    /// while it is active.
    pub unsafe fn persistent_receive(
        &self,
        buffer: *mut u8,
        len: usize,
        selector: Selector,
    ) -> Result<Request> {
        let function = self.mpi.functions().MPI_Recv_init;
        // SAFETY: the caller keeps the buffer allocated until the request is freed, and does not
        // access it while it is active.
        unsafe { self.receive_request("MPI_Recv_init", function, buffer, len, selector) }
    }

    /// Calls a function that makes a request of a receive.
    ///
    /// # Safety
    /// As for [`start_receive`](Self::start_receive) or
    /// [`persistent_receive`](Self::persistent_receive).
    #[inline]
    unsafe fn receive_request(
        &self,
        name: &'static str,
        function: unsafe extern "C" fn(*mut c_void, c_int, Word, c_int, c_int, Word, *mut Word) -> c_int,
        buffer: *mut u8,
        len: usize,
        selector: Selector,
    ) -> Result<Request> {
        let (source, tag) = self.envelope(selector);
        let (mut request, byte): (Word, Word) = (0, self.mpi.constants().byte);
        // SAFETY: the caller keeps the buffer; `request` is a local variable.
        let code =
            unsafe { function(buffer.cast(), count(len)?, byte, source, tag, self.raw, &raw mut request) };
        self.mpi.check(name, code)?;
        Ok(Request(request))
    }

    #[inline]
    fn send_function(&self, mode: SendMode) -> Result<(&'static str, Send)> {
        let functions = self.mpi.functions();
        Ok(match mode {
            SendMode::Standard => ("MPI_Send", functions.MPI_Send),
            SendMode::Buffered => {
                self.mpi.attach_buffer()?;
                ("MPI_Bsend", functions.MPI_Bsend)
            }
            SendMode::Synchronous => ("MPI_Ssend", functions.MPI_Ssend),
            SendMode::Ready => ("MPI_Rsend", functions.MPI_Rsend),
        })
    }

    #[inline]
    pub(crate) fn envelope(&self, selector: Selector) -> (c_int, c_int) {
        let constants = self.mpi.constants();
        let source = selector.source.map_or(constants.any_source, |rank| rank as c_int);
        (source, selector.tag.map_or(constants.any_tag, |tag| tag as c_int))
    }
}

/// Converts a length to an `int`, in which MPI counts.
#[inline]
pub(crate) fn count(len: usize) -> Result<c_int> {
    c_int::try_from(len).map_err(|_| Error::TooLarge(len))
}
