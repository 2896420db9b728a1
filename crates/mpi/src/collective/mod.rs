//! The collectives of the MPI library.

use std::ffi::{c_int, c_void};

use panto_calls::Collective;

use crate::comm::{Comm, count};
use crate::error::{Error, Result};
use crate::functions::Word;
use crate::handles::Handles;
use crate::mpi::Mpi;
use crate::reduction::Operation;
use crate::request::Request;

/// The layout of the blocks of a buffer where they differ in length: arrays with an entry for each
/// rank, or for each neighbour, in bytes. They are part of the memory that the caller of a
/// collective keeps valid.
#[derive(Debug, Clone, Copy)]
pub struct BlockLayout {
    /// The length of each block.
    pub lens: *const c_int,
    /// The offset of each block.
    pub starts: *const c_int,
    /// The offset of each block, where MPI takes addresses.
    pub addresses: *const isize,
}

/// Datatypes in an array, as the ABI demands: handles of MPICH have half a word. All are bytes.
#[derive(Debug)]
pub struct ByteTypes(Handles);

impl ByteTypes {
    /// Returns this many datatypes.
    pub fn new(mpi: &Mpi, count: usize) -> Self {
        let byte = mpi.constants().byte;
        Self(Handles::gather(mpi, std::iter::repeat_n(byte, count)))
    }

    /// Returns the address of the array.
    pub fn as_ptr(&self) -> *const c_void {
        self.0.as_ptr()
    }
}

/// A collective call: the operation and its arguments other than memory.
#[derive(Clone, Copy)]
pub struct CollectiveCall {
    /// The operation.
    pub collective: Collective,
    /// The root; ignored where [`Collective::rooted`] is false.
    pub root: usize,
    /// What the operation moves.
    pub parameters: Parameters,
    /// Whether it is among neighbours; the communicator must be one of
    /// [`with_neighbours`](Comm::with_neighbours) then.
    pub is_among_neighbours: bool,
}

/// What a collective moves.
#[derive(Clone, Copy)]
pub enum Parameters {
    /// Blocks of bytes of equal length, or nothing.
    Bytes,
    /// Blocks of bytes of different lengths (`MPI_Gatherv`, `MPI_Scatterv`, `MPI_Allgatherv`,
    /// `MPI_Alltoallv`). The count of [`Memory`] is that of this rank's own block. A layout that
    /// the function does not take, or takes on the root only, is ignored elsewhere.
    Blocks {
        /// The layout of the input: of a scatter on its root, and of an all-to-all.
        input: BlockLayout,
        /// The layout of the output: of a gather on its root, of an allgather and of an all-to-all.
        output: BlockLayout,
    },
    /// Blocks of bytes of different lengths, each with its datatype (`MPI_Alltoallw`).
    TypedBlocks {
        /// The layout of the input.
        input: BlockLayout,
        /// The layout of the output.
        output: BlockLayout,
        /// The address of a [`ByteTypes`] with an entry for each block, which is part of the memory
        /// that the caller keeps valid.
        types: *const c_void,
    },
    /// Elements that are combined.
    Reduction(Operation),
}

impl CollectiveCall {
    /// A barrier.
    pub const BARRIER: Self = Self::bytes(Collective::Barrier, 0);

    /// A collective that moves blocks of bytes of equal length, or nothing.
    pub const fn bytes(collective: Collective, root: usize) -> Self {
        Self { collective, root, parameters: Parameters::Bytes, is_among_neighbours: false }
    }
}

/// The memory of a collective.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// What this rank sends.
    pub input: *const u8,
    /// Where it receives.
    pub output: *mut u8,
    /// Elements of a block: what one rank sends or receives.
    pub count: usize,
    /// Bytes of an element.
    pub element: usize,
}

/// A byte whose address stands for empty memory.
static NOTHING: u8 = 0;

impl Memory {
    /// Replaces the address of an empty slice, which may equal `MPI_IN_PLACE`.
    fn away_from(self, in_place: Word) -> Self {
        let nothing = &raw const NOTHING;
        let input = if self.input.addr() == in_place { nothing } else { self.input };
        let output = if self.output.addr() == in_place { nothing.cast_mut() } else { self.output };
        Self { input, output, ..self }
    }
}

/// Calls the blocking or the non-blocking function, which differ only in the request at the end.
macro_rules! call {
    ($comm:expr, $request:expr, $blocking:ident, $immediate:ident, ($($argument:expr),*)) => {{
        let functions = $comm.mpi.functions();
        let code = match $request {
            // SAFETY: the caller of `collective` promises that the memory is valid until this
            // returns.
            None => unsafe { (functions.$blocking)($($argument,)* $comm.raw) },
            // SAFETY: the caller of `start_collective` promises that the memory is valid until the
            // request is complete; `request` points to a handle.
            Some(request) => unsafe { (functions.$immediate)($($argument,)* $comm.raw, request) },
        };
        (if $request.is_none() { stringify!($blocking) } else { stringify!($immediate) }, code)
    }};
}

mod neighbours;

impl Comm {
    /// Runs a collective. All ranks of the communicator must call this.
    ///
    /// # Safety
    /// The memory, and the layouts of blocks where the function takes them, must be valid and as
    /// large as the collective needs on this rank, and nothing else may access it until this
    /// returns.
    pub unsafe fn collective(&self, call: CollectiveCall, memory: Memory) -> Result<()> {
        // SAFETY: the caller promises the same, and the call does not outlive this function.
        unsafe { self.call(call, memory, None) }
    }

    /// Starts a collective. All ranks of the communicator must call this, in the same order.
    ///
    /// # Safety
    /// As for [`collective`](Self::collective), until the request is complete. A started collective
    /// cannot be cancelled.
    pub unsafe fn start_collective(&self, call: CollectiveCall, memory: Memory) -> Result<Request> {
        let mut request: Word = 0;
        // SAFETY: the caller keeps the memory until the request is complete.
        unsafe { self.call(call, memory, Some(&raw mut request)) }?;
        Ok(Request(request))
    }

    /// Calls the function of MPI: the non-blocking one if there is a place for its request.
    ///
    /// # Safety
    /// As for [`collective`](Self::collective) without a request, and as for
    /// [`start_collective`](Self::start_collective) with one.
    unsafe fn call(&self, call: CollectiveCall, memory: Memory, request: Option<*mut Word>) -> Result<()> {
        let memory = memory.away_from(self.mpi.constants().in_place);
        let CollectiveCall { collective, root, parameters, is_among_neighbours } = call;
        let root = root as c_int;
        // SAFETY: the caller promises the same to this function.
        let (name, code) = unsafe {
            match parameters {
                _ if is_among_neighbours => self.call_neighbours(collective, parameters, memory, request),
                Parameters::TypedBlocks { input, output, types } => {
                    self.call_typed(collective, (input, output), types, memory, request)
                }
                Parameters::Bytes => self.call_bytes(collective, root, memory, request),
                Parameters::Blocks { input, output } => {
                    self.call_blocks(collective, root, (input, output), memory, request)
                }
                Parameters::Reduction(operation) => {
                    self.call_reduction(collective, root, operation, memory, request)
                }
            }
        }?;
        self.mpi.check(name, code)
    }

    /// Returns memory as MPI takes it: input and output, the length of a block, and its datatype.
    fn bytes_of(&self, memory: Memory) -> Result<(*const c_void, *mut c_void, c_int, Word)> {
        let len = count(memory.count * memory.element)?;
        Ok((memory.input.cast(), memory.output.cast(), len, self.mpi.constants().byte))
    }

    /// Calls a function for blocks of bytes of equal length.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    unsafe fn call_bytes(
        &self,
        collective: Collective,
        root: c_int,
        memory: Memory,
        request: Option<*mut Word>,
    ) -> Result<(&'static str, c_int)> {
        let (input, output, each, byte) = self.bytes_of(memory)?;
        Ok(match collective {
            Collective::Barrier => call!(self, request, MPI_Barrier, MPI_Ibarrier, ()),
            Collective::Broadcast => {
                call!(self, request, MPI_Bcast, MPI_Ibcast, (output, each, byte, root))
            }
            Collective::Gather => {
                call!(self, request, MPI_Gather, MPI_Igather, (input, each, byte, output, each, byte, root))
            }
            Collective::Scatter => {
                call!(self, request, MPI_Scatter, MPI_Iscatter, (input, each, byte, output, each, byte, root))
            }
            Collective::Allgather => {
                call!(self, request, MPI_Allgather, MPI_Iallgather, (input, each, byte, output, each, byte))
            }
            Collective::Alltoall => {
                call!(self, request, MPI_Alltoall, MPI_Ialltoall, (input, each, byte, output, each, byte))
            }
            _ => return Err(Error::Parameters { collective, expected: "a reduction" }),
        })
    }

    /// Calls a function for blocks of bytes of different lengths.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    unsafe fn call_blocks(
        &self,
        collective: Collective,
        root: c_int,
        (from, into): (BlockLayout, BlockLayout),
        memory: Memory,
        request: Option<*mut Word>,
    ) -> Result<(&'static str, c_int)> {
        let (input, output, own, byte) = self.bytes_of(memory)?;
        Ok(match collective {
            Collective::Gather => call!(
                self,
                request,
                MPI_Gatherv,
                MPI_Igatherv,
                (input, own, byte, output, into.lens, into.starts, byte, root)
            ),
            Collective::Scatter => call!(
                self,
                request,
                MPI_Scatterv,
                MPI_Iscatterv,
                (input, from.lens, from.starts, byte, output, own, byte, root)
            ),
            Collective::Alltoall => call!(
                self,
                request,
                MPI_Alltoallv,
                MPI_Ialltoallv,
                (input, from.lens, from.starts, byte, output, into.lens, into.starts, byte)
            ),
            Collective::Allgather => call!(
                self,
                request,
                MPI_Allgatherv,
                MPI_Iallgatherv,
                (input, own, byte, output, into.lens, into.starts, byte)
            ),
            _ => return Err(Error::Parameters { collective, expected: "blocks of equal length" }),
        })
    }

    /// Calls the function for blocks of bytes with a datatype each.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    unsafe fn call_typed(
        &self,
        collective: Collective,
        (from, into): (BlockLayout, BlockLayout),
        types: *const c_void,
        memory: Memory,
        request: Option<*mut Word>,
    ) -> Result<(&'static str, c_int)> {
        if collective != Collective::Alltoall {
            return Err(Error::Parameters { collective, expected: "blocks without datatypes" });
        }
        let (input, output): (*const c_void, *mut c_void) = (memory.input.cast(), memory.output.cast());
        Ok(call!(
            self,
            request,
            MPI_Alltoallw,
            MPI_Ialltoallw,
            (input, from.lens, from.starts, types, output, into.lens, into.starts, types)
        ))
    }

    /// Calls a function that combines elements.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    unsafe fn call_reduction(
        &self,
        collective: Collective,
        root: c_int,
        operation: Operation,
        memory: Memory,
        request: Option<*mut Word>,
    ) -> Result<(&'static str, c_int)> {
        let (datatype, op) = self.mpi.reduction(operation)?;
        let each = count(memory.count)?;
        let (input, output): (*const c_void, *mut c_void) = (memory.input.cast(), memory.output.cast());
        Ok(match collective {
            Collective::Reduce => {
                call!(self, request, MPI_Reduce, MPI_Ireduce, (input, output, each, datatype, op, root))
            }
            Collective::Allreduce => {
                call!(self, request, MPI_Allreduce, MPI_Iallreduce, (input, output, each, datatype, op))
            }
            Collective::ReduceScatter => call!(
                self,
                request,
                MPI_Reduce_scatter_block,
                MPI_Ireduce_scatter_block,
                (input, output, each, datatype, op)
            ),
            Collective::Scan => {
                call!(self, request, MPI_Scan, MPI_Iscan, (input, output, each, datatype, op))
            }
            Collective::Exscan => {
                call!(self, request, MPI_Exscan, MPI_Iexscan, (input, output, each, datatype, op))
            }
            _ => return Err(Error::Parameters { collective, expected: "no reduction" }),
        })
    }
}
