//! Why a trace cannot be simulated.

use std::fmt;

/// The reason why a trace cannot be simulated.
#[derive(Debug)]
pub enum Error {
    /// The trace cannot be read, or its communicators are inconsistent.
    Trace(panto_trace::Error),
    /// Parts of the trace are damaged.
    Damaged(String),
    /// Ranks of the program are not in the trace.
    Missing {
        /// The first of them.
        first: u32,
        /// The number of missing ranks.
        count: u32,
        /// The number of ranks of the program.
        ranks: u32,
    },
    /// A call cannot be simulated.
    Call(Box<CallError>),
    /// The program would not fit in memory.
    TooLong {
        /// The rank at which the limit was exceeded.
        rank: u32,
    },
}

/// An error about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    /// The rank.
    pub rank: u32,
    /// The number of the call in the rank, from 0.
    pub position: u64,
    /// The function.
    pub call: String,
    /// What is wrong, and what to do.
    pub message: String,
}

/// The result type of this module.
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
                "{count} of {ranks} ranks are missing, first rank {first}; a simulation needs all ranks of a run"
            ),
            Self::Call(error) => {
                let CallError { rank, position, call, message } = &**error;
                write!(f, "rank {rank}, call {position} ({call}): {message}")
            }
            Self::TooLong { rank } => write!(
                f,
                "rank {rank}: the expanded operations do not fit in memory; simulate fewer ranks or a shorter run"
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
