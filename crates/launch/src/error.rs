//! Errors of starting a program and of collecting its trace: what was wrong, where, and what to do.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::diagnosis::Diagnosis;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a program was not traced.
#[derive(Debug)]
pub enum Error {
    /// The output file exists.
    Exists(PathBuf),
    /// The output file is a directory.
    IsDirectory(PathBuf),
    /// The directory of the ranks' files is left from an earlier run.
    Leftover(PathBuf),
    /// The directory of the ranks' files contains a file that no run creates.
    ForeignFile {
        /// The directory.
        directory: PathBuf,
        /// The name of the file.
        file: String,
    },
    /// The directory of the ranks' files exists, and other users may have put files into it.
    NotPrivate {
        /// The directory.
        directory: PathBuf,
        /// Who can write to it, such as `belongs to user 1000, ...`.
        reason: String,
    },
    /// A file cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Programs can load the tracer neither from the directory of the ranks' files nor from the
    /// directory of temporary files.
    NotLoadable {
        /// The problem of the first.
        ranks: String,
        /// The problem of the second.
        temporary: String,
    },
    /// The command cannot be started.
    NotStarted {
        /// The first word of the command.
        program: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A system call failed.
    System {
        /// What failed, such as `cannot wait for the program`.
        what: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// No rank was traced.
    Untraced(Diagnosis),
    /// The ranks' files cannot be combined.
    NotCombined {
        /// Their directory.
        ranks: PathBuf,
        /// The reason.
        source: panto_trace::Error,
    },
}

impl Error {
    pub(crate) fn write(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Write { path: path.into(), source }
    }

    /// Returns whether the run failed, rather than the command line or a file being wrong.
    pub fn is_failure_of_the_run(&self) -> bool {
        matches!(self, Self::System { .. } | Self::NotCombined { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(path) => {
                write!(f, "{} exists; use --force to replace it, or another name", path.display())
            }
            Self::IsDirectory(path) => write!(f, "{} is a directory; name a file with -o", path.display()),
            Self::Leftover(ranks) => write!(
                f,
                "{0} exists: an earlier run was killed. Combine its files with `panto trace combine {0} -o FILE`, or \
                 replace them with --force",
                ranks.display()
            ),
            Self::ForeignFile { directory, file } => write!(
                f,
                "{} contains {file}, which is not part of a trace; move it, or use another name",
                directory.display()
            ),
            Self::NotPrivate { directory, reason } => write!(
                f,
                "{} exists and {reason}: the traced program would load code from it. Remove it, or use another name",
                directory.display()
            ),
            Self::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            Self::NotLoadable { ranks, temporary } => write!(
                f,
                "{ranks}, and {temporary}; choose another location with -o, or another temporary directory with TMPDIR"
            ),
            Self::NotStarted { program, source } => write!(
                f,
                "cannot start `{program}`: {source}; after -- give the command as you would run it without panto"
            ),
            Self::System { what, source } => write!(f, "{what}: {source}"),
            Self::Untraced(diagnosis) => diagnosis.fmt(f),
            Self::NotCombined { ranks, source } => {
                let shown = ranks.display();
                write!(
                    f,
                    "{source}. The ranks' files are in {shown}; combine them with `panto trace combine {shown} -o FILE`"
                )
            }
        }
    }
}

impl std::error::Error for Error {}
