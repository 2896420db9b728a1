//! The algorithms, a family a file. Costs are in the terms of Hockney: alpha a message, beta an element, P ranks,
//! lg = ceil(log2 P), n elements of the vector or of all blocks together.

pub(crate) mod allgather;
pub(crate) mod allreduce;
pub(crate) mod barrier;
pub(crate) mod broadcast;
pub(crate) mod bruck;
pub(crate) mod direct;
pub(crate) mod exchange;
pub(crate) mod gather;
pub(crate) mod halving;
pub(crate) mod linearsync;
pub(crate) mod neighbour;
pub(crate) mod pipeline;
pub(crate) mod rabenseifner;
pub(crate) mod reduce;
pub(crate) mod reducescatter;
pub(crate) mod rex;
pub(crate) mod scan;
