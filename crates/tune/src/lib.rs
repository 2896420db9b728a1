//! Chooses the fastest algorithm of a collective for each size of message, from measurements, and
//! writes the choice in the form that an MPI library reads.
//!
//! * [`Tuning::of`]: the choice. An algorithm replaces the library's own choice only where it is
//!   faster beyond doubt: it was measured in several passes at different times, and by the 95 %
//!   intervals over the passes' medians it saves at least 5 %. Of dozens of algorithms
//!   the best looks faster than it is, so single samples decide nothing. Between two sizes with
//!   different choices the limit is their geometric mean.
//! * [`open_mpi`]: the dynamic rules of Open MPI's component `tuned`.
//! * [`mpich`]: the selection trees of MPICH.
//!
//! Invariant: what was not measured keeps the library's own choice. The files concern the measured
//! collectives and, where the form allows it, the measured number of ranks.

#![forbid(unsafe_code)]

mod choice;
pub mod mpich;
pub mod open_mpi;
mod summary;
mod tuning;

pub use choice::{Gain, OwnChoice, SizeChoice, Timing, median_of};
pub use summary::Summary;
pub use tuning::{Band, TunedCollective, Tuning};
