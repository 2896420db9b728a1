//! From traces of a few ranks to a trace of many.
//!
//! Ranks of a program execute the same code, and so do runs with different numbers of ranks. From
//! traces of two or more sizes the program is recovered: loops are found in the calls of each rank
//! (`fold`), the ranks of all traces are aligned (`align`), and for each call there is a rule
//! for who executes it (`who`), with which partner (`partner`), how often and with how many
//! bytes (`series`, `number`), and how its computation grows (`growth`). The program can then
//! be executed with any number of ranks (`generate`).
//!
//! The idea is that of `ScalaTrace` and `ScalaExtrap` (Wu and Mueller, `PPoPP` 2011), and of
//! Extra-P for computation. Here rules must give exactly what all traces show, or there is an
//! error that names the call; only computation is fitted.
//!
//! Absent: MPI, simulation, printing. The crate reads and writes traces.
#![forbid(unsafe_code)]

mod align;
mod call;
mod comms;
mod computation;
mod cost;
mod error;
mod fold;
mod generate;
mod grid;
mod growth;
mod learn;
mod lists;
mod moving;
mod number;
mod observe;
mod outline;
mod over_partners;
mod panels;
mod partner;
mod program;
mod read;
mod series;
mod tree;
mod trees;
mod who;
mod workers;

use std::path::Path;

use panto_trace::Trace;

pub use error::{Error, Result};
pub use generate::{MOST_RANKS, Written};
pub use growth::Growth;
pub use outline::Line;
pub use program::Program;

impl Program {
    /// Recovers the program from traces of different numbers of ranks. `lenient` allows rules for
    /// numbers that only come near what the traces show; they are listed in
    /// [`approximate`](Self::approximate).
    pub fn learn(traces: &[Trace], lenient: bool) -> Result<Self> {
        learn::learn(traces, lenient)
    }

    /// Writes the trace of a run with this number of ranks.
    pub fn write(&self, ranks: u32, target: &Path) -> Result<Written> {
        generate::write(self, ranks, target)
    }

    /// Returns the calls and loops with their rules, one for each line.
    pub fn outline(&self) -> Vec<Line> {
        outline::outline(self)
    }
}
