//! Detours: times that a core takes from a thread that only reads the clock.
//!
//! The fixed work quantum is one reading of the clock. What lies between two readings beyond the
//! usual is time that an interrupt, another thread or the hypervisor took ("selfish detour",
//! Beckman et al., "Benchmarking the effects of operating system interference on extreme-scale
//! parallel machines", Cluster Computing 11, 2008).

use std::time::{Duration, Instant};

use panto_transport::threads::{Pin, Threads, cores};
use panto_transport::{Error, World};
use serde::Serialize;

/// The least time between two readings that is a detour: several times that of a cache miss.
const LEAST: Duration = Duration::from_micros(1);

/// Upper ends of the classes of the histogram.
pub const CLASSES: [Duration; 5] = [
    Duration::from_micros(10),
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::MAX,
];

/// The detours of one core.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detours {
    /// The core.
    pub core: usize,
    /// Number of detours in each class: up to 10 us, 100 us, 1 ms, 10 ms, and longer.
    pub counts: [u64; CLASSES.len()],
    /// The longest, in seconds.
    pub longest_s: f64,
    /// Share of the time that all detours took.
    pub share: f64,
}

/// Observes all cores of this process at the same time for a duration.
pub fn detours(duration: Duration) -> Result<Vec<Detours>, Error> {
    let world = Threads { pin: Pin::Always, ..Threads::default() };
    let cores = cores();
    let mut observed: Vec<Detours> =
        world.run(cores.len(), |_| Ok::<_, Error>(observe(this_core(), duration)))?;
    observed.sort_by_key(|detours| detours.core);
    Ok(observed)
}

/// Returns the core to which the calling thread is pinned.
fn this_core() -> usize {
    cores().first().copied().unwrap_or(0)
}

fn observe(core: usize, duration: Duration) -> Detours {
    let start = Instant::now();
    let (mut last, mut found) = (start, Found::default());
    while last - start < duration {
        let now = Instant::now();
        found.add(now - last);
        last = now;
    }
    found.into_detours(core, last - start)
}

#[derive(Default)]
struct Found {
    counts: [u64; CLASSES.len()],
    longest: Duration,
    total: Duration,
}

impl Found {
    #[inline]
    fn add(&mut self, time: Duration) {
        if time < LEAST {
            return;
        }
        let class = CLASSES.iter().position(|end| time <= *end).unwrap_or(CLASSES.len() - 1);
        self.counts[class] += 1;
        self.longest = self.longest.max(time);
        self.total += time;
    }

    fn into_detours(self, core: usize, observed: Duration) -> Detours {
        let share = self.total.as_secs_f64() / observed.as_secs_f64().max(f64::MIN_POSITIVE);
        Detours { core, counts: self.counts, longest_s: self.longest.as_secs_f64(), share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_in_their_class() {
        let mut found = Found::default();
        for micros in [0, 2, 5, 50, 3_000, 40_000] {
            found.add(Duration::from_micros(micros));
        }
        let detours = found.into_detours(3, Duration::from_millis(100));
        assert_eq!((detours.core, detours.counts), (3, [2, 1, 0, 1, 1]));
        assert!((detours.longest_s - 0.04).abs() < 1e-9 && (detours.share - 0.43057).abs() < 1e-9);
    }

    #[test]
    fn every_core_is_observed() {
        let observed = detours(Duration::from_millis(5)).unwrap();
        let numbers: Vec<usize> = observed.iter().map(|detours| detours.core).collect();
        assert_eq!(numbers, cores());
    }
}
