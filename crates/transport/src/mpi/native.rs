//! The library's own collectives.

use std::cell::RefCell;

use panto_mpi::{Apply, Blocks, Memory, Operation};
use panto_schedule::{Collective, Order, Problem, Uneven, UnevenProblem};

use super::cadence::Cadence;
use super::endpoint::Endpoint;
use super::handle::{Handle, Kind};
use crate::collective::{BlockParts, Extents};
use crate::combine::{Combine, Meaning};
use crate::error::{Error, Result};
use crate::message::Status;
use crate::transport::{Buffers, Transport};

impl Endpoint {
    /// Runs the library's own collective. `Prepared` has compared the buffers with the problem.
    pub(super) fn native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<()> {
        let (collective, memory) = translate(problem, buffers)?;
        self.carry_out(collective, memory)
    }

    /// The same with blocks of several lengths. `PersistentCollective` has compared the buffers with the problem.
    pub(super) fn native_uneven(
        &self,
        problem: &UnevenProblem,
        extents: &Extents,
        buffers: &mut Buffers<'_>,
    ) -> Result<()> {
        let (collective, memory) = translate_uneven(problem, self.rank(), extents, buffers);
        self.carry_out(collective, memory)
    }

    /// The memory must be borrowed until this returns, and as large as the problem says.
    fn carry_out(&self, collective: panto_mpi::Collective, memory: Memory) -> Result<()> {
        let comm = &self.group.collectives;
        let outcome = match self.job.cadence {
            // SAFETY: the buffers are borrowed until this returns, and as large as the problem says.
            Cadence::Blocking => unsafe { comm.collective(collective, memory) },
            Cadence::Yielding => {
                // SAFETY: the same; the request is complete before this returns.
                let request = unsafe { comm.start_collective(collective, memory) };
                request.map(|mut request| {
                    Cadence::wait(|| Ok(request.is_complete(&self.job.mpi)?.then_some(())))
                        .unwrap_or_else(|error| self.job.give_up(&error.into()));
                })
            }
        };
        self.job.watch.beat();
        Ok(outcome?)
    }

    /// # Safety
    /// As for [`Transport::start_native`].
    pub(super) unsafe fn start_collective(
        &self,
        problem: &Problem,
        buffers: &mut Buffers<'_>,
    ) -> Result<Handle> {
        let (collective, memory) = translate(problem, buffers)?;
        // SAFETY: the caller.
        unsafe { self.begin(collective, memory) }
    }

    /// # Safety
    /// As for [`Transport::start_native_uneven`].
    pub(super) unsafe fn start_uneven(
        &self,
        problem: &UnevenProblem,
        extents: &Extents,
        buffers: &mut Buffers<'_>,
    ) -> Result<Handle> {
        let (collective, memory) = translate_uneven(problem, self.rank(), extents, buffers);
        // SAFETY: the caller.
        unsafe { self.begin(collective, memory) }
    }

    /// # Safety
    /// As for [`Transport::start_native`].
    unsafe fn begin(&self, collective: panto_mpi::Collective, memory: Memory) -> Result<Handle> {
        // SAFETY: the caller.
        let request = unsafe { self.group.collectives.start_collective(collective, memory) }?;
        Ok(Handle::active(request, Kind::Send(Status { source: self.rank(), tag: 0, len: 0 })))
    }
}

fn translate_uneven(
    problem: &UnevenProblem,
    rank: usize,
    extents: &Extents,
    buffers: &mut Buffers<'_>,
) -> (panto_mpi::Collective, Memory) {
    // What this rank alone brings or gets; an exchange has no such thing.
    let count = match problem.collective {
        Uneven::Gatherv | Uneven::Allgatherv => problem.len(rank, problem.root),
        Uneven::Scatterv => problem.len(problem.root, rank),
        Uneven::Alltoallv => 0,
    };
    let memory =
        Memory { input: buffers.input.as_ptr(), output: buffers.output.as_mut_ptr(), count, element: 1 };
    let blocks = |parts: &BlockParts| Blocks { lens: parts.lens.as_ptr(), starts: parts.starts.as_ptr() };
    let (root, from, into) = (problem.root, blocks(&extents.input), blocks(&extents.output));
    let collective = match problem.collective {
        Uneven::Gatherv => panto_mpi::Uneven::Gatherv { root, into },
        Uneven::Scatterv => panto_mpi::Uneven::Scatterv { root, from },
        Uneven::Allgatherv => panto_mpi::Uneven::Allgatherv { into },
        Uneven::Alltoallv => panto_mpi::Uneven::Alltoallv { from, into },
    };
    (panto_mpi::Collective::Uneven(collective), memory)
}

fn translate(problem: &Problem, buffers: &mut Buffers<'_>) -> Result<(panto_mpi::Collective, Memory)> {
    let memory = Memory {
        input: buffers.input.as_ptr(),
        output: buffers.output.as_mut_ptr(),
        count: problem.count,
        element: buffers.element,
    };
    let operation = || operation(buffers.combine, buffers.element);
    let root = problem.root;
    let collective = match problem.collective {
        Collective::Barrier => panto_mpi::Collective::Barrier,
        Collective::Broadcast => panto_mpi::Collective::Broadcast { root },
        Collective::Gather => panto_mpi::Collective::Gather { root },
        Collective::Scatter => panto_mpi::Collective::Scatter { root },
        Collective::Allgather => panto_mpi::Collective::Allgather,
        Collective::Alltoall => panto_mpi::Collective::Alltoall,
        Collective::Reduce => panto_mpi::Collective::Reduce { root, operation: operation()? },
        Collective::Allreduce => panto_mpi::Collective::Allreduce(operation()?),
        Collective::ReduceScatter => panto_mpi::Collective::ReduceScatter(operation()?),
        Collective::Scan => panto_mpi::Collective::Scan(operation()?),
        Collective::Exscan => panto_mpi::Collective::Exscan(operation()?),
    };
    Ok((collective, memory))
}

fn operation(combine: Combine, element: usize) -> Result<Operation> {
    match combine.meaning {
        Meaning::SumF64 => Ok(Operation::SumF64),
        // MPICH 4.0 compares unsigned numbers as if they had signs, and so this one is our own as well.
        Meaning::MaxU64 | Meaning::Own => Ok(Operation::Own(own(combine.apply), element)),
        Meaning::Nothing => Err(Error::Buffers("a reduction needs to know how elements are combined".into())),
    }
}

thread_local! {
    /// Functions that MPI has been told of. They live as long as the program, as MPI wants it.
    static OWN: RefCell<Vec<(Function, Apply)>> = const { RefCell::new(Vec::new()) };
}

type Function = fn(&[u8], &mut [u8], Order);

/// The same function with the order that MPI keeps: what comes from lower ranks is first.
fn own(function: Function) -> Apply {
    OWN.with_borrow_mut(|own| {
        let known = own.iter().find(|(known, _)| std::ptr::fn_addr_eq(*known, function));
        if let Some((_, apply)) = known {
            return *apply;
        }
        let apply: Apply =
            Box::leak(Box::new(move |from: &[u8], into: &mut [u8]| function(from, into, Order::FromFirst)));
        own.push((function, apply));
        apply
    })
}
