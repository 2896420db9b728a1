//! A traced run as it was measured, as a timeline: what each rank did when, by the wall clock.
//!
//! A trace with stamps (`panto trace --stamps`) has the moments of all calls. Here they become
//! states, and sends and receives become messages:
//!
//! - *Time* begins when `MPI_Init` returns and ends when `MPI_Finalize` is called. Each rank's
//!   moments are moved to the clock of its host, which all ranks of a host share.
//! - *Messages.* The k-th send of a channel (sender, receiver, communicator, tag) meets its k-th
//!   receive. A message is sent when the call begins that sends it, and received when the call ends
//!   that completes its receive. When it arrived in between, no trace knows.
//! - *Waits.* A call waits until that happened without which it cannot end: the send of the message
//!   that it receives (late sender), the receive of the message that it sends (late receiver), the
//!   entry of the last rank into a barrier, of the root into a broadcast, of the last rank into a
//!   reduction at its root. What remains of the call is its own work.
//!
//! Of any timeline, measured or predicted, [`WaitStates`] tells where ranks waited for whom, and of
//! any two, [`Differences`] tells in which functions their times differ.
//!
//! Ranks are read side by side in the order of time, so memory is needed for messages in flight and
//! not for all. Cost: a few hundred nanoseconds for each call.
#![forbid(unsafe_code)]

mod begin;
mod clock;
mod collectives;
mod differences;
mod error;
mod hosts;
mod needs;
mod rank;
mod requests;
mod transfers;
mod wait_states;
mod walk;
mod write;

pub use differences::{CompareError, Difference, Differences, Spent};
pub use error::{Error, Result};
pub use wait_states::{Wait, WaitCounter, WaitKind, WaitState, WaitStates};

use std::path::Path;

use panto_timeline::WriteSummary;
use panto_trace::Trace;
use panto_units::Time;

/// What was written, and how far it can be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredRun {
    /// The states and messages of the timeline.
    pub written: WriteSummary,
    /// What did not fit, and how well the clocks agree.
    pub doubts: Doubts,
}

/// What a measured timeline does not show as it was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Doubts {
    /// Messages that were received before they were sent, because clocks of hosts disagree or calls
    /// of threads overlap. They are drawn as if sent when they were received.
    pub reversed: u64,
    /// The most by which one was received too early.
    pub worst: Time,
    /// Messages that one rank sent or received, and whose other end is not in the trace.
    pub unmatched: u64,
    /// Operations whose partner or request the trace does not name.
    pub unknown: u64,
    /// Whether several threads of a rank called MPI. Calls that overlap are recorded one after the
    /// other.
    pub has_threads: bool,
    /// The number of hosts, whose clocks may disagree.
    pub hosts: usize,
    /// How well the clocks of hosts are known to agree: half of the shortest round trip between
    /// them. None if there is one host, or if hosts did not exchange messages in both directions.
    pub host_error: Option<Time>,
    /// Time between calls in which ranks had no core, of all ranks together.
    pub without_core: Time,
    /// Time between calls, of all ranks together.
    pub between_calls: Time,
}

/// Writes the timeline of a trace with stamps.
pub fn write(trace: &Trace, path: &Path) -> Result<MeasuredRun> {
    write::write(trace, path)
}
