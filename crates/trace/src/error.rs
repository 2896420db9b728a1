//! What can go wrong with a trace.

use std::fmt;
use std::path::{Path, PathBuf};

/// A `Result` of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong with a trace.
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
    NotATrace {
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
    /// Its bytes are not as they were written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The rank, if it is known.
        rank: Option<u32>,
        /// Where, in bytes from the beginning of the file.
        place: u64,
        /// What is wrong there.
        what: String,
    },
    /// Files that do not belong together.
    Mismatch(String),
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
            Self::Write { path, error } => write!(out, "cannot write {}: {error}", path.display()),
            Self::NotATrace { path } => {
                write!(
                    out,
                    "{}: this is not a trace; `panto trace -o FILE -- mpirun ...` makes one",
                    path.display()
                )
            }
            Self::Version { path, found } => write!(
                out,
                "{}: version {found} of the trace format, and this program reads versions up to {}; use a newer panto",
                path.display(),
                crate::VERSION
            ),
            Self::Damaged { path, rank, place, what } => {
                write!(out, "{}: ", path.display())?;
                if let Some(rank) = rank {
                    write!(out, "rank {rank}: ")?;
                }
                write!(
                    out,
                    "damaged at byte {place}: {what}; trace the program again, or use what is before it"
                )
            }
            Self::Mismatch(what) => out.write_str(what),
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
