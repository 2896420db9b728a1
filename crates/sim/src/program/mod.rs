//! What ranks do, whatever machine they run on.
//!
//! A program is made once, from a trace or by a generator, and run on many machines. Matching is part of it: a *channel* carries messages from
//! one rank to another, first in first out, and the k-th message of a channel meets its k-th receive. Two messages that MPI tells apart (by
//! communicator or tag) are on different channels. Collectives are messages, too: whoever makes the program expands them, and so it holds
//! for the rules by which that was done.
//!
//! What goes on beside a rank's calls, such as a non-blocking collective, is a *helper*: a rank of its own on the same processor, which is
//! told to begin and says when it is done by messages that take no time ([`Lane::Aside`]).

mod op;

pub use op::{Act, MOST_SLOTS, Op, Sending, Way};

use panto_schedule::Collective;
use panto_units::Time;

/// What a channel's messages are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Messages between two ranks.
    Message,
    /// Messages of a collective, which may have a network of its own.
    Collective(Collective),
    /// Inside of a processor, at once and for nothing.
    Aside,
}

/// Carries messages from one rank to another, first in first out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// The communicator and tag, as a number which all ranks agree on. Those of one communicator are neighbours, so that a pick can name
    /// them by the first and the last.
    pub class: u32,
    /// What it is for.
    pub lane: Lane,
}

/// What a receive with wild cards accepts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pick {
    /// The sender, if it must be this one.
    pub from: Option<u32>,
    /// These communicators and tags.
    pub classes: std::ops::Range<u32>,
}

/// What one rank does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Code {
    /// Operations: the main part from the beginning to the first [`Act::End`], and what is repeated.
    pub ops: Vec<Op>,
    /// Times of computation for [`Act::ComputeListed`] and [`Act::CallListed`], in their order.
    pub times: Vec<Time>,
    /// How many places for requests it needs.
    pub slots: u32,
}

/// What all ranks do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// One for each rank, then those of helpers.
    pub codes: Vec<Code>,
    /// How many ranks the program has, without helpers.
    pub ranks: u32,
    /// The rank beside which each helper works.
    pub helps: Vec<u32>,
    /// All channels.
    pub channels: Vec<Channel>,
    /// What receives with wild cards accept.
    pub picks: Vec<Pick>,
    /// Names of functions.
    pub calls: Vec<String>,
}

impl Program {
    /// The rank on whose processor a rank or helper runs.
    #[inline]
    pub fn home(&self, rank: u32) -> u32 {
        rank.checked_sub(self.ranks).map_or(rank, |helper| self.helps[helper as usize])
    }

    /// Does something in it depend on who comes first?
    pub fn has_picks(&self) -> bool {
        !self.picks.is_empty()
    }
}

impl Lane {
    /// The collective that its messages belong to.
    #[inline]
    pub fn operation(self) -> Option<Collective> {
        match self {
            Self::Collective(collective) => Some(collective),
            Self::Message | Self::Aside => None,
        }
    }
}
