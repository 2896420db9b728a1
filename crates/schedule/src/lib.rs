//! Communication patterns: collective algorithms as schedules, meshes, hop distances, selection
//! rules.
//!
//! A collective algorithm is a [`Schedule`]: for each rank an ordered list of [`Step`]s. Transports
//! execute it with real bytes, the simulator expands it with sizes only, kernels compare it with an
//! MPI library's own. Each algorithm is defined once.
//!
//! - [`schedule`] builds the steps of a [`Problem`] by an [`Algorithm`]; [`steps`] produces them
//!   lazily, so that a million ranks do not need a million lists.
//! - [`Plan`] is one rank's list, validated so that an executor may use its spans without further
//!   checks.
//! - [`rules`] selects an algorithm where the caller names none.
//! - [`mesh`] and [`hops`] give neighbours and distances.
//! - [`check`] runs all ranks on symbolic data with synchronous sends, for tests here and in other
//!   crates.
//!
//! This crate does no I/O, knows no transport and counts in elements, not bytes (except in the
//! rules).
//!
//! Codes such as C3 in comments are requirements: rows of `docs/conformance.md`.
//!
//! ```
//! use panto_schedule::{Algorithm, Collective, Problem, schedule, steps};
//!
//! let problem = Problem { collective: Collective::Broadcast, ranks: 1_000_000, root: 0, count: 4096 };
//! let broadcast = schedule(&problem, Algorithm::Binomial)?;
//! assert_eq!(steps(&*broadcast, 999_999).count(), 1);
//! # Ok::<(), panto_schedule::Error>(())
//! ```
#![forbid(unsafe_code)]

mod algorithm;
mod algorithms;
mod blocks;
pub mod check;
mod distance;
mod error;
mod fold;
pub mod hops;
mod in_flight;
mod layout;
pub mod mesh;
mod plan;
mod problem;
mod registry;
pub mod rules;
mod schedule;
mod step;
mod tree;

pub use algorithm::Algorithm;
pub use blocks::{BlockCollective, BlockProblem, starts};
pub use distance::Distance;
pub use error::{Error, Fault};
pub use hops::HopShape;
pub use mesh::{Mesh, Neighbours};
pub use panto_calls::Collective;
pub use plan::{Plan, Sizes};
pub use problem::Problem;
pub use registry::{algorithms, schedule};
pub use schedule::{Schedule, steps};
pub use step::{Buffer, Order, Span, Step};
