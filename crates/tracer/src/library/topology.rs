//! Neighbours in a communicator's topology.

use std::ffi::c_int;

use super::Mpi;

/// Neighbours in a topology, by their number in the communicator; a negative number is nobody.
#[derive(Default)]
pub struct Neighbours {
    pub sources: Vec<c_int>,
    pub destinations: Vec<c_int>,
}

impl Mpi {
    /// Neighbours in the communicator's topology, if it has one.
    pub fn neighbours(&self, comm: usize) -> Neighbours {
        // SAFETY: the communicator is valid.
        match self.ask(|mpi, kind| unsafe { (mpi.MPI_Topo_test)(comm, kind) }) {
            Some(kind) if kind == self.constants.cart => self.cart_neighbours(comm),
            Some(kind) if kind == self.constants.graph => self.graph_neighbours(comm),
            Some(kind) if kind == self.constants.dist_graph => self.dist_graph_neighbours(comm),
            _ => Neighbours::default(),
        }
    }

    /// In the order in which neighbourhood collectives use them: for each dimension, down and up.
    fn cart_neighbours(&self, comm: usize) -> Neighbours {
        // SAFETY: the communicator has such a topology.
        let dimensions = self.ask(|mpi, count| unsafe { (mpi.MPI_Cartdim_get)(comm, count) }).unwrap_or(0);
        let mut all = Vec::new();
        for dimension in 0..dimensions {
            let (mut down, mut up) = (0, 0);
            // SAFETY: the places are ours.
            unsafe { (self.functions.MPI_Cart_shift)(comm, dimension, 1, &raw mut down, &raw mut up) };
            all.extend([down, up]);
        }
        Neighbours { sources: all.clone(), destinations: all }
    }

    fn graph_neighbours(&self, comm: usize) -> Neighbours {
        let rank = self.rank(comm) as c_int;
        // SAFETY: the communicator has such a topology.
        let count =
            self.ask(|mpi, count| unsafe { (mpi.MPI_Graph_neighbors_count)(comm, rank, count) }).unwrap_or(0);
        let mut all = vec![0; count as usize];
        // SAFETY: the list has room for as many.
        unsafe { (self.functions.MPI_Graph_neighbors)(comm, rank, count, all.as_mut_ptr()) };
        Neighbours { sources: all.clone(), destinations: all }
    }

    fn dist_graph_neighbours(&self, comm: usize) -> Neighbours {
        let (mut from, mut to, mut weighted) = (0, 0, 0);
        // SAFETY: the communicator has such a topology; the places are ours.
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
        // Weights are written where there are some, so that there must be room.
        let (mut from_weights, mut to_weights) = (vec![0; from as usize], vec![0; to as usize]);
        // SAFETY: all lists have room for as many as were counted.
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
