//! Failures of chores.

use std::fmt;
use std::process::ExitCode;

pub type Result<T> = std::result::Result<T, Failure>;

/// Why a chore failed. The text names the remedy.
#[derive(Debug)]
pub enum Failure {
    /// The command line is invalid.
    Usage(String),
    /// The chore failed.
    Failed(String),
}

impl Failure {
    pub fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Failed(_) => ExitCode::FAILURE,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(text) | Self::Failed(text)) = self;
        f.write_str(text)
    }
}
