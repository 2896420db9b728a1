//! What reading the clocks costs. It is measured once at the start, because every measured time
//! contains it.

use std::sync::OnceLock;

use crate::settings::ComputeTime;
use crate::ticks;

/// What every thread needs to know of the clocks.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub measure: ComputeTime,
    /// Whether the wall clock of each call is recorded.
    pub has_stamps: bool,
    /// Ticks of the tracer itself in each block of computation, which are subtracted.
    pub own_ticks: u64,
    /// Counted events of the tracer itself in each block of computation, which are subtracted.
    pub own_events: u64,
    /// The cost of reading the thread's CPU clock, in nanoseconds.
    pub read_ns: u64,
    /// Ticks of a millisecond: comparing ticks is cheaper than converting them each time.
    pub millisecond: u64,
    /// Ticks of 50 us. A block or call this long may contain time for which a hypervisor took the
    /// core away, and is worth a reading of the CPU clock.
    pub long: u64,
}

static CLOCK: OnceLock<Clock> = OnceLock::new();

/// Number of readings. The minimum counts, because interference only adds to a reading.
const TRIES: usize = 200;

/// Sets the properties of the clocks for the rest of the run.
pub fn settle(measure: ComputeTime, has_stamps: bool, own_ticks: u64, own_events: u64) {
    CLOCK.get_or_init(|| Clock {
        measure,
        has_stamps,
        own_ticks,
        own_events,
        read_ns: reading(),
        millisecond: ticks::per_millisecond(),
        long: ticks::per_millisecond() / 20,
    });
}

/// Returns the properties of the clocks; those of a run without measurements before [`settle`].
#[inline]
pub fn get() -> &'static Clock {
    static BEFORE: Clock = Clock {
        measure: ComputeTime::Cpu,
        has_stamps: false,
        own_ticks: 0,
        own_events: 0,
        read_ns: 0,
        millisecond: u64::MAX,
        long: u64::MAX,
    };
    CLOCK.get().unwrap_or(&BEFORE)
}

/// Returns the CPU time of this thread, in nanoseconds. This is a system call.
pub fn thread_ns() -> u64 {
    ticks::clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the CPU time of all threads of this process, in nanoseconds.
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
