//! Programs with known communication: traces of a few ranks, extrapolated, must be the trace of
//! many ranks, call by call.

mod common;
mod programs;
mod roots;
mod trees;
mod workers;
