//! The four send modes.

use std::fmt;

/// The send mode of a message: when a send may complete (MPI 4.1, section 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SendMode {
    /// `MPI_Send`: buffered or synchronous, as the library or the machine model decides.
    Standard,
    /// `MPI_Bsend`: completes at once, because the message is copied.
    Buffered,
    /// `MPI_Ssend`: completes when the matching receive has begun to take the message.
    Synchronous,
    /// `MPI_Rsend`: the caller guarantees that the matching receive is posted already.
    Ready,
}

impl SendMode {
    /// All send modes.
    pub const ALL: [Self; 4] = [Self::Standard, Self::Buffered, Self::Synchronous, Self::Ready];

    /// Returns the name that MPI's standard gives the mode.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Buffered => "buffered",
            Self::Synchronous => "synchronous",
            Self::Ready => "ready",
        }
    }
}

impl fmt::Display for SendMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
