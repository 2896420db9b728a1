//! What can be wrong.

use std::fmt;
use std::path::Path;

/// What was wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    /// In words.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A file that cannot be read.
    pub fn read(path: &Path, error: &std::io::Error) -> Self {
        Self(format!("cannot read {}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<panto_machine::Error> for Error {
    fn from(error: panto_machine::Error) -> Self {
        Self(error.to_string())
    }
}
