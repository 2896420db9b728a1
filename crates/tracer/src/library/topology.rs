//! Neighbours in a communicator's topology.

use std::ffi::c_int;

use super::Mpi;

/// Neighbours in a topology, by their rank in the communicator; a negative number is
/// `MPI_PROC_NULL`.
#[derive(Default)]
pub struct Neighbours {
    pub sources: Vec<c_int>,
    pub destinations: Vec<c_int>,
}

impl Mpi {
    /// Returns the neighbours in the communicator's topology, if it has one.
    pub fn neighbours(&self, comm: usize) -> Neighbours {
        // SAFETY: the communicator is valid.
        match self.ask(|mpi, kind| unsafe { (mpi.MPI_Topo_test)(comm, kind) }) {
            Some(kind) if kind == self.constants.cart => self.cart_neighbours(comm),
            Some(kind) if kind == self.constants.graph => self.graph_neighbours(comm),
            Some(kind) if kind == self.constants.dist_graph => self.dist_graph_neighbours(comm),
            _ => Neighbours::default(),
        }
    }

    /// Returns the neighbours in the order of neighbourhood collectives: down and up in each
    /// dimension.
    fn cart_neighbours(&self, comm: usize) -> Neighbours {
        // SAFETY: the communicator has a Cartesian topology.
        let dimensions = self.ask(|mpi, count| unsafe { (mpi.MPI_Cartdim_get)(comm, count) }).unwrap_or(0);
        let mut all = Vec::new();
        for dimension in 0..dimensions {
            let (mut down, mut up) = (0, 0);
            // SAFETY: the results are local variables.
            unsafe { (self.functions.MPI_Cart_shift)(comm, dimension, 1, &raw mut down, &raw mut up) };
            all.extend([down, up]);
        }
        Neighbours { sources: all.clone(), destinations: all }
    }

    fn graph_neighbours(&self, comm: usize) -> Neighbours {
        let rank = self.rank(comm) as c_int;
        // SAFETY: the communicator has a graph topology.
        let count =
            self.ask(|mpi, count| unsafe { (mpi.MPI_Graph_neighbors_count)(comm, rank, count) }).unwrap_or(0);
        let mut all = vec![0; count as usize];
        // SAFETY: the list has `count` entries.
        unsafe { (self.functions.MPI_Graph_neighbors)(comm, rank, count, all.as_mut_ptr()) };
        Neighbours { sources: all.clone(), destinations: all }
    }

    fn dist_graph_neighbours(&self, comm: usize) -> Neighbours {
        let (mut from, mut to, mut weighted) = (0, 0, 0);
        // SAFETY: the communicator has a distributed graph topology; the results are local
        // variables.
        unsafe {
            (self.functions.MPI_Dist_graph_neighbors_count)(
                comm,
                &raw mut from,
                &raw mut to,
                &raw mut weighted,
            );
        }
        let mut neighbours =
            Neighbours { sources: vec![0; from as usize], destinations: vec![0; to as usize] };
        // MPI writes weights where there are some, so there must be room for them.
        let (mut from_weights, mut to_weights) = (vec![0; from as usize], vec![0; to as usize]);
        // SAFETY: all lists are as long as MPI said.
        unsafe {
            (self.functions.MPI_Dist_graph_neighbors)(
                comm,
                from,
                neighbours.sources.as_mut_ptr(),
                from_weights.as_mut_ptr(),
                to,
                neighbours.destinations.as_mut_ptr(),
                to_weights.as_mut_ptr(),
            );
        }
        neighbours
    }
}
