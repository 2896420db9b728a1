//! Collectives among the neighbours of a communicator's topology.

use std::ffi::c_int;

use panto_calls::Collective;

use super::{Memory, Parameters};
use crate::comm::{Comm, count};
use crate::error::{Error, Result};
use crate::functions::Word;

impl Comm {
    /// Returns a communicator of the same ranks in which this rank has these neighbours. All ranks
    /// must call this, and neighbours must name each other.
    pub fn with_neighbours(&self, neighbours: &[usize]) -> Result<Self> {
        let (ranks, weights): (Vec<c_int>, Vec<c_int>) =
            neighbours.iter().map(|&rank| (rank as c_int, 1)).unzip();
        let (degree, from, weight) = (count(ranks.len())?, ranks.as_ptr(), weights.as_ptr());
        let function = self.mpi.functions().MPI_Dist_graph_create_adjacent;
        let (info, keep_order, mut new): (_, _, Word) = (self.mpi.constants().info_null, 0, 0);
        // SAFETY: the arrays have `degree` entries and are borrowed until the function returns, and
        // `new` is a local variable.
        let code = unsafe {
            function(self.raw, degree, from, weight, degree, from, weight, info, keep_order, &raw mut new)
        };
        self.mpi.check("MPI_Dist_graph_create_adjacent", code)?;
        Self::made(&self.mpi, new)
    }

    /// Calls a function for blocks of bytes between neighbours.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    pub(super) unsafe fn call_neighbours(
        &self,
        collective: Collective,
        parameters: Parameters,
        memory: Memory,
        request: Option<*mut Word>,
    ) -> Result<(&'static str, c_int)> {
        let (input, output, each, byte) = self.bytes_of(memory)?;
        Ok(match (collective, parameters) {
            (Collective::Allgather, Parameters::Bytes) => call!(
                self,
                request,
                MPI_Neighbor_allgather,
                MPI_Ineighbor_allgather,
                (input, each, byte, output, each, byte)
            ),
            (Collective::Allgather, Parameters::Blocks { output: into, .. }) => call!(
                self,
                request,
                MPI_Neighbor_allgatherv,
                MPI_Ineighbor_allgatherv,
                (input, each, byte, output, into.lens, into.starts, byte)
            ),
            (Collective::Alltoall, Parameters::Bytes) => call!(
                self,
                request,
                MPI_Neighbor_alltoall,
                MPI_Ineighbor_alltoall,
                (input, each, byte, output, each, byte)
            ),
            (Collective::Alltoall, Parameters::Blocks { input: from, output: into }) => call!(
                self,
                request,
                MPI_Neighbor_alltoallv,
                MPI_Ineighbor_alltoallv,
                (input, from.lens, from.starts, byte, output, into.lens, into.starts, byte)
            ),
            (Collective::Alltoall, Parameters::TypedBlocks { input: from, output: into, types }) => call!(
                self,
                request,
                MPI_Neighbor_alltoallw,
                MPI_Ineighbor_alltoallw,
                (input, from.lens, from.addresses, types, output, into.lens, into.addresses, types)
            ),
            _ => return Err(Error::Parameters { collective, expected: "all ranks instead of neighbours" }),
        })
    }
}
