//! What can go wrong.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A `Result` of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong.
#[derive(Debug)]
pub enum Error {
    /// A text that is not as its format wants it.
    Text {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What was found, and the remedy.
        text: String,
    },
    /// A call that the other format cannot say.
    Beyond {
        /// The rank.
        rank: u32,
        /// The function.
        call: String,
        /// Its number in the rank, from 0.
        position: u64,
        /// Why, and the remedy.
        text: String,
    },
    /// The trace is not sound, or cannot be read or written.
    Trace(panto_trace::Error),
    /// The timeline is not sound, or cannot be read.
    Timeline(panto_timeline::Error),
    /// The system refused.
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// What was asked for cannot be.
    Usage(String),
}

impl Error {
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }
}

impl From<panto_trace::Error> for Error {
    fn from(error: panto_trace::Error) -> Self {
        Self::Trace(error)
    }
}

impl From<panto_timeline::Error> for Error {
    fn from(error: panto_timeline::Error) -> Self {
        Self::Timeline(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { file, line, column, text } => write!(f, "{file}:{line}:{column}: {text}"),
            Self::Beyond { rank, call, position, text } => {
                write!(f, "rank {rank}, call {position} ({call}): {text}")
            }
            Self::Trace(error) => error.fmt(f),
            Self::Timeline(error) => error.fmt(f),
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Usage(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Trace(error) => Some(error),
            Self::Timeline(error) => Some(error),
            Self::File { error, .. } => Some(error),
            Self::Text { .. } | Self::Beyond { .. } | Self::Usage(_) => None,
        }
    }
}
