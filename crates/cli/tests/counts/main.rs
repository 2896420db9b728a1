//! The tracer against an independent count: a trace of a real program on a real MPI contains
//! exactly the calls it made.
//!
//! The programs are those of `apps/`. The independent counter, `libcount.so`, is preloaded behind
//! the tracer and sees the same run, so that both match the same wildcards and count the same
//! number of polls.

mod call_sites;
mod collective;
mod communicators;
mod computation;
mod control;
mod counted;
mod equal;
mod figures;
mod fortran;
mod itself;
mod left_out;
mod matched;
mod measured;
mod polls;
mod python;
mod regions;
mod scene;
mod summary;
mod threads;
mod traced;

use mpis::Mpi;
use panto_testkit::jobs::{job, mpis};

/// The binary under test.
const PANTO: &str = env!("CARGO_BIN_EXE_panto");

/// MPIs with a counter: it is compiled with the header of each.
const COUNTED: [Mpi; 5] =
    [mpis::MPICH, mpis::OPEN_MPI, mpis::MPICH_5, mpis::MPICH_5_STANDARD, mpis::OPEN_MPI_5];
