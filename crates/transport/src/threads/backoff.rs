//! Backoff of a waiting rank: spin, then yield the core, then sleep.
//!
//! Sleeping and being woken costs both sides microseconds (a system call each), while a message
//! between two running cores takes some 100 ns. So a rank spins first. Yielding comes next: it
//! costs little on an idle machine, and hands the core to a partner that lost its own. A rank that
//! has spent both budgets goes to sleep (see `shared`). Where runnable ranks outnumber cores, no
//! rank spins: that would keep the partner from running.

use std::hint::spin_loop;

/// Spins before the first yield. A `pause` instruction takes about 50 ns on current processors, so
/// this is about 50 us; with a core per rank most waits end within it.
const SPINS: u32 = 1 << 10;
/// Yields before sleeping, after the spins: about 100 us on an idle machine.
const YIELDS: u32 = 1 << 8;
/// Yields before sleeping where runnable ranks outnumber cores. There are no spins then, since they
/// would keep the partner from running; a few yields are cheaper than sleeping while few ranks
/// share a core.
const YIELDS_OVERSUBSCRIBED: u32 = 4;

/// The remaining budget of spins and yields of one wait.
pub(super) struct Backoff {
    spins: u32,
    yields: u32,
}

impl Backoff {
    #[inline]
    pub(super) fn new(oversubscribed: bool) -> Self {
        if oversubscribed {
            Self { spins: 0, yields: YIELDS_OVERSUBSCRIBED }
        } else {
            Self { spins: SPINS, yields: YIELDS }
        }
    }

    /// Spins or yields once. Returns `false` when both budgets are spent and the rank should sleep.
    #[inline]
    pub(super) fn pause(&mut self) -> bool {
        if self.spins > 0 {
            self.spins -= 1;
            spin_loop();
            return true;
        }
        if self.yields > 0 {
            self.yields -= 1;
            std::thread::yield_now();
            return true;
        }
        false
    }
}
