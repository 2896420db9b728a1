//! Example programs: traces to predict where no MPI program is at hand.

pub mod heat;
