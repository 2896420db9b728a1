//! Replay: turns a trace of MPI calls into a [`Program`] that runs on any machine (P3 to P6, P12).
//!
//! This is trace-driven simulation in the manner of PUPPET, Dimemas and LogGOPSim: computation is
//! taken from the trace, communication from the model. Each rank's calls become operations on
//! channels:
//!
//! - *Matching.* Messages with the same sender, receiver, communicator and tag form a channel, and
//!   the k-th send matches the k-th receive, as MPI's non-overtaking rule demands. A receive with
//!   wildcards gets the message that it got in the traced run, or becomes a
//!   [`Wildcard`](crate::program::Wildcard) that the simulation decides ([`Wildcards`]).
//! - *Requests.* Non-blocking, persistent and partitioned operations become starts and waits on
//!   slots.
//! - *Collectives* are expanded into messages by the algorithms that the machine's rules choose; so
//!   a program is valid for machines with the same rules. Non-blocking ones are carried out by
//!   helpers beside their ranks.
//! - *Loops* are found and stored once, so a program is as long as its trace's distinct parts.
//!
//! Ranks are read one after the other; what they must agree on is checked against the ranks read
//! before. Threads read parts of the ranks, which are joined to the same program.
//!
//! [`Online`] does the same for calls that become known while the program runs.
//!
//! A trace whose ranks end too early, because they were killed, is read twice: first to find its
//! last consistent [`Cut`], then up to there.
//!
//! *Invariant*: no call is ignored silently. What cannot be simulated is an [`Error`] with rank,
//! position and function, or, with `--lenient`, a counted [`Warning`]. What the result assumes is
//! part of it.

mod agreement;
mod call_times;
mod call_traits;
mod channel_join;
mod channels;
mod code_builder;
mod collective;
mod collective_call;
mod consistency;
mod context;
mod cut;
mod direct;
mod early_starts;
mod error;
mod loops;
mod one_sided;
mod online;
mod participants;
mod parts;
mod persistent;
mod point_to_point;
mod rank_reader;
mod repetition;
mod requests;
mod scheduled;
mod slot_allocator;
mod suspended_rank;
mod tags;
mod unsupported;

pub use cut::Cut;
pub use error::{CallError, Error, Result};
pub use online::{Inquiry, Online, OnlineError};
pub use panto_calls::{Matched, Reply, TestKind};

use std::fmt;

/// Assumptions about outcomes that a trace repeats although they depend on time. They do not hold
/// for a trace whose own times are replayed.
pub const REPEATED_OUTCOMES: [&str; 2] = [rank_reader::OUTCOMES, point_to_point::RECORDED];

use panto_machine::Machine;
use panto_trace::{RankTrace, Trace, World, key, stopped};
use panto_units::Time;

use crate::program::{Code, Program};
use context::Notes;
use parts::{Input, Part};

/// Which messages receives with wildcards match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wildcards {
    /// Those of the traced run.
    #[default]
    Recorded,
    /// Those that arrive first in the simulation.
    Rematch,
}

/// How a trace is interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Which messages receives with wildcards match.
    pub wildcards: Wildcards,
    /// Whether calls that cannot be simulated are skipped and counted, as far as the rest is
    /// consistent without them.
    pub lenient: bool,
    /// Whether functions are told apart by their call sites: for timelines.
    pub call_sites: bool,
}

/// Something that was skipped or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The text.
    pub message: String,
    /// The number of occurrences.
    pub count: u64,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = if self.count == 1 { "once".to_owned() } else { format!("{} times", self.count) };
        write!(f, "{} ({times})", self.message)
    }
}

/// The program of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The operations of all ranks.
    pub program: Program,
    /// The assumptions under which it holds.
    pub assumptions: Vec<String>,
    /// What was skipped or changed.
    pub warnings: Vec<Warning>,
    /// How much of the trace it is, if ranks end too early.
    pub cut: Option<Cut>,
    /// The total computation of each rank, on the traced machine.
    pub computation: Vec<Time>,
}

impl Replay {
    /// Returns what of the trace is not simulated: first the calls at the ends of ranks, then what
    /// was skipped or changed.
    pub fn left_out(&self) -> Vec<String> {
        let cut = self.cut.iter().map(ToString::to_string);
        cut.chain(self.warnings.iter().map(ToString::to_string)).collect()
    }
}

/// Turns a trace into a program, with collectives expanded by the rules of a machine.
pub fn program(trace: &Trace, machine: &Machine, options: &Options) -> Result<Replay> {
    program_on(trace, machine, options, 1)
}

/// Turns a trace into a program, like [`program`], on up to `threads` threads. Ranks execute the
/// same operations whatever the number of threads.
pub fn program_on(trace: &Trace, machine: &Machine, options: &Options, threads: usize) -> Result<Replay> {
    let mut notes = Notes::default();
    let incomplete = check_completeness(trace, *options, &mut notes)?;
    let world = if incomplete.is_some() { World::of_incomplete(trace) } else { World::new(trace) }?;
    let mut input = Input { trace, machine, options: *options, world: &world, cut: None };
    let cut = incomplete.map(|rank| input.find_cut(rank)).transpose()?;
    input.cut = cut.as_ref();
    let Part { mut context, mut codes, helper_codes, computation } = Part::read_all(input, threads)?;
    context.notes.merge(notes);
    codes.resize_with(codes.len() + context.helpers.homes().len(), Code::default);
    for (number, code) in helper_codes {
        codes[number as usize] = code;
    }
    consistency::check(&mut context, trace, &mut codes)?;
    let (channels, wildcards) = context.channels.finish();
    let (assumptions, warnings) = context.notes.finish();
    let helper_homes = context.helpers.homes().to_vec();
    let (calls, call_sites) = context.calls.into_names(&trace.places());
    let ranks = trace.size();
    let program = Program { codes, ranks, helper_homes, channels, wildcards, calls, call_sites };
    Ok(Replay { program, assumptions, warnings, cut, computation })
}

/// Checks that the trace has every rank, without damage. Returns the first that ends too early.
fn check_completeness(trace: &Trace, options: Options, notes: &mut Notes) -> Result<Option<u32>> {
    if let Some(first) = trace.missing().get(0) {
        let count = trace.missing().len();
        return Err(Error::Missing { first, count, ranks: trace.size() });
    }
    for damage in trace.damage() {
        if !options.lenient {
            return Err(Error::Damaged(damage));
        }
        notes.warn(format!("{damage}; what follows is skipped"));
    }
    let is_aborted = |rank: &RankTrace| rank.metadata().get(key::STOPPED) == Some(stopped::ABORTED);
    let mut ranks = trace.ranks().iter();
    Ok(ranks.find(|rank| !rank.is_complete() && !is_aborted(rank)).map(RankTrace::rank))
}
