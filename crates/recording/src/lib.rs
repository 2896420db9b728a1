//! What the tracer knows of a rank, without MPI.
//!
//! A trace must not contain anything of an MPI library's own: handles, constants and addresses are
//! different in each library and in each run. This crate turns handles into numbers of the trace:
//! communicators ([`Comms`]) and datatypes ([`Types`]) are numbered in the order of their
//! definition, requests ([`Requests`]) by the lowest free slot, so that a loop of the program
//! repeats itself in the trace. It also decides what 64-bit counts become for a library that has
//! 32-bit counts only ([`narrow`]), and when a block that is not full is written ([`block_age`]).
//!
//! The crate calls no MPI function. What a library has to say of a handle is asked through the
//! trait [`Library`], which the tracer implements and tests replace. The tracer itself cannot have
//! unit tests: it exports `MPI_X`, so its functions would replace those of the test program.

#![forbid(unsafe_code)]

mod block_age;
mod comms;
mod library;
pub mod narrow;
mod persistent;
mod requests;
mod types;
mod windows_and_files;

pub use block_age::block_age;
pub use comms::{CommInfo, Comms, Creators, Origin};
pub use library::Library;
pub use persistent::PersistentCalls;
pub use requests::{Request, Requests};
pub use types::{TypeInfo, Types};
pub use windows_and_files::{ObjectInfo, WindowsAndFiles};
