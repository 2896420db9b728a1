//! Whether an operation blocks.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// Whether an operation blocks. If it does, `issue` does all, and `sync` nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `issue` returns when the participant's part is complete.
    Blocking,
    /// `issue` returns at once.
    NonBlocking,
}

impl Form {
    /// Both forms.
    pub const ALL: [Self; 2] = [Self::Blocking, Self::NonBlocking];
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blocking => "blocking",
            Self::NonBlocking => "non-blocking",
        })
    }
}

impl FromStr for Form {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::usage(format!("a call is not `{text}`; it is `blocking` or `non-blocking`"));
        Self::ALL.into_iter().find(|form| form.to_string() == text).ok_or_else(unknown)
    }
}
