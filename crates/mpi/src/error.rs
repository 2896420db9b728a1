//! What can go wrong with an MPI.

use std::fmt;
use std::path::PathBuf;

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call, or the library itself, failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// MPI said no.
    Call {
        /// The function.
        function: &'static str,
        /// The class of the error, `MPI_ERR_...`, as the library numbers them.
        class: i32,
        /// MPI's own words.
        text: String,
    },
    /// A message was longer than its buffer. Libraries differ in what the status says of it then, so nothing is repeated here.
    Truncated,
    /// There is no library that could be loaded. Each is named with the reason.
    NotFound(Vec<(PathBuf, String)>),
    /// A wait for one of no requests.
    NothingToWaitFor,
    /// More bytes or elements than an MPI count can say.
    TooLarge(usize),
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
            Self::NothingToWaitFor => f.write_str("there is no request to wait for"),
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
