//! Errors of running benchmarks.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The result of a benchmark operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a benchmark could not be run, or its results not be read or written.
#[derive(Debug)]
pub enum Error {
    /// The request is invalid; the text says what to do instead.
    Usage(String),
    /// The message layer failed, or a rank stopped the run.
    Transport(panto_transport::Error),
    /// A file could not be read or written.
    Io {
        /// What was attempted, such as "cannot write".
        failure: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A file has invalid contents.
    BadFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The first process failed. It reports the error itself; the others only end with it.
    Remote {
        /// The kind of its error.
        kind: Kind,
        /// The text of its error.
        text: String,
    },
}

/// The kind of an error. Exit codes depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The request or a file is invalid.
    Usage,
    /// A file could not be read or written.
    Io,
    /// The message layer failed, or a rank stopped the run.
    Transport,
}

impl Error {
    /// Returns the kind of the error.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Usage(_) | Self::BadFile { .. } => Kind::Usage,
            Self::Io { .. } => Kind::Io,
            Self::Transport(_) => Kind::Transport,
            Self::Remote { kind, .. } => *kind,
        }
    }

    /// Returns an error about an invalid request; the text says what to do instead.
    pub fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Remote { text, .. } => f.write_str(text),
            Self::Transport(error) => error.fmt(f),
            Self::Io { failure, path, source } => write!(f, "{failure} {}: {source}", path.display()),
            Self::BadFile { path, line, reason } => write!(f, "{}, line {line}: {reason}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Transport(error) => Some(error),
            Self::Io { source, .. } => Some(source),
            Self::Usage(_) | Self::BadFile { .. } | Self::Remote { .. } => None,
        }
    }
}

impl From<panto_results::Error> for Error {
    fn from(error: panto_results::Error) -> Self {
        match error {
            panto_results::Error::Usage(text) => Self::Usage(text),
            panto_results::Error::Io { failure, path, source } => Self::Io { failure, path, source },
            panto_results::Error::BadFile { path, line, reason } => Self::BadFile { path, line, reason },
        }
    }
}

impl From<panto_transport::Error> for Error {
    fn from(error: panto_transport::Error) -> Self {
        match error {
            panto_transport::Error::Schedule(error) => error.into(),
            error => Self::Transport(error),
        }
    }
}

impl From<panto_schedule::Error> for Error {
    fn from(error: panto_schedule::Error) -> Self {
        Self::Usage(error.to_string())
    }
}
