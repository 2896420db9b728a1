//! The shared memory between a simulation and the processes that run in its virtual time.
//!
//! `panto run` has one [`Hub`], which simulates, and a [`RankEnd`] in each process of the job,
//! inside the preloaded library. They share one file, mapped into all of them:
//!
//! - *Messages* go from a rank to the hub through a ring of words with one producer and one
//!   consumer. A rank does not wait for the hub unless its ring is full, so it runs ahead of the
//!   simulation.
//! - *Replies* go back through a block of words for each rank. A rank has at most one question at
//!   a time, so one block is enough.
//!
//! Both sides spin for a moment, then sleep on a futex in the same memory; a sleeping side is woken
//! by a system call, and one that is awake costs the other nothing. The argument that no wake-up is
//! lost is in `futex`.
//!
//! *Invariant*: the memory holds words and bytes only, no addresses, and lengths from the other
//! side are checked, so a process that writes nonsense gets an error and breaks nothing.
//!
//! This crate knows neither MPI nor the simulator; the meaning of messages is in [`message`].
#![cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]

mod futex;
mod hub;
mod layout;
mod mapping;
pub mod message;
mod rank_end;

pub use hub::{Hub, WaitOutcome};
pub use layout::MAX_RANKS;
pub use rank_end::{Ended, RankEnd, Watch};
