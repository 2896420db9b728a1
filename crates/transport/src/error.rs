//! What can go wrong in a message layer.

use std::fmt;
use std::sync::Arc;

use crate::message::{Status, Tag};

/// The result of an operation of a transport.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation of a transport failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A message was longer than the buffer of the receive that matched it.
    Truncated {
        /// The rank that received.
        rank: usize,
        /// The message.
        message: Status,
        /// What the receive had room for.
        capacity: usize,
    },
    /// The same where the message layer does not say which message it was.
    TooLong {
        /// The rank that received.
        rank: usize,
        /// What the receive had room for.
        capacity: usize,
    },
    /// A rank that is not in the world.
    NoSuchRank {
        /// The rank that was asked for.
        rank: usize,
        /// How many there are.
        ranks: usize,
    },
    /// A tag beyond what every backend supports.
    TagTooLarge(Tag),
    /// Nobody can go on. The text names each rank and what it waits for.
    Deadlock(Arc<str>),
    /// Virtual time has an end, and a simulated machine has reached it.
    EndOfTime,
    /// A rank gave up and stopped all the others (C1).
    Aborted {
        /// The rank that failed.
        rank: usize,
        /// What it said.
        message: Arc<str>,
    },
    /// A wait for one of no requests.
    NothingToWaitFor,
    /// A persistent operation was started again before it was complete.
    Started,
    /// The backend has no such operation.
    Unsupported(&'static str),
    /// A collective could not be planned.
    Schedule(panto_schedule::Error),
    /// The buffers do not fit the planned collective.
    Buffers(String),
    /// The world could not be started.
    Start(String),
    /// An MPI library said no, in its own words.
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
                write!(f, "rank {rank} received a message that is longer than its buffer of {capacity} bytes")
            }
            Self::NoSuchRank { rank, ranks } => {
                write!(f, "there is no rank {rank}: the ranks are 0 to {}", ranks.saturating_sub(1))
            }
            Self::TagTooLarge(tag) => {
                write!(f, "tag {tag} is too large: tags go up to {}", crate::message::MAX_TAG)
            }
            Self::Deadlock(report) => write!(f, "deadlock: no rank can go on\n{report}"),
            Self::Aborted { rank, message } => write!(f, "rank {rank} stopped the run: {message}"),
            Self::EndOfTime => f.write_str(
                "virtual time is over: it ends after 213 days, and this run takes longer; use smaller messages, or \
                 shorter times in the model",
            ),
            Self::NothingToWaitFor => f.write_str("there is no request to wait for"),
            Self::Started => {
                f.write_str("a persistent operation was started twice: wait for it before it is started again")
            }
            Self::Unsupported(what) => write!(f, "this transport has no {what}"),
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
