//! The measuring loop, sweeps and the suites of kernels.
//!
//! A [`Kernel`] is one benchmark pattern. [`run`] measures kernels over all their points on any
//! world and hands each [`Record`](panto_results::Record) to an [`Observer`] as soon as it is
//! complete.
//!
//! Codes such as C4 in comments are requirements: rows of `docs/conformance.md`.

#![forbid(unsafe_code)]

pub mod calibrate;
mod choices;
pub mod classic;
pub mod cm5;
pub mod comet;
mod decision;
mod error;
pub mod host;
mod kernel;
pub mod measure;
mod memory;
pub mod model_comparison;
pub mod options;
mod pattern;
mod run;
pub mod scenario;
mod settings;
mod sizes;
pub mod swap;
mod sweep;

pub use choices::can_choose;
pub use decision::decide;
pub use error::{Error, Kind, Result};
pub use kernel::{Kernel, Pattern};
pub use run::{Observer, fits, run, runnable};
pub use settings::{Effort, Settings, SharedLink, Storage};
pub use sizes::{default_sizes, message_sizes, rank_counts};
pub use sweep::{parse_counts, parse_sizes};
