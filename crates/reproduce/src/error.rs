//! Errors of reproducing published figures.

use std::fmt;

/// The result of a reproduction.
pub type Result<T> = std::result::Result<T, Error>;

/// Why published figures could not be reproduced.
#[derive(Debug)]
pub enum Error {
    /// No published figures of this machine are known.
    UnknownMachine(String),
    /// A table of published figures under `data/` is invalid.
    InvalidTable {
        /// The table, such as `data/cm5.csv`.
        table: String,
        /// The line, from 1.
        line: usize,
        /// The reason.
        reason: &'static str,
    },
    /// A table of published figures lacks a figure, or has one that is not simulated.
    MissingFigure {
        /// The table, such as `data/cm5.csv`.
        table: String,
        /// The figure.
        id: String,
    },
    /// A simulated curve lacks a point, or does not have the shape that a figure is read from.
    Curve(String),
    /// A statistic of a simulated curve could not be computed.
    Statistics(panto_stats::Error),
    /// A machine model could not be built.
    Machine(panto_machine::Error),
    /// A kernel could not be run.
    Bench(panto_bench::Error),
    /// A program could not be mapped to its machine.
    Predict(panto_predict::Error),
    /// A program of the thesis deadlocked; the text names the blocked ranks.
    Deadlock(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownMachine(name) => {
                let known = crate::MACHINES.join(", ");
                write!(f, "no published figures of `{name}`; known machines: {known}")
            }
            Self::InvalidTable { table, line, reason } => write!(f, "{table}:{line}: {reason}"),
            Self::MissingFigure { table, id } => write!(f, "{table}: no figure `{id}`"),
            Self::Curve(text) | Self::Deadlock(text) => f.write_str(text),
            Self::Statistics(error) => write!(f, "cannot evaluate a simulated curve: {error}"),
            Self::Machine(error) => error.fmt(f),
            Self::Bench(error) => error.fmt(f),
            Self::Predict(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Statistics(error) => Some(error),
            Self::Machine(error) => Some(error),
            Self::Bench(error) => Some(error),
            Self::Predict(error) => Some(error),
            _ => None,
        }
    }
}

macro_rules! from {
    ($($variant:ident($error:ty)),+ $(,)?) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )+};
}

from! {
    Statistics(panto_stats::Error),
    Machine(panto_machine::Error),
    Bench(panto_bench::Error),
    Predict(panto_predict::Error),
}

impl From<panto_results::Error> for Error {
    fn from(error: panto_results::Error) -> Self {
        Self::Bench(error.into())
    }
}
