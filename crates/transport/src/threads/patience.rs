//! How long a rank waits busily before it sleeps.

use std::hint::spin_loop;

/// With a core for each rank the answer is usually nanoseconds away, and going to sleep costs microseconds on
/// both sides. A pause is some 50 ns on today's processors, so this is about 50 us.
const SPINS: u32 = 1 << 10;
/// Yields after the spins: some 100 us more on a machine that has nothing else to do, and on one that has, the
/// core for a partner that lost its own.
const YIELDS: u32 = 1 << 8;
/// When ranks take turns, spinning keeps the partner from running. A few yields are cheaper than sleeping
/// while few ranks share a core.
const YIELDS_CROWDED: u32 = 4;

/// Counts down from spinning over yielding to sleep.
pub(super) struct Patience {
    spins: u32,
    yields: u32,
}

impl Patience {
    #[inline]
    pub(super) fn new(crowded: bool) -> Self {
        if crowded {
            Self { spins: 0, yields: YIELDS_CROWDED }
        } else {
            Self { spins: SPINS, yields: YIELDS }
        }
    }

    /// Waits a little; false when it is time to sleep.
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
