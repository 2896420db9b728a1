//! Errors of reading and writing timelines.

use std::fmt;
use std::path::{Path, PathBuf};

use panto_container::Damage;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a timeline cannot be read or written.
#[derive(Debug)]
pub enum Error {
    /// The file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file is not a timeline.
    NotATimeline {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version.
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file has no end: its writer was stopped, or still runs.
    Incomplete {
        /// The file.
        path: PathBuf,
        /// The end of its complete blocks, in bytes from the beginning of the file.
        place: u64,
    },
    /// The file is too short for the number of ranks that its head names.
    TooShort {
        /// The file.
        path: PathBuf,
        /// The number of ranks and helpers.
        lines: u32,
        /// The length of the file.
        bytes: u64,
    },
    /// The file is damaged.
    Damaged(Damage),
    /// The writer was given something that no timeline can hold.
    Unfit {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, error: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(out, "cannot read {}: {error}", path.display()),
            Self::Write { path, error } => write!(
                out,
                "cannot write {}: {error}; what is in it can be read, as an incomplete timeline",
                path.display()
            ),
            Self::NotATimeline { path } => write!(
                out,
                "{}: this is not a timeline; `panto simulate TRACE --timeline FILE` makes one",
                path.display()
            ),
            Self::Version { path, found } => write!(
                out,
                "{}: version {found} of the timeline format, and this program reads versions up to {}; use a newer panto",
                path.display(),
                crate::VERSION
            ),
            Self::Incomplete { path, place } => write!(
                out,
                "{}: incomplete: nothing whole follows byte {place}, because its writer was stopped or still runs; simulate again for all of it",
                path.display()
            ),
            Self::TooShort { path, lines, bytes } => write!(
                out,
                "{}: {bytes} bytes are too few for {lines} ranks and helpers, so the file is damaged or incomplete; simulate again",
                path.display()
            ),
            Self::Damaged(damage) => write!(out, "{damage}; simulate again"),
            Self::Unfit { path, reason } => write!(out, "{}: {reason}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } | Self::Write { error, .. } => Some(error),
            _ => None,
        }
    }
}
