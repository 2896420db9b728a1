//! The functions of MPI as tables: each with its prototype and with what a call of it records.
//!
//! A line names the function's arguments, in their order; each is a word. Behind the arrow stands
//! what is recorded; `before` reads what the call would overwrite, or prepares statuses. Arguments
//! that neither uses are only passed on. Prototypes are those of MPI 5.0 and, where they differ, of
//! earlier versions.
//!
//! # Safety
//! The `unsafe` functions of these modules read memory of the program by the addresses that it
//! passed to MPI. Their callers are lines of the tables. They promise two things:
//!
//! - an address is that of the MPI function's argument of the same meaning, in a call that the
//!   program makes now: a list has as many entries as the count or the communicator of the call
//!   demands, and handles, statuses and texts are valid, because MPI reads or writes them, too;
//! - what MPI writes (a new handle, a flag, a status) is read only after the call has succeeded.
//!
//! Nothing is written to the program's memory, and no address is kept longer than the call.
#![allow(unsafe_op_in_unsafe_fn, reason = "the promise is the same for all of them, and stated once")]

mod collective;
mod comm;
mod complete;
mod file;
mod onesided;
mod point;
mod program;
mod region;
