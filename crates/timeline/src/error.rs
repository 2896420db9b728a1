//! What can go wrong with a timeline.

use std::fmt;
use std::path::{Path, PathBuf};

/// A `Result` of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong with a timeline.
#[derive(Debug)]
pub enum Error {
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The system refused to write.
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It is something else.
    NotATimeline {
        /// The file.
        path: PathBuf,
    },
    /// It was written by another version.
    Version {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        found: u32,
    },
    /// It ends before its end.
    Incomplete {
        /// The file.
        path: PathBuf,
        /// Where what counts ends, in bytes from the beginning of the file.
        place: u64,
    },
    /// Its bytes are not as they were written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where, in bytes from the beginning of the file.
        place: u64,
        /// What is wrong there.
        what: &'static str,
    },
    /// Whoever writes it said something that no timeline can hold.
    Unfit {
        /// The file.
        path: PathBuf,
        /// What it was.
        what: String,
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
            Self::Io { path, error } => write!(out, "{}: {error}", path.display()),
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
            Self::Damaged { path, place, what } => {
                write!(out, "{}: damaged at byte {place}: {what}; simulate again", path.display())
            }
            Self::Unfit { path, what } => write!(out, "{}: {what}", path.display()),
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
