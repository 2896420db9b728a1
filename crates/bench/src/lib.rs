//! The measuring loop, sweeps, result files and the suites of kernels.
//!
//! A [`Kernel`] is a pattern that is measured; [`run`] measures kernels over all their points on any world and
//! hands each [`results::Record`] to an [`Observer`] as soon as it is there.

#![forbid(unsafe_code)]

pub mod against;
pub mod calibrate;
pub mod classic;
pub mod cm5;
mod comet;
pub mod contest;
mod decision;
mod error;
mod findings;
mod kernel;
pub mod measure;
mod memory;
mod pattern;
mod point;
pub mod reproduce;
pub mod results;
mod run;
pub mod scenario;
mod separation;
mod settings;
mod sizes;
pub mod swap;
mod sweep;

pub use decision::decide;
pub use error::{Error, Kind, Result};
pub use findings::{Beside, Finding, Gain, Range, Share, Unit, beside, findings, overlap_gain};
pub use kernel::{About, Kernel, Pattern};
pub use panto_transport::Distance;
pub use point::{Point, Value, duration, param};
pub use run::{Observer, fits, run, runnable};
pub use separation::Separation;
pub use settings::{Effort, Settings};
pub use sizes::{default_sizes, message_sizes, rank_counts};
pub use sweep::{parse_counts, parse_sizes};
