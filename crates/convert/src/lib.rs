//! Import and export of foreign trace and timeline formats.
//!
//! - [`goal`]: schedules of `LogGOPSim`, as text and binary; import, and export as text.
//! - [`ti`]: time-independent traces of `SimGrid`; import and export.
//! - [`otf2`]: archives of Score-P; import of their MPI events, and export of timelines.
//! - [`program`]: traces, and what the three above import, opened alike.
//! - [`picl`], [`perfetto`], [`paraver`], [`paje`], [`csv`]: timelines for other viewers; export.
//!
//! What a format cannot express is an error with its position, or is counted in the notes of the
//! result; nothing is dropped silently.
//!
//! The code P15 in comments is a requirement, a row of `docs/conformance.md`.
#![forbid(unsafe_code)]

pub mod csv;
mod error;
pub mod goal;
mod in_flight;
pub mod otf2;
mod output;
pub mod paje;
pub mod paraver;
pub mod perfetto;
pub mod picl;
pub mod program;
mod stream;
mod text;
pub mod ti;
mod timeline_events;

pub use error::{Error, Result};

/// Summary of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportSummary {
    /// Number of ranks of the new trace.
    pub ranks: u32,
    /// Number of calls of all ranks.
    pub calls: u64,
    /// What differs from the original, as text with counts.
    pub notes: Vec<String>,
}

/// Summary of an export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportSummary {
    /// Number of ranks written.
    pub ranks: u32,
    /// Number of operations, actions or records written.
    pub operations: u64,
    /// What differs from the original, as text with counts.
    pub notes: Vec<String>,
}
