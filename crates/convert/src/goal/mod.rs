//! GOAL, the schedules of `LogGOPSim` (Hoefler, Siebert, Lumsdaine: "Group Operation Assembly
//! Language", ICPP 2009), as text, and in the binary form that `txt2bin` makes of it.
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

mod binary;
mod graph;
mod labels;
mod lex;
mod line;
mod matching;
mod order;
mod parse;
mod read;
mod text;
mod unroll;
mod word;
mod write;

pub use read::{read, read_file, read_on, recognises};
pub use write::write;

use graph::Graph;
use matching::Inbound;

/// Upper limit of operations per rank: bit 31 of an operation number is a flag in `graph` and
/// `order`.
const MAX_OPERATIONS: u32 = 1 << 31;

/// Upper limit of dependencies per rank, which `graph` numbers by 32 bits.
const MAX_DEPENDENCIES: usize = u32::MAX as usize;

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

/// An operation and the line that defines it, counted from its schedule's [`Origin`]; 0 in a binary
/// schedule.
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
    /// The predecessor, with the flag [`COMPLETE`](Self::COMPLETE).
    on: u32,
}

impl Dependency {
    /// Flag on the predecessor: it must be complete (`requires`) and not only started
    /// (`irequires`).
    const COMPLETE: u32 = 1 << 31;

    fn new(of: u32, on: u32, complete: bool) -> Self {
        Self { of, on: if complete { on | Self::COMPLETE } else { on } }
    }

    fn on(self) -> u32 {
        self.on & !Self::COMPLETE
    }

    fn is_complete(self) -> bool {
        self.on & Self::COMPLETE != 0
    }
}

/// The schedule of one rank.
#[derive(Debug)]
struct RankSchedule {
    rank: u32,
    operations: Vec<Operation>,
    graph: Graph,
    inbound: Inbound,
    origin: Origin,
}

impl RankSchedule {
    fn new(rank: u32, operations: Vec<Operation>, dependencies: &[Dependency], origin: Origin) -> Self {
        let mut graph = Graph::new(&operations, dependencies);
        let inbound = Inbound::new(&operations, |op, channel| graph.set_channel(op, channel));
        Self { rank, operations, graph, inbound, origin }
    }
}

/// Where in the file a schedule is, for error messages.
#[derive(Debug, Clone, Copy)]
enum Origin {
    /// Number of lines before the part of the text that contains it.
    Lines(usize),
    /// Offset of its first operation in a binary schedule.
    Bytes(usize),
}

/// The schedules of all ranks.
#[derive(Debug, Default)]
struct Schedules {
    /// By rank.
    ranks: Vec<RankSchedule>,
    /// Number of operations on another CPU than CPU 0 of their rank.
    on_other_cpus: u64,
}
