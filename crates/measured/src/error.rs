//! Why no measured timeline could be made.

use std::fmt;
use std::path::PathBuf;

/// Why no measured timeline could be made.
#[derive(Debug)]
pub enum Error {
    /// The trace cannot be read.
    Trace(panto_trace::Error),
    /// The timeline cannot be written.
    Timeline(panto_timeline::Error),
    /// The trace has no moments of calls.
    NoStamps {
        /// The trace.
        path: PathBuf,
        /// The command that was traced, if it is known.
        command: Option<String>,
    },
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trace(error) => error.fmt(f),
            Self::Timeline(error) => error.fmt(f),
            Self::NoStamps { path, command } => write!(
                f,
                "{0} does not have the moments of calls; trace the program again: panto trace --stamps -o {1} -- {2}, or predict a timeline: panto simulate {0} --machine M --timeline FILE",
                path.display(),
                path.with_extension("stamps.panto").display(),
                command.as_deref().unwrap_or("COMMAND")
            ),
        }
    }
}

impl std::error::Error for Error {}

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
