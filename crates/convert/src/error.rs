//! The error type of the conversions.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A `Result` of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an import or export failed.
#[derive(Debug)]
pub enum Error {
    /// A foreign text file violates its format.
    Parse {
        /// Name of the file.
        file: String,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What was found, what was expected, and how to fix it.
        text: String,
    },
    /// A foreign binary file violates its format.
    Binary {
        /// Name of the file.
        file: String,
        /// Offset, in bytes from the beginning of the file.
        offset: u64,
        /// What was found, and how to fix it.
        text: String,
    },
    /// A call that the target format cannot express.
    Unsupported {
        /// Rank that made the call.
        rank: u32,
        /// Name of the MPI function.
        call: String,
        /// Index of the call in the rank's stream, counted from 0.
        position: u64,
        /// Why it cannot be expressed, and how to fix it.
        text: String,
    },
    /// The trace is damaged, or cannot be read or written.
    Trace(panto_trace::Error),
    /// The timeline is damaged, or cannot be read.
    Timeline(panto_timeline::Error),
    /// An input or output error.
    File {
        /// Path of the file.
        path: PathBuf,
        /// The operating system's error.
        error: io::Error,
    },
    /// The requested conversion is not possible with these arguments.
    Usage(String),
}

impl Error {
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }

    /// Returns the error of a part of a text, which has this number of lines before it, as an error
    /// of the text.
    pub(crate) fn lines_later(self, lines: usize) -> Self {
        match self {
            Self::Parse { file, line, column, text } => {
                Self::Parse { file, line: line + lines, column, text }
            }
            other => other,
        }
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
            Self::Parse { file, line, column, text } => write!(f, "{file}:{line}:{column}: {text}"),
            Self::Binary { file, offset, text } => write!(f, "{file}: byte {offset}: {text}"),
            Self::Unsupported { rank, call, position, text } => {
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
            Self::Parse { .. } | Self::Binary { .. } | Self::Unsupported { .. } | Self::Usage(_) => None,
        }
    }
}
