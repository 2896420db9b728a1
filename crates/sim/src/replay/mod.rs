//! From what a program did to what its ranks do on any machine: a trace becomes a [`Program`].
//!
//! Every recorded call has its meaning here (P3 to P6, P12). Ranks are read one after the other. A rank's calls become operations on
//! channels; collectives become messages by the machine's rules, so the program holds for machines with the same rules; non-blocking
//! collectives are carried out by helpers. What repeats itself is kept once.
//!
//! Nothing is left out in silence: what cannot be simulated is an [`Error`] that names rank, call and position, or a counted [`Warning`]
//! for those who are lenient. What the result assumes is said with it.

mod agreed;
mod channels;
mod check;
mod code;
mod collective;
mod comms;
mod direct;
mod early;
mod error;
mod fold;
mod lack;
mod names;
mod operation;
mod persistent;
mod point;
mod rank;
mod remote;
mod requests;
mod scheduled;
mod shared;
mod slots;
mod team;

pub use error::{At, Error, Result};

use std::fmt;

use panto_machine::Machine;
use panto_trace::{RankTrace, Trace, World, key};
use panto_units::Time;

use crate::program::{Code, Program};
use agreed::Agreed;
use channels::Channels;
use rank::Walk;
use shared::{Calls, Helpers, Notes, Shared};

/// What receives with wild cards get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wildcards {
    /// What they got in the traced run.
    #[default]
    Recorded,
    /// What comes first in the simulation.
    Rematch,
}

/// How a trace is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// What receives with wild cards get.
    pub wildcards: Wildcards,
    /// What cannot be simulated is left out and counted, as far as the rest makes sense without it.
    pub lenient: bool,
}

/// Something that was left out or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What.
    pub what: String,
    /// How often.
    pub count: u64,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = if self.count == 1 { "once".to_owned() } else { format!("{} times", self.count) };
        write!(f, "{} ({times})", self.what)
    }
}

/// A trace as a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// What its ranks do.
    pub program: Program,
    /// What this assumes.
    pub assumptions: Vec<String>,
    /// What was left out or changed.
    pub warnings: Vec<Warning>,
    /// What each rank computed in all, where it was traced.
    pub computation: Vec<Time>,
}

/// Makes a program of a trace, with collectives by the rules of a machine.
pub fn program(trace: &Trace, machine: &Machine, options: &Options) -> Result<Replay> {
    let mut notes = Notes::default();
    check_outline(trace, *options, &mut notes)?;
    let mut shared = Shared {
        machine,
        options: *options,
        world: World::new(trace)?,
        channels: Channels::default(),
        agreed: Agreed::default(),
        helpers: Helpers::new(trace.size()),
        calls: Calls::default(),
        notes,
        operations: 0,
    };
    let mut codes = Vec::new();
    let mut helping: Vec<(u32, Code)> = Vec::new();
    let mut computation = Vec::new();
    for rank in trace.ranks() {
        let read = Walk::read(&mut shared, rank)?;
        codes.push(read.code);
        helping.extend(read.helpers);
        computation.push(read.computation);
    }
    codes.resize_with(codes.len() + shared.helpers.homes().len(), Code::default);
    for (number, code) in helping {
        codes[number as usize] = code;
    }
    check::check(&mut shared, trace, &mut codes)?;
    let (channels, picks) = shared.channels.finish();
    let (assumptions, warnings) = shared.notes.finish();
    let helps = shared.helpers.homes().to_vec();
    let calls = shared.calls.into_names();
    let program = Program { codes, ranks: trace.size(), helps, channels, picks, calls };
    Ok(Replay { program, assumptions, warnings, computation })
}

/// Is every rank here, to its end?
fn check_outline(trace: &Trace, options: Options, notes: &mut Notes) -> Result<()> {
    if let Some(first) = trace.missing().get(0) {
        let count = trace.missing().len();
        return Err(Error::Missing { first, count, ranks: trace.size() });
    }
    for damage in trace.damage() {
        if !options.lenient {
            return Err(Error::Damaged(damage));
        }
        notes.warn(format!("{damage}; what follows is left out"));
    }
    for rank in trace.ranks().iter().filter(|rank| !rank.is_complete() && !is_aborted(rank)) {
        if !options.lenient {
            return Err(Error::Incomplete { rank: rank.rank(), calls: rank.events_count() });
        }
        notes.warn("the record of a rank ends before the rank did".to_owned());
    }
    Ok(())
}

/// Did the rank end itself, and the program with it?
fn is_aborted(rank: &RankTrace) -> bool {
    rank.facts().get(key::STOPPED) == Some("MPI_Abort")
}
