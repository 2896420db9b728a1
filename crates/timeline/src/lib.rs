//! What happened when on each rank, simulated or measured: the timeline, its file format, its writer and its reader.
//!
//! A timeline has *states*, the intervals of a rank, and *messages* between ranks. Both are written in blocks as they come, so a killed
//! program leaves all but what was still in memory; an index at the end finds the blocks of a time window and of some ranks.
//! `docs/timelines.md` describes the layout.
//!
//! This crate knows no simulator and no MPI: [`Writer`] is told what happened, [`Timeline`] tells it again.
#![forbid(unsafe_code)]

mod about;
mod block;
mod codec;
mod error;
mod head;
#[cfg(test)]
mod hostile;
mod index;
mod read;
mod record;
mod summary;
mod varint;
mod write;

pub use about::{About, MOST_NAMES, MOST_RANKS};
pub use error::{Error, Result};
pub use head::VERSION;
pub use read::{EVER, Timeline, Window};
pub use record::{Cause, Message, State, What};
pub use summary::{RankSummary, Summary};
pub use write::{MEMORY, Writer, Written};
