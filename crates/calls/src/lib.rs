//! The send modes, collectives and outcomes of MPI, named once for all crates.
//!
//! Traces, transports, the MPI bindings, schedules and the simulator all speak of these operations,
//! so they share one enum for each. The crate holds names only: the numbers by which an MPI library
//! knows an operation are in `panto-mpi`, the codes of the trace format in `panto-trace`.

#![forbid(unsafe_code)]

mod collective;
mod mode;
mod outcome;

pub use collective::{Collective, UnknownCollective};
pub use mode::SendMode;
pub use outcome::{Matched, Reply, TestKind};
