//! The timeline format, its writer and its reader: what happened when on each rank, simulated or
//! measured.
//!
//! A timeline has *states*, the intervals of a rank, and *messages* between ranks. Both are written
//! in blocks as they come, so a killed program leaves all but what was still in memory. An index at
//! the end finds the blocks of a time window and of some ranks. Ranks with neighbouring numbers
//! share the blocks of a *band*, so that a million ranks need not have a million blocks.
//! `docs/timelines.md` describes the layout byte by byte; `panto-container` has head, tail and
//! packing.
//!
//! Invariants: the states of a rank are in their order and do not overlap; nothing that a file says
//! makes a reader panic or allocate without bound. Cost: memory of a writer is bounded for any
//! number of ranks ([`MEMORY`]); reading a window reads the blocks that touch it.
//!
//! This crate knows no simulator and no MPI: states and messages are passed to a [`Writer`], and a
//! [`Timeline`] returns them.
#![forbid(unsafe_code)]

mod block;
mod codec;
mod error;
mod head;
mod index;
mod info;
#[cfg(test)]
mod malformed;
mod read;
mod record;
mod summary;
mod write;

pub use error::{Error, Result};
pub use head::VERSION;
pub use info::{MOST_NAMES, MOST_RANKS, TimelineInfo};
pub use read::{ALL_TIME, Timeline, Window};
pub use record::{Cause, Message, State, StateKind};
pub use summary::{RankSummary, Summary};
pub use write::{MEMORY, WriteSummary, Writer};
