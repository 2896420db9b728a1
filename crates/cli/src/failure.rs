//! The failures of commands and their exit codes.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// The exit code of a run that Ctrl-C stopped: 128 + SIGINT, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// Why a command failed. The message says what was wrong, where, and what to do.
#[derive(Debug)]
pub enum Failure {
    /// The command line or an input file is wrong: exit code 2.
    Usage(String),
    /// The run itself failed: exit code 1.
    Run(String),
}

impl Failure {
    /// Returns the exit code.
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Run(_) => ExitCode::from(1),
        }
    }

    /// Returns the failure of a file that cannot be written.
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

impl From<panto_results::Error> for Failure {
    fn from(error: panto_results::Error) -> Self {
        panto_bench::Error::from(error).into()
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

impl From<panto_reproduce::Error> for Failure {
    fn from(error: panto_reproduce::Error) -> Self {
        match error {
            panto_reproduce::Error::Bench(error) => error.into(),
            error => Self::Usage(error.to_string()),
        }
    }
}

impl From<panto_predict::Error> for Failure {
    fn from(error: panto_predict::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<panto_launch::Error> for Failure {
    fn from(error: panto_launch::Error) -> Self {
        let text = error.to_string();
        if error.is_failure_of_the_run() { Self::Run(text) } else { Self::Usage(text) }
    }
}

impl From<panto_timeline::Error> for Failure {
    fn from(error: panto_timeline::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<panto_trace::Error> for Failure {
    fn from(error: panto_trace::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<panto_measured::Error> for Failure {
    fn from(error: panto_measured::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<panto_measured::CompareError> for Failure {
    fn from(error: panto_measured::CompareError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<panto_view::Error> for Failure {
    fn from(error: panto_view::Error) -> Self {
        Self::Usage(error.to_string())
    }
}
