//! Errors of reading and writing traces.

use std::fmt;
use std::path::{Path, PathBuf};

use panto_container::Damage;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a trace cannot be read or written.
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
    /// The file is not a trace.
    NotATrace {
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
    /// The file is damaged.
    Damaged(Damage),
    /// The files are not of one run.
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
            Self::Io { path, error } => write!(out, "cannot read {}: {error}", path.display()),
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
            Self::Damaged(damage) => {
                write!(out, "{damage}; trace the program again, or use what is before it")
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
