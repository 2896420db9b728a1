//! Why a program cannot be extrapolated.

use std::fmt;

/// Why a program cannot be extrapolated.
#[derive(Debug)]
pub enum Error {
    /// A trace cannot be read, or the new one cannot be written.
    Trace(panto_trace::Error),
    /// The traces cannot be used together.
    Unsuitable(String),
    /// The traces follow no common rules, and they name different programs.
    OtherPrograms {
        /// Why there is no common program.
        error: Box<Self>,
        /// The traces with the programs that they name.
        programs: String,
    },
    /// A call is of a kind that is not extrapolated.
    Unsupported {
        /// The trace and the rank.
        place: String,
        /// The function, with what is not supported about it.
        call: String,
    },
    /// Calls, partners or numbers follow no known rule.
    NoRule(Vec<String>),
    /// The rules do not fit together: sends and receives, or collectives, do not match.
    Unmatched(String),
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// Places without a rule that an error names.
const MOST_PLACES: usize = 8;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trace(error) => error.fmt(f),
            Self::Unsuitable(why) => f.write_str(why),
            Self::OtherPrograms { error, programs } => {
                write!(f, "the traces seem to be of different programs: {programs}\n{error}")
            }
            Self::Unsupported { place, call } => {
                write!(f, "{place}: {call} is not extrapolated (docs/scaling.md lists what is)")
            }
            Self::NoRule(places) => no_rule(f, places),
            Self::Unmatched(what) => write!(
                f,
                "the rules that were found do not fit together: {what}; add a trace with another number of ranks"
            ),
        }
    }
}

fn no_rule(f: &mut fmt::Formatter<'_>, places: &[String]) -> fmt::Result {
    write!(f, "no rule was found for:")?;
    for place in places.iter().take(MOST_PLACES) {
        write!(f, "\n  {place}")?;
    }
    if places.len() > MOST_PLACES {
        write!(f, "\n  and {} more", places.len() - MOST_PLACES)?;
    }
    write!(f, "\nadd traces with other numbers of ranks, or take the nearest trace's behavior: --lenient")
}

impl std::error::Error for Error {}

impl From<panto_trace::Error> for Error {
    fn from(error: panto_trace::Error) -> Self {
        Self::Trace(error)
    }
}
