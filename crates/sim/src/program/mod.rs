//! Programs: what all ranks do, independent of the machine.
//!
//! A program is made once, from a trace or by a generator, and run on many machines. Matching is
//! part of it: a *channel* carries messages from one rank to another in FIFO order, and the k-th
//! message of a channel matches its k-th receive. Messages that MPI tells apart by communicator or
//! tag are on different channels. Collectives are expanded into messages by whatever makes the
//! program, which therefore holds for one set of collective rules.
//!
//! What proceeds concurrently with a rank's calls, such as a non-blocking collective, is a
//! *helper*: an auxiliary rank on the same processor. The rank starts it, and learns of its end, by
//! messages that take no time ([`ChannelKind::Helper`]).

mod op;

pub use op::{MAX_SLOTS, Op, PackedOp, RemoteAccess};
pub use panto_calls::SendMode;

use panto_schedule::Collective;
use panto_units::Time;
use rustc_hash::FxHashMap;

/// What a channel's messages are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// Point-to-point messages.
    PointToPoint,
    /// Messages of a collective, which may have a network of its own.
    Collective(Collective),
    /// Signals between a rank and its helper: instantaneous and free.
    Helper,
}

/// Carries messages from one rank to another in FIFO order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Channel {
    /// The sender: a rank or helper.
    pub from: u32,
    /// The receiver: a rank or helper.
    pub to: u32,
    /// The communicator and tag, as a number on which all ranks agree. Those of one communicator
    /// are consecutive, so that a wildcard can name them as a range.
    pub match_key: u32,
    /// What it is for.
    pub kind: ChannelKind,
}

/// What a receive with wildcards accepts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wildcard {
    /// The sender, unless any is accepted.
    pub from: Option<u32>,
    /// The accepted communicators and tags, as in [`Channel::match_key`].
    pub match_keys: std::ops::Range<u32>,
}

/// The operations of one rank or helper.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Code {
    /// The main part, from the beginning to the first [`Op::End`], and the bodies of loops after
    /// it.
    pub ops: Vec<PackedOp>,
    /// Computation times for [`Op::ComputeListed`] and [`Op::CallListed`], in the order of their
    /// use.
    pub times: Vec<Time>,
    /// How many request slots it needs.
    pub slots: u32,
}

/// The operations of all ranks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The operations of each rank, followed by those of the helpers. A *code number*, an index of
    /// this list, names a rank or helper.
    pub codes: Vec<Code>,
    /// How many ranks the program has, without helpers.
    pub ranks: u32,
    /// The rank that each helper belongs to.
    pub helper_homes: Vec<u32>,
    /// All channels.
    pub channels: Vec<Channel>,
    /// What receives with wildcards accept.
    pub wildcards: Vec<Wildcard>,
    /// Names of called functions; more than once if they are distinguished by their call sites.
    pub calls: Vec<String>,
    /// The call site of each, where functions are distinguished by it; may be empty.
    pub call_sites: Vec<Option<String>>,
}

impl Code {
    /// Returns the number of operations that are executed, loops unrolled.
    pub fn operations(&self) -> u64 {
        self.operations_of_block(0, &mut FxHashMap::default())
    }

    /// Returns the number of operations from an index to the end of its block; blocks that are
    /// repeated in several places are counted once.
    fn operations_of_block(&self, at: u32, known: &mut FxHashMap<u32, u64>) -> u64 {
        if let Some(&operations) = known.get(&at) {
            return operations;
        }
        let mut sum: u64 = 0;
        for op in self.ops.get(at as usize..).unwrap_or_default() {
            let more = match op.unpack() {
                Op::Repeat { at, times } => self.operations_of_block(at, known).saturating_mul(times),
                Op::End => break,
                _ => 1,
            };
            sum = sum.saturating_add(more);
        }
        known.insert(at, sum);
        sum
    }
}

impl Program {
    /// Returns the number of operations that all ranks execute, loops unrolled.
    pub fn operations(&self) -> u64 {
        self.codes.iter().map(Code::operations).fold(0, u64::saturating_add)
    }

    /// Returns the rank on whose processor a rank or helper runs.
    #[inline]
    pub fn home(&self, rank: u32) -> u32 {
        rank.checked_sub(self.ranks).map_or(rank, |helper| self.helper_homes[helper as usize])
    }

    /// Returns whether a receive has a wildcard, so that matching depends on which message arrives
    /// first.
    pub fn has_wildcards(&self) -> bool {
        !self.wildcards.is_empty()
    }
}

impl ChannelKind {
    /// Returns the collective that its messages belong to; `None` for point-to-point messages and
    /// helpers.
    #[inline]
    pub fn operation(self) -> Option<Collective> {
        match self {
            Self::Collective(collective) => Some(collective),
            Self::PointToPoint | Self::Helper => None,
        }
    }
}
