//! How commands fail, and with which exit code.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// Stopped by Ctrl-C, as shells say it.
pub const INTERRUPTED: u8 = 130;

/// Why a command did not do what it was asked to do.
#[derive(Debug)]
pub enum Failure {
    /// The command or a file is wrong.
    Usage(String),
    /// Something failed while it ran.
    Run(String),
}

impl Failure {
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Run(_) => ExitCode::from(1),
        }
    }

    /// A file that cannot be written.
    pub fn write(path: &Path, error: &std::io::Error) -> Self {
        Self::Usage(format!("cannot write {}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Run(text) => f.write_str(text),
        }
    }
}

impl From<panto_bench::Error> for Failure {
    fn from(error: panto_bench::Error) -> Self {
        let text = error.to_string();
        match error {
            panto_bench::Error::Transport(_) => Self::Run(text),
            _ => Self::Usage(text),
        }
    }
}

impl From<panto_transport::Error> for Failure {
    fn from(error: panto_transport::Error) -> Self {
        Self::Run(error.to_string())
    }
}

impl From<panto_machine::Error> for Failure {
    fn from(error: panto_machine::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<panto_predict::Error> for Failure {
    fn from(error: panto_predict::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<panto_timeline::Error> for Failure {
    fn from(error: panto_timeline::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<panto_view::Error> for Failure {
    fn from(error: panto_view::Error) -> Self {
        Self::Usage(error.to_string())
    }
}
