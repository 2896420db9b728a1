//! Errors of reading and writing results files.

use std::fmt;
use std::path::PathBuf;

/// The result of reading or writing a results file.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a results file could not be read or written.
#[derive(Debug)]
pub enum Error {
    /// The request is invalid; the text says what to do instead.
    Usage(String),
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
}

impl Error {
    /// Returns an error about an invalid request; the text says what to do instead.
    pub fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) => f.write_str(text),
            Self::Io { failure, path, source } => write!(f, "{failure} {}: {source}", path.display()),
            Self::BadFile { path, line, reason } => write!(f, "{}, line {line}: {reason}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Usage(_) | Self::BadFile { .. } => None,
        }
    }
}
