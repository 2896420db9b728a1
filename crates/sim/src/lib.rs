//! Simulation of ranks that pass messages on a modelled machine, in virtual time.
//!
//! A [`Program`](program::Program) says what ranks do; [`replay`] makes one from a trace.
//! [`run`](run()) runs it on one of three engines: [`ahead`], which needs no order of time,
//! [`ordered`], which drives the time-ordered [`Engine`] and its [`network`], or [`interrupts`],
//! whose processors handle messages when they arrive. [`batch`] runs one program on several
//! machines at once. An [`Observer`](observe::Observer) sees what happens, and [`results`] adds it
//! up.
//!
//! The engines know ranks, messages and time. They know neither what ranks compute nor the bytes
//! that they send. Time is counted in whole picoseconds, and every run of the same program gives
//! the same times.
//!
//! Codes such as P12 in comments are requirements: rows of `docs/conformance.md`.
#![forbid(unsafe_code)]

pub mod ahead;
pub mod batch;
mod config;
pub mod costs;
mod engine;
mod error;
mod expand;
pub mod interrupts;
mod memo;
pub mod network;
pub mod observe;
pub mod ordered;
pub mod program;
mod radix_heap;
pub mod replay;
pub mod results;
mod run;
mod slab;

pub use config::{ComputeScale, Noise, RunConfig};
pub use engine::{
    BlockedOn, ChannelId, Completion, Delivery, Engine, Envelope, MatchSpec, MessageId, MessageInfo,
    MessageTimes, Placement, RequestId, Selector, SendProtocol, SendWait, SpaceWait, share_processors,
};
pub use error::{Awaited, BlockedRank, Deadlock, MAX_REPORTED_RANKS, RunError};
pub use expand::{Expansion, ExpansionError};
pub use panto_machine::Sharing;
pub use run::{EngineChoice, OrderReason, choose_engine, run, run_on};
