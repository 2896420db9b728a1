//! The time that a thread waits for a core, as the scheduler counts it.

use std::fs::File;
use std::os::unix::fs::FileExt;

use panto_transport::Time;

/// Run time, waiting time in nanoseconds, and number of time slices of the calling thread (Linux,
/// `Documentation/scheduler/sched-stats.rst`). The waiting time is the second number.
const COUNTERS: &str = "/proc/thread-self/schedstat";

/// Share of a sample that its ranks may have waited for a core before it counts as disturbed.
const TOLERATED: f64 = 0.005;

/// Counts how long the thread that opened it was ready to run and had no core.
#[derive(Debug)]
pub(super) struct RunQueueMeter {
    counters: Option<File>,
}

impl RunQueueMeter {
    /// Opens the counters of the calling thread.
    pub(super) fn of_this_thread() -> Self {
        Self { counters: File::open(COUNTERS).ok() }
    }

    /// Returns a meter that observes nothing, for virtual clocks and ranks that share cores by
    /// intention.
    pub(super) fn blind() -> Self {
        Self { counters: None }
    }

    /// Returns the time waited so far; zero where the system does not tell.
    pub(super) fn waited(&self) -> Time {
        let mut text = [0; 64];
        let read = self.counters.as_ref().and_then(|file| file.read_at(&mut text, 0).ok());
        let waited = read.and_then(|length| parse(&text[..length]));
        Time::from_nanos(waited.unwrap_or(0))
    }
}

/// Returns whether a sample of this duration is disturbed by this much waiting.
pub(super) fn is_disturbed(waited: Time, duration: Time) -> bool {
    waited.as_nanos() > TOLERATED * duration.as_nanos()
}

fn parse(text: &[u8]) -> Option<u64> {
    let waited = text.split(u8::is_ascii_whitespace).nth(1)?;
    std::str::from_utf8(waited).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_waiting_time() {
        assert_eq!(parse(b"166863 7300264 2\n"), Some(7_300_264));
        assert_eq!(parse(b"garbage"), None);
        assert_eq!(RunQueueMeter::blind().waited(), Time::ZERO);
    }

    #[test]
    fn only_waiting_that_matters_disturbs() {
        let sample = Time::from_nanos(20_000);
        assert!(!is_disturbed(Time::ZERO, sample));
        assert!(!is_disturbed(Time::from_nanos(90), sample));
        assert!(is_disturbed(Time::from_nanos(3_000), sample));
    }
}
