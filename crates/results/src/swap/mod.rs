//! Parameters of the suite `swap` (COMMTEST): protocols, loops and cache states (T1, T3, T4).

mod protocol;

use std::fmt;
use std::str::FromStr;

pub use protocol::{Order, Protocol, Special, parse_protocols};

use crate::error::{Error, Result};

/// Names of figures of records whose buffers were evicted before the run.
pub mod figure {
    /// Nanoseconds to read a cache line that was just written.
    pub const WARM_LINE: &str = "warm_line_ns";
    /// Nanoseconds to read a cache line that was evicted since.
    pub const EVICTED_LINE: &str = "evicted_line_ns";
}

/// How often a message is sent in the repeated mode; COMMTEST's number.
const REPEATS: u64 = 10;

/// How the swaps of a volume follow each other (T3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// One after the other.
    Basic,
    /// Each receive is posted one swap ahead, each send waited for one swap later.
    Prepost,
}

/// State of the caches before a run, and repetitions during it (T4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheMode {
    /// The buffers are initialised and evicted from all caches; each message is sent once.
    Cold,
    /// The L2 cache is invalidated and the buffers initialised, in COMMTEST's order: the buffers
    /// are warm as far as they fit. Each message is sent once.
    Invalidated,
    /// The buffers are initialised; each message is sent once.
    Warm,
    /// The buffers are initialised; each message is sent ten times before the next.
    Repeated,
}

impl Loop {
    /// Both loops.
    pub const ALL: [Self; 2] = [Self::Basic, Self::Prepost];
}

impl CacheMode {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::Cold, Self::Invalidated, Self::Warm, Self::Repeated];
    /// The modes that are measured by default.
    pub const DEFAULT: [Self; 3] = [Self::Cold, Self::Warm, Self::Repeated];

    /// Returns how often each message is sent.
    pub fn repeats(self) -> u64 {
        if self == Self::Repeated { REPEATS } else { 1 }
    }
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Basic => "basic",
            Self::Prepost => "prepost",
        })
    }
}

impl fmt::Display for CacheMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cold => "cold",
            Self::Invalidated => "invalidated",
            Self::Warm => "warm",
            Self::Repeated => "repeated",
        })
    }
}

impl FromStr for Loop {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::usage(format!("unknown loop `{text}`; use basic or prepost"));
        Self::ALL.into_iter().find(|each| each.to_string() == text).ok_or_else(unknown)
    }
}

impl FromStr for CacheMode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown =
            || Error::usage(format!("unknown cache mode `{text}`; use cold, invalidated, warm or repeated"));
        Self::ALL.into_iter().find(|each| each.to_string() == text).ok_or_else(unknown)
    }
}
