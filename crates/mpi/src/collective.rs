//! The library's own collectives.

use std::ffi::{c_int, c_void};

use crate::comm::{Comm, count};
use crate::error::Result;
use crate::functions::Word;
use crate::reduction::Operation;
use crate::request::Request;

/// Where the blocks of a buffer lie, where they differ in length: an array of lengths and one of beginnings, in bytes, with a place
/// for each rank. They belong to the memory of the collective.
#[derive(Debug, Clone, Copy)]
pub struct Blocks {
    /// How long each is.
    pub lens: *const c_int,
    /// Where each begins.
    pub starts: *const c_int,
}

/// A collective, with what it needs to know beside its memory.
#[derive(Clone, Copy)]
pub enum Collective {
    /// All wait for all.
    Barrier,
    /// The root's output to all outputs.
    Broadcast {
        /// Who has it.
        root: usize,
    },
    /// All inputs to the root.
    Gather {
        /// Who gets them.
        root: usize,
    },
    /// The root's input, in parts, to all.
    Scatter {
        /// Who has it.
        root: usize,
    },
    /// All inputs to all.
    Allgather,
    /// A part of each input to each.
    Alltoall,
    /// One with blocks of several lengths.
    Uneven(Uneven),
    /// All inputs combined on the root.
    Reduce {
        /// Who gets it.
        root: usize,
        /// How.
        operation: Operation,
    },
    /// All inputs combined, on all.
    Allreduce(Operation),
    /// All inputs combined, a part on each.
    ReduceScatter(Operation),
    /// The inputs up to one's own combined.
    Scan(Operation),
    /// The inputs before one's own combined; rank 0 gets nothing.
    Exscan(Operation),
}

/// A collective with blocks of several lengths.
#[derive(Debug, Clone, Copy)]
pub enum Uneven {
    /// All inputs to the root, of several lengths; the count is that of this rank.
    Gatherv {
        /// Who gets them.
        root: usize,
        /// Where; of meaning on the root.
        into: Blocks,
    },
    /// The root's input, in parts of several lengths, to all; the count is that of this rank.
    Scatterv {
        /// Who has it.
        root: usize,
        /// Where; of meaning on the root.
        from: Blocks,
    },
    /// All inputs to all, of several lengths; the count is that of this rank.
    Allgatherv {
        /// Where.
        into: Blocks,
    },
    /// A part of each input to each, of several lengths.
    Alltoallv {
        /// Where they are.
        from: Blocks,
        /// Where they go.
        into: Blocks,
    },
}

/// The memory of a collective.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// What this rank contributes.
    pub input: *const u8,
    /// What it gets.
    pub output: *mut u8,
    /// Elements of a block: what one rank contributes or gets.
    pub count: usize,
    /// Bytes of an element.
    pub element: usize,
}

/// A byte that nobody reads or writes.
static NOTHING: u8 = 0;

impl Memory {
    /// An empty slice has an address that means nothing to us, but may be the one that means `MPI_IN_PLACE`.
    fn away_from(self, in_place: Word) -> Self {
        let nothing = &raw const NOTHING;
        let input = if self.input.addr() == in_place { nothing } else { self.input };
        let output = if self.output.addr() == in_place { nothing.cast_mut() } else { self.output };
        Self { input, output, ..self }
    }
}

/// Calls the blocking or the non-blocking function, which differ in nothing but the request at the end.
macro_rules! call {
    ($comm:expr, $request:expr, $blocking:ident, $immediate:ident, ($($argument:expr),*)) => {{
        let functions = $comm.mpi.functions();
        let code = match $request {
            // SAFETY: whoever calls `collective` vouches for the memory.
            None => unsafe { (functions.$blocking)($($argument,)* $comm.raw) },
            // SAFETY: whoever calls `start_collective` vouches for the memory; the request is a place for a handle.
            Some(request) => unsafe { (functions.$immediate)($($argument,)* $comm.raw, request) },
        };
        (if $request.is_none() { stringify!($blocking) } else { stringify!($immediate) }, code)
    }};
}

impl Comm {
    /// Runs a collective. All ranks must.
    ///
    /// # Safety
    /// The memory must be as large as the collective needs it on this rank, and nobody else may touch it meanwhile.
    pub unsafe fn collective(&self, collective: Collective, memory: Memory) -> Result<()> {
        // SAFETY: the caller.
        unsafe { self.call(collective, memory, None) }
    }

    /// Starts a collective. All ranks must, in the same order.
    ///
    /// # Safety
    /// As for [`collective`](Self::collective), until the request is complete. It cannot be taken back.
    pub unsafe fn start_collective(&self, collective: Collective, memory: Memory) -> Result<Request> {
        let mut request: Word = 0;
        // SAFETY: the caller.
        unsafe { self.call(collective, memory, Some(&raw mut request)) }?;
        Ok(Request(request))
    }

    /// # Safety
    /// As for [`collective`](Self::collective), or [`start_collective`](Self::start_collective) if there is a place for a request.
    unsafe fn call(&self, collective: Collective, memory: Memory, request: Option<*mut Word>) -> Result<()> {
        let memory = memory.away_from(self.mpi.constants().in_place);
        let (name, code) = match collective {
            Collective::Barrier => call!(self, request, MPI_Barrier, MPI_Ibarrier, ()),
            Collective::Broadcast { .. }
            | Collective::Gather { .. }
            | Collective::Scatter { .. }
            | Collective::Allgather
            | Collective::Alltoall => {
                // SAFETY: the caller.
                unsafe { self.call_moving(collective, memory, request) }?
            }
            // SAFETY: the caller.
            Collective::Uneven(uneven) => unsafe { self.call_uneven(uneven, memory, request) }?,
            Collective::Reduce { operation, .. }
            | Collective::Allreduce(operation)
            | Collective::ReduceScatter(operation)
            | Collective::Scan(operation)
            | Collective::Exscan(operation) => {
                // SAFETY: the caller.
                unsafe { self.call_reducing(collective, operation, memory, request) }?
            }
        };
        self.mpi.check(name, code)
    }

    /// Those that move bytes.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    unsafe fn call_moving(
        &self,
        collective: Collective,
        memory: Memory,
        request: Option<*mut Word>,
    ) -> Result<(&'static str, c_int)> {
        let each = count(memory.count * memory.element)?;
        let byte = self.mpi.constants().byte;
        let (input, output): (*const c_void, *mut c_void) = (memory.input.cast(), memory.output.cast());
        Ok(match collective {
            Collective::Broadcast { root } => {
                call!(self, request, MPI_Bcast, MPI_Ibcast, (output, each, byte, root as c_int))
            }
            Collective::Gather { root } => {
                let root = root as c_int;
                call!(self, request, MPI_Gather, MPI_Igather, (input, each, byte, output, each, byte, root))
            }
            Collective::Scatter { root } => {
                let root = root as c_int;
                call!(self, request, MPI_Scatter, MPI_Iscatter, (input, each, byte, output, each, byte, root))
            }
            Collective::Allgather => {
                call!(self, request, MPI_Allgather, MPI_Iallgather, (input, each, byte, output, each, byte))
            }
            _ => call!(self, request, MPI_Alltoall, MPI_Ialltoall, (input, each, byte, output, each, byte)),
        })
    }

    /// Those that move bytes in blocks of several lengths.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    unsafe fn call_uneven(
        &self,
        collective: Uneven,
        memory: Memory,
        request: Option<*mut Word>,
    ) -> Result<(&'static str, c_int)> {
        let own = count(memory.count * memory.element)?;
        let byte = self.mpi.constants().byte;
        let (input, output): (*const c_void, *mut c_void) = (memory.input.cast(), memory.output.cast());
        Ok(match collective {
            Uneven::Gatherv { root, into } => {
                let (root, lens, starts) = (root as c_int, into.lens, into.starts);
                call!(
                    self,
                    request,
                    MPI_Gatherv,
                    MPI_Igatherv,
                    (input, own, byte, output, lens, starts, byte, root)
                )
            }
            Uneven::Scatterv { root, from } => {
                let (root, lens, starts) = (root as c_int, from.lens, from.starts);
                call!(
                    self,
                    request,
                    MPI_Scatterv,
                    MPI_Iscatterv,
                    (input, lens, starts, byte, output, own, byte, root)
                )
            }
            Uneven::Alltoallv { from, into } => call!(
                self,
                request,
                MPI_Alltoallv,
                MPI_Ialltoallv,
                (input, from.lens, from.starts, byte, output, into.lens, into.starts, byte)
            ),
            Uneven::Allgatherv { into } => call!(
                self,
                request,
                MPI_Allgatherv,
                MPI_Iallgatherv,
                (input, own, byte, output, into.lens, into.starts, byte)
            ),
        })
    }

    /// Those that combine elements.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    unsafe fn call_reducing(
        &self,
        collective: Collective,
        operation: Operation,
        memory: Memory,
        request: Option<*mut Word>,
    ) -> Result<(&'static str, c_int)> {
        let (datatype, op) = self.mpi.reduction(operation)?;
        let each = count(memory.count)?;
        let (input, output): (*const c_void, *mut c_void) = (memory.input.cast(), memory.output.cast());
        Ok(match collective {
            Collective::Reduce { root, .. } => {
                let root = root as c_int;
                call!(self, request, MPI_Reduce, MPI_Ireduce, (input, output, each, datatype, op, root))
            }
            Collective::Allreduce(_) => {
                call!(self, request, MPI_Allreduce, MPI_Iallreduce, (input, output, each, datatype, op))
            }
            Collective::ReduceScatter(_) => call!(
                self,
                request,
                MPI_Reduce_scatter_block,
                MPI_Ireduce_scatter_block,
                (input, output, each, datatype, op)
            ),
            Collective::Scan(_) => {
                call!(self, request, MPI_Scan, MPI_Iscan, (input, output, each, datatype, op))
            }
            _ => call!(self, request, MPI_Exscan, MPI_Iexscan, (input, output, each, datatype, op)),
        })
    }
}
