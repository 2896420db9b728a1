//! What can go wrong with a view.

use std::fmt;
use std::net::SocketAddr;

/// A `Result` of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong with a view.
#[derive(Debug)]
pub enum Error {
    /// A timeline cannot be read.
    Timeline(panto_timeline::Error),
    /// Too few timelines, or too many.
    HowMany(usize),
    /// The system gives no port to listen at.
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        error: std::io::Error,
    },
    /// Nobody wants to know any more.
    Stopped,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeline(error) => error.fmt(out),
            Self::HowMany(count) => {
                write!(out, "{count} timelines: one is shown, or two, one above the other")
            }
            Self::Listen { address, error } => {
                write!(
                    out,
                    "cannot listen at {address}: {error}; name another port, or none for any that is free"
                )
            }
            Self::Stopped => out.write_str("stopped before the timeline was looked at"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Timeline(error) => Some(error),
            Self::Listen { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<panto_timeline::Error> for Error {
    fn from(error: panto_timeline::Error) -> Self {
        Self::Timeline(error)
    }
}
