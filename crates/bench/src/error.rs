//! What can go wrong while measuring.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The result of something that measures.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a benchmark could not be run, or its results not be read.
#[derive(Debug)]
pub enum Error {
    /// What the user asked for cannot be; the text names the remedy.
    Usage(String),
    /// The message layer failed, or a rank stopped the run.
    Transport(panto_transport::Error),
    /// A file could not be read or written.
    Io {
        /// What was tried, as a sentence without its end: "cannot write".
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    BadFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what to do.
        what: String,
    },
    /// The first process could not go on. It says why itself; the others only follow it.
    Elsewhere {
        /// Of what kind its error was.
        kind: Kind,
        /// What it says.
        text: String,
    },
}

/// Of what kind an error is. Exit codes depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What the user asked for cannot be, or a file is not what it should be.
    Usage,
    /// A file could not be read or written.
    Io,
    /// The message layer failed, or a rank stopped the run.
    Transport,
}

impl Error {
    /// Of what kind it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Usage(_) | Self::BadFile { .. } => Kind::Usage,
            Self::Io { .. } => Kind::Io,
            Self::Transport(_) => Kind::Transport,
            Self::Elsewhere { kind, .. } => *kind,
        }
    }

    /// Something that the user asked for and that cannot be.
    pub fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Elsewhere { text, .. } => f.write_str(text),
            Self::Transport(error) => error.fmt(f),
            Self::Io { what, path, source } => write!(f, "{what} {}: {source}", path.display()),
            Self::BadFile { path, line, what } => write!(f, "{}, line {line}: {what}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Transport(error) => Some(error),
            Self::Io { source, .. } => Some(source),
            Self::Usage(_) | Self::BadFile { .. } | Self::Elsewhere { .. } => None,
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
