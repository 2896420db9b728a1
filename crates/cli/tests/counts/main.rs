//! The tracer held to the truth: what a trace says of real programs on real MPIs is what they did.
//!
//! The programs are those of `apps/`. An independent counter, `libcount.so`, sees the same run: it
//! is preloaded behind the tracer, so that both match the same wildcards and count the same number
//! of polls.

mod collective;
mod communicators;
mod computation;
mod control;
mod equal;
mod figures;
mod fortran;
mod itself;
mod left_out;
mod matched;
mod polls;
mod python;
mod scene;
mod summary;
mod threads;
mod traced;

use mpis::Mpi;
use panto_testkit::jobs::{job, mpis};

/// The binary that is tested.
const PANTO: &str = env!("CARGO_BIN_EXE_panto");

/// MPIs for which there is a counter: each compiled it with its own header.
const COUNTED: [Mpi; 5] =
    [mpis::MPICH, mpis::OPEN_MPI, mpis::MPICH_5, mpis::MPICH_5_STANDARD, mpis::OPEN_MPI_5];
