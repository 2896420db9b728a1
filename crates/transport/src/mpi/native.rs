//! The library's native collectives.

use std::cell::RefCell;

use panto_mpi::{Apply, ByteTypes, CollectiveCall, Comm, Memory, Operation, Parameters};
use panto_schedule::{BlockCollective, BlockProblem, Collective, Order, Problem};

use super::endpoint::Endpoint;
use super::handle::{Handle, Kind};
use super::wait_strategy::WaitStrategy;
use crate::collective::{BlockLayout, BufferLayouts};
use crate::error::{Error, Result};
use crate::message::Status;
use crate::reduce_op::{ReduceKind, ReduceOp};
use crate::transport::{Buffers, Transport};

/// The error of a collective with blocks for which [`Transport::prepare_native_blocks`] was not
/// called.
const NOT_PREPARED: Error = Error::Unsupported("native collective with blocks that was not prepared");

impl Endpoint {
    /// Makes what a collective with blocks needs besides its buffers.
    pub(super) fn prepare_blocks(&self, problem: &BlockProblem) -> Result<()> {
        let group = &self.group;
        // All ranks have prepared the same collectives, so that all of them get here or none does.
        if problem.collective.is_among_neighbours() && group.neighbours.get().is_none() {
            let comm = group.collectives.with_neighbours(&problem.neighbours(self.rank()))?;
            let _ = group.neighbours.set(comm);
        }
        group.types.get_or_init(|| ByteTypes::new(&self.job.mpi, self.size()));
        Ok(())
    }

    /// Returns the communicator of a call.
    fn comm_for(&self, call: CollectiveCall) -> Result<&Comm> {
        if !call.is_among_neighbours {
            return Ok(&self.group.collectives);
        }
        self.group.neighbours.get().ok_or(NOT_PREPARED)
    }

    fn translate_blocks(
        &self,
        problem: &BlockProblem,
        layouts: &BufferLayouts,
        buffers: &mut Buffers<'_>,
    ) -> Result<(CollectiveCall, Memory)> {
        let native = |layout: &BlockLayout| panto_mpi::BlockLayout {
            lens: layout.counts.as_ptr(),
            starts: layout.displacements.as_ptr(),
            addresses: layout.addresses.as_ptr(),
        };
        let (input, output) = (native(&layouts.input), native(&layouts.output));
        let types = self.group.types.get().ok_or(NOT_PREPARED)?.as_ptr();
        let parameters = match problem.collective {
            BlockCollective::NeighborAllgather | BlockCollective::NeighborAlltoall => Parameters::Bytes,
            BlockCollective::Alltoallw | BlockCollective::NeighborAlltoallw => {
                Parameters::TypedBlocks { input, output, types }
            }
            _ => Parameters::Blocks { input, output },
        };
        let call = CollectiveCall {
            collective: problem.collective.plain(),
            root: problem.root,
            parameters,
            is_among_neighbours: problem.collective.is_among_neighbours(),
        };
        let count = own_len(problem, self.rank());
        let memory =
            Memory { input: buffers.input.as_ptr(), output: buffers.output.as_mut_ptr(), count, element: 1 };
        Ok((call, memory))
    }

    /// Runs a native collective. `PreparedCollective` has compared the buffers with the problem.
    pub(super) fn native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<()> {
        let (call, memory) = translate(problem, buffers)?;
        // SAFETY: the buffers are borrowed until this returns, and as large as the problem says.
        unsafe { self.run_call(call, memory) }
    }

    /// Runs a native collective with blocks of different lengths. `PersistentCollective` has
    /// compared the buffers with the problem.
    pub(super) fn native_blocks(
        &self,
        problem: &BlockProblem,
        layouts: &BufferLayouts,
        buffers: &mut Buffers<'_>,
    ) -> Result<()> {
        let (call, memory) = self.translate_blocks(problem, layouts, buffers)?;
        // SAFETY: the buffers are borrowed until this returns, and as large as the problem says.
        unsafe { self.run_call(call, memory) }
    }

    /// Runs a collective as the wait strategy says.
    ///
    /// # Safety
    /// `memory` must be as large as the call says, and stay valid and be used by nothing else until
    /// this returns.
    unsafe fn run_call(&self, call: CollectiveCall, memory: Memory) -> Result<()> {
        let selection = self.selection.borrow();
        let comm = match &*selection {
            Some(selection) if !call.is_among_neighbours => &selection.comm,
            _ => self.comm_for(call)?,
        };
        let outcome = match self.job.wait_strategy {
            WaitStrategy::Yielding if selection.is_none() => {
                // SAFETY: the caller promises that the memory is valid until this returns, by which
                // time the request is complete or the job aborted.
                let request = unsafe { comm.start_collective(call, memory) };
                request.map(|mut request| {
                    WaitStrategy::wait(|| Ok(request.is_complete(&self.job.mpi)?.then_some(())))
                        .unwrap_or_else(|error| self.job.abort_job(&error.into()));
                })
            }
            // A selection concerns the blocking function only.
            // SAFETY: the caller promises that the memory is valid until this returns.
            WaitStrategy::Blocking | WaitStrategy::Yielding => unsafe { comm.collective(call, memory) },
        };
        if let Some(selection) = &*selection {
            selection.called();
        }
        self.job.watchdog.heartbeat();
        Ok(outcome?)
    }

    /// Starts a native collective.
    ///
    /// # Safety
    /// As for [`Transport::start_native`].
    pub(super) unsafe fn start_collective(
        &self,
        problem: &Problem,
        buffers: &mut Buffers<'_>,
    ) -> Result<Handle> {
        let (call, memory) = translate(problem, buffers)?;
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.begin(call, memory) }
    }

    /// Starts a native collective with blocks of different lengths.
    ///
    /// # Safety
    /// As for [`Transport::start_native_blocks`].
    pub(super) unsafe fn start_blocks(
        &self,
        problem: &BlockProblem,
        layouts: &BufferLayouts,
        buffers: &mut Buffers<'_>,
    ) -> Result<Handle> {
        let (call, memory) = self.translate_blocks(problem, layouts, buffers)?;
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.begin(call, memory) }
    }

    /// Starts a call.
    ///
    /// # Safety
    /// `memory` must be as large as the call says, and stay valid and be used by nothing else until
    /// the handle is complete or a wait or test for it has failed.
    unsafe fn begin(&self, call: CollectiveCall, memory: Memory) -> Result<Handle> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        let request = unsafe { self.comm_for(call)?.start_collective(call, memory) }?;
        Ok(Handle::active(request, Kind::Send(Status { source: self.rank(), tag: 0, len: 0 })))
    }
}

/// Returns the length of the block that a rank has for all or gets from the root, or that all
/// blocks have; 0 where each block has its own.
fn own_len(problem: &BlockProblem, rank: usize) -> usize {
    match problem.collective.plain() {
        Collective::Gather | Collective::Allgather => problem.len(rank, problem.root),
        Collective::Scatter => problem.len(problem.root, rank),
        _ if problem.collective.has_equal_blocks() => problem.len(rank, rank),
        _ => 0,
    }
}

fn translate(problem: &Problem, buffers: &mut Buffers<'_>) -> Result<(CollectiveCall, Memory)> {
    let memory = Memory {
        input: buffers.input.as_ptr(),
        output: buffers.output.as_mut_ptr(),
        count: problem.count,
        element: buffers.element,
    };
    let collective = problem.collective;
    let parameters = match collective {
        Collective::Barrier
        | Collective::Broadcast
        | Collective::Gather
        | Collective::Scatter
        | Collective::Allgather
        | Collective::Alltoall => Parameters::Bytes,
        Collective::Reduce
        | Collective::Allreduce
        | Collective::ReduceScatter
        | Collective::Scan
        | Collective::Exscan => Parameters::Reduction(operation(buffers.combine, buffers.element)?),
    };
    Ok((CollectiveCall { collective, root: problem.root, parameters, is_among_neighbours: false }, memory))
}

fn operation(combine: ReduceOp, element: usize) -> Result<Operation> {
    match combine.kind {
        ReduceKind::SumF64 => Ok(Operation::SumF64),
        // MPICH 4.0 compares unsigned numbers as signed ones, so this operator is ours as well.
        ReduceKind::MaxU64 | ReduceKind::UserDefined => {
            Ok(Operation::Own(user_function(combine.apply), element))
        }
        ReduceKind::None => Err(Error::Buffers("a reduction needs an operator".into())),
    }
}

thread_local! {
    /// Operators that were registered with MPI. They live as long as the program, as MPI requires.
    static REGISTERED: RefCell<Vec<(Function, Apply)>> = const { RefCell::new(Vec::new()) };
}

type Function = fn(&[u8], &mut [u8], Order);

/// Returns the operator in the order that MPI keeps: elements of lower ranks come first.
fn user_function(function: Function) -> Apply {
    REGISTERED.with_borrow_mut(|registered| {
        let known = registered.iter().find(|(known, _)| std::ptr::fn_addr_eq(*known, function));
        if let Some((_, apply)) = known {
            return *apply;
        }
        let apply: Apply =
            Box::leak(Box::new(move |from: &[u8], into: &mut [u8]| function(from, into, Order::FromFirst)));
        registered.push((function, apply));
        apply
    })
}
