//! What the tests, benchmarks and examples of several crates share. No production code depends on
//! it.
//!
//! - `fuzz`: damaged inputs for readers, with limits of time and memory.
//! - `hosts`: a small network of simulated hosts, in network namespaces of this machine.
//! - `jobs`: MPI jobs on every MPI that is installed, with time limits; user-supplied collectives
//!   to compile.
//! - `halo`, `stencil`, `irregular`, `patterns`, `records`: a timeline, two traces, programs for
//!   the simulator, and results, each generated.
//! - `smpirun`: `SimGrid`'s replay of the same traces.
#![forbid(unsafe_code)]
#![allow(clippy::missing_panics_doc, reason = "a test helper fails by panicking")]

#[cfg(feature = "fuzz")]
pub mod fuzz;
#[cfg(feature = "timeline")]
pub mod halo;
pub mod hosts;
#[cfg(feature = "trace")]
pub mod irregular;
#[cfg(feature = "jobs")]
pub mod jobs;
#[cfg(feature = "sim")]
pub mod patterns;
#[cfg(feature = "results")]
pub mod records;
pub mod smpirun;
#[cfg(feature = "trace")]
pub mod stencil;
