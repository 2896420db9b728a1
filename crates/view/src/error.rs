//! The error type of the viewer.

use std::fmt;
use std::net::SocketAddr;

/// A `Result` of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a timeline cannot be shown.
#[derive(Debug)]
pub enum Error {
    /// A timeline cannot be read.
    Timeline(panto_timeline::Error),
    /// Unsupported number of timelines.
    TimelineCount(usize),
    /// The port cannot be opened.
    Listen {
        /// Requested address.
        address: SocketAddr,
        /// The operating system's error.
        error: std::io::Error,
    },
    /// The system has no random numbers for the server's address.
    Token(std::io::Error),
    /// A thread that reads a timeline cannot be started.
    Thread(std::io::Error),
    /// The reader cancelled.
    Cancelled,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeline(error) => error.fmt(out),
            Self::TimelineCount(count) => {
                write!(out, "cannot show {count} timelines; give one, or two to compare")
            }
            Self::Listen { address, error } => {
                write!(
                    out,
                    "cannot listen on {address}: {error}; choose another port with --port, or omit it for a free one"
                )
            }
            Self::Token(error) => {
                write!(
                    out,
                    "cannot read random numbers for the server's address from /dev/urandom: {error}; use --html"
                )
            }
            Self::Thread(error) => {
                write!(
                    out,
                    "cannot start a thread that reads the timeline: {error}; end other programs, or use --html"
                )
            }
            Self::Cancelled => out.write_str("cancelled while the timeline was being read"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Timeline(error) => Some(error),
            Self::Listen { error, .. } | Self::Token(error) | Self::Thread(error) => Some(error),
            _ => None,
        }
    }
}

impl From<panto_timeline::Error> for Error {
    fn from(error: panto_timeline::Error) -> Self {
        Self::Timeline(error)
    }
}
