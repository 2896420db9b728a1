//! Errors of a message layer.

use std::fmt;
use std::sync::Arc;

use crate::message::{Status, Tag};

/// The result of a transport operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a transport operation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A message was longer than the buffer of the receive that matched it.
    Truncated {
        /// The receiving rank.
        rank: usize,
        /// The message's envelope.
        message: Status,
        /// The length of the receive's buffer in bytes.
        capacity: usize,
    },
    /// A message was longer than its receive's buffer, and the message layer does not say which
    /// message.
    TooLong {
        /// The receiving rank.
        rank: usize,
        /// The length of the receive's buffer in bytes.
        capacity: usize,
    },
    /// A rank that is not in the world.
    NoSuchRank {
        /// The invalid rank.
        rank: usize,
        /// The number of ranks.
        ranks: usize,
    },
    /// A tag beyond what every backend supports.
    TagTooLarge(Tag),
    /// All ranks are blocked. The text says what each rank waits for.
    Deadlock(Arc<str>),
    /// Virtual time exceeded its range of 2^64 picoseconds.
    TimeOverflow,
    /// A rank has aborted the run (C1).
    Aborted {
        /// The rank that failed.
        rank: usize,
        /// Its error message.
        message: Arc<str>,
    },
    /// A wait without a request to wait for.
    NoRequest,
    /// A persistent operation was started again before it was complete.
    AlreadyStarted,
    /// The backend does not support this operation.
    Unsupported(&'static str),
    /// A collective could not be planned.
    Schedule(panto_schedule::Error),
    /// The buffers do not fit the planned collective.
    Buffers(String),
    /// The world could not be started.
    Start(String),
    /// An error of the MPI library, in its own words.
    Mpi(panto_mpi::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { rank, message: Status { source, tag, len }, capacity } => write!(
                f,
                "rank {rank} received {len} bytes from rank {source} (tag {tag}) into a buffer of {capacity}"
            ),
            Self::TooLong { rank, capacity } => {
                write!(f, "rank {rank} received a message longer than its buffer of {capacity} bytes")
            }
            Self::NoSuchRank { rank, ranks } => {
                write!(f, "no rank {rank}: ranks are 0 to {}", ranks.saturating_sub(1))
            }
            Self::TagTooLarge(tag) => {
                write!(f, "tag {tag} is too large: tags go up to {}", crate::message::MAX_TAG)
            }
            Self::Deadlock(report) => write!(f, "deadlock: all ranks are blocked\n{report}"),
            Self::Aborted { rank, message } => write!(f, "rank {rank} aborted: {message}"),
            Self::TimeOverflow => f.write_str(
                "virtual time overflow: the run takes longer than 213 days; use smaller messages or shorter times \
                 in the model",
            ),
            Self::NoRequest => f.write_str("no request to wait for"),
            Self::AlreadyStarted => {
                f.write_str("persistent operation started twice; wait for it before starting it again")
            }
            Self::Unsupported(what) => write!(f, "not supported by this transport: {what}"),
            Self::Schedule(error) => write!(f, "{error}"),
            Self::Buffers(text) | Self::Start(text) => f.write_str(text),
            Self::Mpi(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Schedule(error) => Some(error),
            Self::Mpi(error) => Some(error),
            _ => None,
        }
    }
}

impl From<panto_schedule::Error> for Error {
    fn from(error: panto_schedule::Error) -> Self {
        Self::Schedule(error)
    }
}

impl From<panto_mpi::Error> for Error {
    fn from(error: panto_mpi::Error) -> Self {
        Self::Mpi(error)
    }
}

impl From<Box<Error>> for Error {
    fn from(error: Box<Error>) -> Self {
        *error
    }
}
