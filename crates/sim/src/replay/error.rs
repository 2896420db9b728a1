//! Why a trace cannot be simulated.

use std::fmt;

/// Why a trace cannot be simulated.
#[derive(Debug)]
pub enum Error {
    /// The trace cannot be read, or its communicators do not fit together.
    Trace(panto_trace::Error),
    /// Parts of the trace are damaged.
    Damaged(String),
    /// Ranks of the program are not in the trace.
    Missing {
        /// The first of them.
        first: u32,
        /// How many.
        count: u32,
        /// How many ranks the program had.
        ranks: u32,
    },
    /// The record of a rank ends before the rank did.
    Incomplete {
        /// The rank.
        rank: u32,
        /// How many calls are there.
        calls: u64,
    },
    /// A call cannot be simulated.
    Call(Box<At>),
    /// The program would not fit in memory.
    TooLong {
        /// The rank at which that was seen.
        rank: u32,
    },
}

/// A call, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// The rank.
    pub rank: u32,
    /// The number of the call in the rank, from zero.
    pub position: u64,
    /// The function.
    pub call: String,
    /// What is wrong, and the remedy.
    pub what: String,
}

/// What this module answers.
pub type Result<T> = std::result::Result<T, Error>;

impl From<panto_trace::Error> for Error {
    fn from(error: panto_trace::Error) -> Self {
        Self::Trace(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trace(error) => error.fmt(f),
            Self::Damaged(what) => f.write_str(what),
            Self::Missing { first, count, ranks } => write!(
                f,
                "{count} of {ranks} ranks are missing, the first of them is rank {first}; all ranks of a run are needed to simulate it"
            ),
            Self::Incomplete { rank, calls } => write!(
                f,
                "rank {rank}: its record ends after {calls} calls, before the rank did (was the program killed?); trace the program again, or use --lenient, which simulates what is there if that fits together"
            ),
            Self::Call(at) => write!(f, "rank {}, call {} ({}): {}", at.rank, at.position, at.call, at.what),
            Self::TooLong { rank } => write!(
                f,
                "rank {rank}: its operations do not fit in memory when collectives are expanded; simulate fewer ranks, or a shorter run"
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Trace(error) => Some(error),
            _ => None,
        }
    }
}
