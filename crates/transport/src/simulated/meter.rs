//! Computation that is measured on the host and scaled to the modelled processor.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::Duration;

use panto_machine::Machine;
use panto_units::Time;

/// Measures the CPU time between two calls of the message layer.
pub(super) struct Meter {
    since: Cell<Option<Duration>>,
}

impl Meter {
    /// Makes a meter that starts at once.
    pub(super) fn new() -> Self {
        Self { since: Cell::new(Some(processor_time())) }
    }

    /// Starts a measurement: the rank returns to its computation.
    pub(super) fn start(&self) {
        self.since.set(Some(processor_time()));
    }

    /// Returns the modelled time of the computation so far, without ending it.
    pub(super) fn so_far(&self, machine: &Machine) -> Option<Time> {
        let since = self.since.get()?;
        Some(scaled(processor_time().saturating_sub(since), machine))
    }

    /// Ends the computation and returns its modelled time; `None` if none was being measured.
    pub(super) fn stop(&self, machine: &Machine) -> Option<Time> {
        Some(scaled(processor_time().saturating_sub(self.since.take()?), machine))
    }
}

fn scaled(computed: Duration, machine: &Machine) -> Time {
    let speed = machine.processor.speed_against(Some(daxpy()));
    Time::from_picos((computed.as_secs_f64() / speed * 1e12) as u64)
}

/// Returns the time of an element of a DAXPY on this host.
fn daxpy() -> Time {
    static DAXPY: OnceLock<Time> = OnceLock::new();
    *DAXPY.get_or_init(|| Time::from_picos(panto_daxpy::picoseconds_per_element()))
}

/// Returns the CPU time of this thread, which excludes other programs on the host.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` outlives the call, in which the kernel writes to it.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
