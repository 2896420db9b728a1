//! Errors of an MPI library.

use std::fmt;
use std::path::PathBuf;

use panto_calls::Collective;

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call, or loading the library, failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A function of MPI returned an error.
    Call {
        /// The function.
        function: &'static str,
        /// The error class, `MPI_ERR_...`, as the library numbers them.
        class: i32,
        /// The text that the library has for the error.
        text: String,
    },
    /// A message was longer than its buffer. Libraries differ in what the status contains then, so
    /// it is not reported.
    Truncated,
    /// No library could be loaded. Each candidate has its reason.
    NotFound(Vec<(PathBuf, String)>),
    /// A wait for any of no requests.
    NothingToWaitFor,
    /// More bytes or elements than an MPI count can hold.
    TooLarge(usize),
    /// Several threads would have to call MPI.
    NoThreads,
    /// The library has no such algorithm for a collective, or none that can be selected.
    Algorithm(String),
    /// A collective was called with parameters of another kind.
    Parameters {
        /// The collective.
        collective: Collective,
        /// The parameters that it takes.
        expected: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { function, text, .. } => write!(f, "{function} failed: {text}"),
            Self::Truncated => f.write_str("a message was longer than the buffer of its receive"),
            Self::NotFound(tried) if tried.len() == 1 => {
                write!(f, "{} cannot be loaded: {}", tried[0].0.display(), tried[0].1)
            }
            Self::NotFound(tried) => {
                f.write_str("no MPI library was found; name one: PANTO_MPI=/path/to/libmpi.so")?;
                tried.iter().try_for_each(|(path, why)| write!(f, "\n  {}: {why}", path.display()))
            }
            Self::NoThreads => f.write_str("several threads would have to call MPI (MPI_THREAD_MULTIPLE)"),
            Self::Algorithm(text) => f.write_str(text),
            Self::NothingToWaitFor => f.write_str("there is no request to wait for"),
            Self::Parameters { collective, expected } => {
                write!(f, "{collective} was called with wrong parameters; it takes {expected}")
            }
            Self::TooLarge(count) => {
                write!(
                    f,
                    "{count} is more than MPI counts: a message has at most {} bytes or elements",
                    i32::MAX
                )
            }
        }
    }
}

impl std::error::Error for Error {}
