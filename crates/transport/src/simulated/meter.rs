//! Computation that is measured on the host and scaled to the modelled processor.

use std::cell::Cell;
use std::time::Duration;

use panto_machine::Machine;
use panto_units::Time;

/// Measures the processor time between two calls of the message layer.
pub(super) struct Meter {
    since: Cell<Option<Duration>>,
}

impl Meter {
    /// Starts at once.
    pub(super) fn new() -> Self {
        Self { since: Cell::new(Some(processor_time())) }
    }

    /// The rank computes from here on.
    pub(super) fn start(&self) {
        self.since.set(Some(processor_time()));
    }

    /// What the rank has computed since it started, which goes on.
    pub(super) fn so_far(&self, machine: &Machine) -> Option<Time> {
        let since = self.since.get()?;
        Some(scaled(processor_time().saturating_sub(since), machine))
    }

    /// What the rank has computed, as time on the modelled processor; `None` if it was not computing.
    pub(super) fn stop(&self, machine: &Machine) -> Option<Time> {
        Some(scaled(processor_time().saturating_sub(self.since.take()?), machine))
    }
}

fn scaled(computed: Duration, machine: &Machine) -> Time {
    Time::from_picos((computed.as_secs_f64() / machine.processor.speed * 1e12) as u64)
}

/// Processor time of this thread: other programs on the host do not count.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes to `time`, which is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
