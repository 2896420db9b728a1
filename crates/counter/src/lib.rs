//! Counts the instructions that a thread retires, and turns counts into time.
//!
//! CPU time is disturbed by neighbours: they evict caches, share execution units, and a hypervisor
//! charges the time that it took. The number of instructions between two calls is not: it is a
//! property of the program and its input. Simulators of message passing have long measured
//! computation that way, by augmented code or by counters (PUPPET's thesis names both).
//!
//! A [`Counter`] is an event of the kernel's performance monitoring for one thread, in user mode.
//! A [`Rate`] is how many of these events a thread makes in a nanosecond, which it learns from the
//! program itself. A [`BlockCounter`] is both: it measures blocks of computation. Where the kernel
//! does not count, a [`Refusal`] says why and what can be done.
//!
//! Cost: a system call at the beginning and one at the end of each block.
#![cfg(target_os = "linux")]

mod block;
mod counter;
mod rate;
mod refusal;

pub use block::{Block, BlockCounter};
pub use counter::{Counter, Event};
pub use rate::{CALIBRATION_NS, Rate};
pub use refusal::Refusal;
