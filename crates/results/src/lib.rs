//! Records of benchmark runs, and the results files that hold them.
//!
//! A results file is JSON Lines: a [`Manifest`] (how the run was measured), one [`Record`] per
//! point with all its samples, and a [`RunEnd`]. Each line is written with a single call, so that a
//! run that is killed loses at most the point it was measuring. Each line has the id of its launch
//! and a checksum, so that launches which append at the same time do not mix. `docs/results.md`
//! describes the format.
//!
//! A record names its kernel (one of [`kernel`]) and its [`Point`]: the number of ranks and
//! parameters by name ([`param`]). Parameters whose values have structure have a type here, such as
//! [`swap::Protocol`], that reads and writes them.
//!
//! This crate measures nothing and knows no transport. Keys of the format never change; new ones
//! are optional, so files of every earlier version can be read.
//!
//! Codes such as T6 in comments are requirements: rows of `docs/conformance.md`.

#![forbid(unsafe_code)]

pub mod cm5;
mod error;
mod finding;
pub mod kernel;
mod launch;
mod manifest;
mod placement;
mod point;
pub mod quality;
mod ranges;
mod read;
mod record;
mod samples;
pub mod scenario;
mod separation;
pub mod swap;
#[cfg(test)]
mod tests;
mod write;

pub use error::{Error, Result};
pub use finding::FindingKind;
pub use kernel::KernelInfo;
pub use manifest::{Manifest, MpiInfo, RunSettings, SimulatedMachine};
pub use panto_schedule::Distance;
pub use placement::{Host, RankPlacement};
pub use point::{Point, Value, duration, param, variant};
pub use ranges::Ranges;
pub use read::{Results, read, salvage};
pub use record::{Expected, Record, RunEnd};
pub use samples::{Clock, Metric, Samples, StopReason, SyncMethod};
pub use separation::Separation;
pub use write::{ExistingFile, Writer};

use serde::{Deserialize, Serialize};

/// The version of the format that is written, and the newest that is read.
pub const FORMAT: u32 = 1;

/// One line of a results file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Line {
    /// How the run was measured. Each launch in a file begins with a manifest.
    Manifest(Box<Manifest>),
    /// One point.
    Point(Box<Record>),
    /// How the run ended; absent if it was killed.
    End(RunEnd),
}
