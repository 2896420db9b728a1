//! What the clocks themselves cost, found once at the start, because all that is measured contains it.

use std::sync::OnceLock;

use crate::settings::{Measure, Settings};
use crate::ticks;

/// What every thread needs to know of the clocks.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub measure: Measure,
    /// Is the wall clock of each call kept?
    pub has_stamps: bool,
    /// The tracer's own ticks in each block of computation.
    pub own_ticks: u64,
    /// What one reading of the CPU clock costs, in nanoseconds.
    pub read_ns: u64,
    /// The ticks of a millisecond: comparing them is cheaper than converting each time.
    pub millisecond: u64,
}

static CLOCK: OnceLock<Clock> = OnceLock::new();

/// A reading is repeated so often; the least counts, as everything else is disturbed.
const TRIES: usize = 200;

/// Settles it for the rest of the run.
pub fn settle(settings: &Settings, own_ticks: u64) {
    let Settings { measure, has_stamps, .. } = *settings;
    CLOCK.get_or_init(|| Clock {
        measure,
        has_stamps,
        own_ticks,
        read_ns: reading(),
        millisecond: ticks::per_millisecond(),
    });
}

/// What was settled.
#[inline]
pub fn get() -> &'static Clock {
    static BEFORE: Clock =
        Clock { measure: Measure::Cpu, has_stamps: false, own_ticks: 0, read_ns: 0, millisecond: u64::MAX };
    CLOCK.get().unwrap_or(&BEFORE)
}

/// The CPU time of this thread, in nanoseconds. A system call.
pub fn thread_ns() -> u64 {
    ticks::clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The CPU time of all threads of this process, in nanoseconds.
pub fn process_ns() -> u64 {
    ticks::clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn reading() -> u64 {
    let once = || {
        let start = thread_ns();
        thread_ns() - start
    };
    (0..TRIES).map(|_| once()).min().unwrap_or(0)
}
