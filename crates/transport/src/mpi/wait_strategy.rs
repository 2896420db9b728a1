//! How ranks wait.

use std::fmt;

use panto_mpi::Result;

/// How a rank waits for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitStrategy {
    /// In the library's blocking calls, which usually spin: each rank has its own core.
    Blocking,
    /// By non-blocking calls, yielding the core in between: ranks outnumber cores, and a library
    /// that spins would keep the core from the rank that it waits for.
    Yielding,
}

impl WaitStrategy {
    /// Calls `poll` until it returns a result, yielding the core in between.
    pub(super) fn wait<R>(mut poll: impl FnMut() -> Result<Option<R>>) -> Result<R> {
        loop {
            if let Some(result) = poll()? {
                return Ok(result);
            }
            std::thread::yield_now();
        }
    }
}

impl fmt::Display for WaitStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blocking => "blocking calls of the library",
            Self::Yielding => "non-blocking calls with yields, because ranks outnumber cores",
        })
    }
}
