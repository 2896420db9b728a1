//! The algorithms, one file for each family.
//!
//! Costs are in the terms of Hockney's model: alpha per message, beta per element sent, gamma per
//! element combined; P is the number of ranks, lg = ceil(log2 P), n the elements of the vector or
//! of all blocks together.

pub(crate) mod allgather;
pub(crate) mod allreduce;
pub(crate) mod barrier;
pub(crate) mod broadcast;
pub(crate) mod bruck;
pub(crate) mod direct;
pub(crate) mod exchange;
pub(crate) mod gather;
pub(crate) mod halving;
pub(crate) mod linear_sync;
pub(crate) mod neighbour;
pub(crate) mod pipeline;
pub(crate) mod rabenseifner;
pub(crate) mod reduce;
pub(crate) mod reduce_scatter;
pub(crate) mod rex;
pub(crate) mod scan;
