//! How a rank waits.

use std::fmt;

use panto_mpi::Result;

/// How a rank waits for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cadence {
    /// In the library's own blocking calls, which usually spin: each rank has a core to itself.
    Blocking,
    /// By asking again and again, and giving the core away in between: more ranks than cores take turns, and a library that spins would
    /// keep the core from the very rank it waits for.
    Yielding,
}

impl Cadence {
    /// Waits until `ask` has an answer.
    pub(super) fn wait<R>(mut ask: impl FnMut() -> Result<Option<R>>) -> Result<R> {
        loop {
            if let Some(answer) = ask()? {
                return Ok(answer);
            }
            std::thread::yield_now();
        }
    }
}

impl fmt::Display for Cadence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blocking => "ranks wait in the library's blocking calls",
            Self::Yielding => {
                "ranks outnumber cores: they wait by non-blocking calls, and give the core away in between"
            }
        })
    }
}
