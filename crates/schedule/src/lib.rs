//! Who talks to whom.
//!
//! A collective algorithm is a [`Schedule`]: for each rank an ordered list of [`Step`]s. Transports execute it with
//! real bytes, the simulator expands it with sizes only, kernels compare it with a library's own. There is never a
//! second copy of an algorithm.
//!
//! - [`schedule`] builds the steps of a [`Problem`] by an [`Algorithm`]; [`steps`] walks them lazily, so that a
//!   million ranks need no million lists.
//! - [`Plan`] is one rank's list, checked so thoroughly that an executor may trust its spans.
//! - [`rules`] chooses when nobody asked for an algorithm.
//! - [`mesh`] and [`hops`] answer who is next to whom and who is far away.
//! - [`check`] runs all ranks on symbolic data with synchronous sends, for tests here and in other crates.
//!
//! This crate does no I/O, knows no transport and counts in elements, never in bytes (but for the rules).
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
pub mod check;
mod collective;
mod error;
mod fold;
pub mod hops;
mod inflight;
mod layout;
mod lazy;
pub mod mesh;
mod plan;
mod problem;
mod registry;
pub mod rules;
mod step;
mod tree;
mod uneven;

pub use algorithm::Algorithm;
pub use collective::Collective;
pub use error::{Error, Fault};
pub use hops::HopShape;
pub use lazy::{Schedule, steps};
pub use mesh::{Mesh, Neighbours};
pub use plan::{Plan, Sizes};
pub use problem::Problem;
pub use registry::{algorithms, schedule};
pub use step::{Buffer, Order, Span, Step};
pub use uneven::{Uneven, UnevenProblem, starts};
