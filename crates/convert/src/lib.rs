//! Traces of other programs become Panto's, and Panto's traces and timelines become theirs.
//!
//! - [`goal`]: schedules of `LogGOPSim`, as text.
//! - [`ti`]: time-independent traces of `SimGrid`.
//! - [`picl`], [`perfetto`], [`paraver`], [`paje`], [`csv`]: timelines, for those who look at them elsewhere.
//!
//! What a format cannot say is an error that names where it stands, or is counted in the answer; nothing is left out in silence.
#![forbid(unsafe_code)]

pub mod csv;
mod error;
pub mod goal;
mod moments;
mod output;
pub mod paje;
pub mod paraver;
pub mod perfetto;
pub mod picl;
mod stream;
mod text;
pub mod ti;
mod underway;

pub use error::{Error, Result};

/// What became of a foreign trace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Ranks of the new trace.
    pub ranks: u32,
    /// Their calls.
    pub calls: u64,
    /// What is not as it was, in words, with how often.
    pub notes: Vec<String>,
}

/// What became of a trace or a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    /// Ranks that were written.
    pub ranks: u32,
    /// Operations, actions or records that were written.
    pub operations: u64,
    /// What is not as it was, in words, with how often.
    pub notes: Vec<String>,
}
