//! Statistics of a trace: one pass over all events, in memory that does not grow with them.

mod blocks;
mod gather;
mod meaning;
mod partners;
mod regions;
mod scan;

pub use blocks::{Blocks, Decade};
pub use partners::Grid;
pub use regions::Region;

use crate::collective::CollectiveKind;
use crate::ranks::Ranks;

/// The statistics of a trace.
#[derive(Debug, Default)]
pub struct Summary {
    /// The number of ranks of the program.
    pub size: u32,
    /// The ranks that the trace has.
    pub ranks: Vec<RankSummary>,
    /// Functions, the most called first.
    pub functions: Vec<Function>,
    /// Call sites, if they were recorded, those with most time inside, or most calls, first.
    pub sites: Vec<SiteCalls>,
    /// Regions that the program named, each after the one that it is in.
    pub regions: Vec<Region>,
    /// Messages between pairs of ranks, by sender and receiver.
    pub pairs: Vec<Pair>,
    /// Collective operations, by kind and number of ranks.
    pub collectives: Vec<Collectives>,
    /// The lengths of blocks of computation.
    pub blocks: Blocks,
    /// Whether the trace has the wall clock of each call.
    pub has_stamps: bool,
    /// Ranks that the trace does not have.
    pub missing: Ranks,
    /// Damage of the trace.
    pub damage: Vec<String>,
}

/// The statistics of one rank. Times are in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RankSummary {
    /// The rank.
    pub rank: u32,
    /// Whether its stream is complete.
    pub is_complete: bool,
    /// The number of events: a call is one, a folded loop of polls is one, and so is a change to
    /// another thread.
    pub events: u64,
    /// The number of calls, with those of folded loops.
    pub calls: u64,
    /// Messages that were sent; those of persistent requests each time they were started.
    pub messages: u64,
    /// Bytes of these messages.
    pub bytes_sent: u64,
    /// The number of collective operations.
    pub collectives: u64,
    /// Bytes that it sent in them.
    pub collective_bytes: u64,
    /// Computation, from `MPI_Init` to `MPI_Finalize`.
    pub computation: u64,
    /// CPU time before `MPI_Init`.
    pub start: u64,
    /// Polls that found nothing.
    pub polls: u64,
    /// Loops of such polls, each of which is one event.
    pub poll_loops: u64,
    /// Time between these polls, which is not computation.
    pub spun: u64,
    /// The number of threads that called MPI.
    pub threads: u32,
    /// The run time.
    pub wall: Option<u64>,
    /// The estimated overhead of tracing.
    pub cost: Option<u64>,
    /// CPU time of threads that never called MPI.
    pub other_threads: Option<u64>,
    /// Why recording stopped early.
    pub stopped: Option<String>,
}

/// Calls of one function on all ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The number of calls, with those of folded loops.
    pub calls: u64,
    /// Bytes that these calls sent or moved.
    pub bytes: u64,
    /// Wall-clock time inside them, if it was recorded, in nanoseconds.
    pub inside: u64,
}

/// Calls of one function from one place in the program, on all ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteCalls {
    /// The place in the source, such as `solve (stencil.c:42)`, or an address.
    pub place: String,
    /// The function.
    pub function: String,
    /// The number of calls, with those of folded loops.
    pub calls: u64,
    /// Bytes that these calls sent or moved.
    pub bytes: u64,
    /// Computation before them, in nanoseconds.
    pub computation: u64,
    /// Wall-clock time inside them, if it was recorded, in nanoseconds.
    pub inside: u64,
}

/// Messages from one rank to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The number of messages.
    pub messages: u64,
    /// Bytes of these messages.
    pub bytes: u64,
}

/// Collective operations of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collectives {
    /// The operation.
    pub pattern: CollectiveKind,
    /// The number of ranks of the communicator.
    pub size: u32,
    /// Calls on all ranks: an operation counts once on each.
    pub calls: u64,
    /// Bytes that the ranks sent.
    pub bytes: u64,
}

impl Summary {
    /// Returns a sum over all ranks.
    pub fn total(&self, part: impl Fn(&RankSummary) -> u64) -> u64 {
        self.ranks.iter().map(part).fold(0, u64::saturating_add)
    }

    /// Returns the computation of the ranks, ascending, in nanoseconds.
    pub fn computations(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.ranks.iter().map(|rank| rank.computation).collect();
        all.sort_unstable();
        all
    }

    /// Returns the run time of the slowest rank, in nanoseconds.
    pub fn wall(&self) -> Option<u64> {
        self.ranks.iter().filter_map(|rank| rank.wall).max()
    }

    /// Returns whether the streams of all ranks are complete.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.damage.is_empty() && self.ranks.iter().all(|rank| rank.is_complete)
    }

    /// Returns the ranks whose streams are incomplete.
    pub fn incomplete(&self) -> Ranks {
        self.ranks.iter().filter(|rank| !rank.is_complete).map(|rank| rank.rank).collect()
    }

    /// Returns the CPU time of threads that never called MPI, as a share of the computation. Above
    /// a few thousandths, computation is missing from the trace.
    pub fn other_threads_share(&self) -> f64 {
        let others = self.total(|rank| rank.other_threads.unwrap_or(0));
        let computation = self.total(|rank| rank.computation);
        if others == 0 { 0.0 } else { others as f64 / computation.max(1) as f64 }
    }
}
