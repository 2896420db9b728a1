//! What is in a trace, in numbers: one pass over all events, in memory that does not grow with them.

mod blocks;
mod gather;
mod meaning;
mod partners;
mod scan;

pub use blocks::{Blocks, Decade};
pub use partners::Grid;

use crate::field::Pattern;
use crate::ranks::Ranks;

/// What is in a trace.
#[derive(Debug, Default)]
pub struct Summary {
    /// The ranks that the program had.
    pub size: u32,
    /// The ranks that are here.
    pub ranks: Vec<RankSummary>,
    /// Functions, the most called first.
    pub functions: Vec<Function>,
    /// Who sent to whom, by sender and receiver.
    pub pairs: Vec<Pair>,
    /// Collective operations, by pattern and number of ranks.
    pub collectives: Vec<Collectives>,
    /// The lengths of blocks of computation.
    pub blocks: Blocks,
    /// Does the trace have the wall clock of each call?
    pub has_stamps: bool,
    /// Ranks that are not here.
    pub missing: Ranks,
    /// What is wrong with the trace.
    pub damage: Vec<String>,
}

/// What one rank did. Times are in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RankSummary {
    /// The rank.
    pub rank: u32,
    /// Is it here to its end?
    pub is_complete: bool,
    /// Events: a call is one, a folded loop of polls is one, and so is the change to another thread.
    pub events: u64,
    /// Calls, folded ones too.
    pub calls: u64,
    /// Messages sent; those of persistent operations each time they were started.
    pub messages: u64,
    /// Their bytes.
    pub bytes_sent: u64,
    /// Collective operations.
    pub collectives: u64,
    /// What it gave to them.
    pub collective_bytes: u64,
    /// Computation, from `MPI_Init` to `MPI_Finalize`.
    pub computation: u64,
    /// CPU time before `MPI_Init`.
    pub start: u64,
    /// Polls that found nothing.
    pub polls: u64,
    /// Loops of such polls: each is one event.
    pub poll_loops: u64,
    /// Time between these polls, which is not computation.
    pub spun: u64,
    /// Threads that called MPI.
    pub threads: u32,
    /// Run time.
    pub wall: Option<u64>,
    /// How much longer it ran because it was traced.
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
    /// How often it was called, folded calls too.
    pub calls: u64,
    /// What these calls sent, gave or moved.
    pub bytes: u64,
    /// Wall clock inside them, if it was recorded, in nanoseconds.
    pub inside: u64,
}

/// Messages from one rank to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// How many.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Collective operations of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collectives {
    /// Which.
    pub pattern: Pattern,
    /// The ranks of the communicator.
    pub size: u32,
    /// Calls on all ranks: an operation counts once on each.
    pub calls: u64,
    /// What the ranks gave.
    pub bytes: u64,
}

impl Summary {
    /// A sum over all ranks.
    pub fn total(&self, part: impl Fn(&RankSummary) -> u64) -> u64 {
        self.ranks.iter().map(part).fold(0, u64::saturating_add)
    }

    /// The computation of the ranks, the least first.
    pub fn computations(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.ranks.iter().map(|rank| rank.computation).collect();
        all.sort_unstable();
        all
    }

    /// The run time of the rank that took longest.
    pub fn wall(&self) -> Option<u64> {
        self.ranks.iter().filter_map(|rank| rank.wall).max()
    }

    /// Is every rank here, to its end?
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.damage.is_empty() && self.ranks.iter().all(|rank| rank.is_complete)
    }

    /// Ranks that are here without their end.
    pub fn incomplete(&self) -> Ranks {
        self.ranks.iter().filter(|rank| !rank.is_complete).map(|rank| rank.rank).collect()
    }

    /// CPU time of threads that never called MPI, as a share of the computation. Above a few thousandths, computation is missing.
    pub fn other_threads_share(&self) -> f64 {
        let others = self.total(|rank| rank.other_threads.unwrap_or(0));
        let computation = self.total(|rank| rank.computation);
        if others == 0 { 0.0 } else { others as f64 / computation.max(1) as f64 }
    }
}
