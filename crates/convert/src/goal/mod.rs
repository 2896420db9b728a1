//! GOAL, the schedules of `LogGOPSim` (Hoefler, Siebert, Lumsdaine: "Group Operation Assembly
//! Language", ICPP 2009), as text.
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
//! A schedule is a graph: operations without a dependency between them may run in any order, while
//! a trace is a sequence. [`read`] chooses a sequence in which operations that need not wait
//! precede those that must, waits are for messages that have arrived, and ties follow the order of
//! the file; `requires` becomes a wait.

mod graph;
mod lex;
mod line;
mod matching;
mod order;
mod parse;
mod read;
mod unroll;
mod write;

pub use read::read;
pub use write::write;

/// Kind of an operation, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OperationKind {
    /// Computation, in nanoseconds.
    Calc(u64),
    /// A message sent.
    Send { to: u32, bytes: u64, tag: u32 },
    /// A message received; a source or tag of `None` is a wildcard.
    Receive { from: Option<u32>, bytes: u64, tag: Option<u32> },
}

/// An operation and the line of the file that defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Operation {
    kind: OperationKind,
    line: u32,
}

/// A dependency: operation `of` starts after operation `on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dependency {
    /// The successor.
    of: u32,
    /// The predecessor.
    on: u32,
    /// Whether `on` must be complete (`requires`) and not only started (`irequires`).
    complete: bool,
}

/// The schedule of one rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct RankSchedule {
    rank: u32,
    operations: Vec<Operation>,
    dependencies: Vec<Dependency>,
}
