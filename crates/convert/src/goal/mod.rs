//! GOAL, the schedules of `LogGOPSim`, as text.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//!     l1: calc 100
//!     l2: send 10b to 1 tag 3
//!     l2 requires l1
//! }
//! rank 1 {
//!     l1: recv 10b from 0 tag 3 cpu 0 nic 0
//! }
//! ```
//!
//! A schedule is a graph: operations without a dependency between them may go in any order. A trace has an order. [`read`] chooses one in
//! which everything that need not wait comes before anything that must, waits are for what has come, and otherwise that of the file;
//! `requires` becomes a wait.

mod graph;
mod lex;
mod line;
mod mail;
mod order;
mod parse;
mod read;
mod unroll;
mod write;

pub use read::read;
pub use write::write;

/// An operation of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// Computes, in nanoseconds.
    Calc(u64),
    /// Sends.
    Send { to: u32, bytes: u64, tag: u32 },
    /// Receives; nobody is anybody, no tag is any.
    Receive { from: Option<u32>, bytes: u64, tag: Option<u32> },
}

/// An operation and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Operation {
    what: What,
    line: u32,
}

/// One operation begins after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Need {
    /// This one
    of: u32,
    /// after that one
    on: u32,
    /// is complete, and not only started.
    complete: bool,
}

/// The schedule of a rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Block {
    rank: u32,
    operations: Vec<Operation>,
    needs: Vec<Need>,
}
