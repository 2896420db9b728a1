//! The library's native collectives.

use std::cell::RefCell;

use panto_mpi::{Apply, CollectiveCall, Memory, Operation, Parameters};
use panto_schedule::{Collective, Order, Problem, Uneven, UnevenProblem};

use super::endpoint::Endpoint;
use super::handle::{Handle, Kind};
use super::wait_strategy::WaitStrategy;
use crate::collective::{BlockLayout, BufferLayouts};
use crate::error::{Error, Result};
use crate::message::Status;
use crate::reduce_op::{ReduceKind, ReduceOp};
use crate::transport::{Buffers, Transport};

impl Endpoint {
    /// Runs a native collective. `PreparedCollective` has compared the buffers with the problem.
    pub(super) fn native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<()> {
        let (call, memory) = translate(problem, buffers)?;
        // SAFETY: the buffers are borrowed until this returns, and as large as the problem says.
        unsafe { self.run_call(call, memory) }
    }

    /// Runs a native collective with blocks of different lengths. `PersistentCollective` has
    /// compared the buffers with the problem.
    pub(super) fn native_uneven(
        &self,
        problem: &UnevenProblem,
        layouts: &BufferLayouts,
        buffers: &mut Buffers<'_>,
    ) -> Result<()> {
        let (call, memory) = translate_uneven(problem, self.rank(), layouts, buffers);
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
        let comm = selection.as_ref().map_or(&self.group.collectives, |selection| &selection.comm);
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
    /// As for [`Transport::start_native_uneven`].
    pub(super) unsafe fn start_uneven(
        &self,
        problem: &UnevenProblem,
        layouts: &BufferLayouts,
        buffers: &mut Buffers<'_>,
    ) -> Result<Handle> {
        let (call, memory) = translate_uneven(problem, self.rank(), layouts, buffers);
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
        let request = unsafe { self.group.collectives.start_collective(call, memory) }?;
        Ok(Handle::active(request, Kind::Send(Status { source: self.rank(), tag: 0, len: 0 })))
    }
}

fn translate_uneven(
    problem: &UnevenProblem,
    rank: usize,
    layouts: &BufferLayouts,
    buffers: &mut Buffers<'_>,
) -> (CollectiveCall, Memory) {
    // The length of this rank's own block; a complete exchange has none.
    let count = match problem.collective {
        Uneven::Gatherv | Uneven::Allgatherv => problem.len(rank, problem.root),
        Uneven::Scatterv => problem.len(problem.root, rank),
        Uneven::Alltoallv => 0,
    };
    let memory =
        Memory { input: buffers.input.as_ptr(), output: buffers.output.as_mut_ptr(), count, element: 1 };
    let native = |layout: &BlockLayout| panto_mpi::BlockLayout {
        lens: layout.counts.as_ptr(),
        starts: layout.displacements.as_ptr(),
    };
    let parameters = Parameters::Blocks { input: native(&layouts.input), output: native(&layouts.output) };
    (CollectiveCall { collective: problem.collective.even(), root: problem.root, parameters }, memory)
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
    Ok((CollectiveCall { collective, root: problem.root, parameters }, memory))
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
