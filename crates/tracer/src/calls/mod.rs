//! The functions of MPI, as tables: prototype, and what a call means.
//!
//! A prototype is the list of its arguments. The names of those that matter are used in what follows the arrow, or in what is looked at
//! before the call; the others are passed on. Prototypes are those of MPI 5.0 and, where there is a difference, of earlier versions.

mod collective;
mod comm;
mod complete;
mod file;
mod onesided;
mod point;
mod program;
