//! What tracing costs, and what it does not see: sums over all threads.

use std::sync::atomic::{AtomicU64, Ordering};

use panto_trace::{Facts, key};

use crate::{clock, ticks};

/// CPU time of threads that called MPI, in nanoseconds: what they had at their last call.
static CALLERS_NS: AtomicU64 = AtomicU64::new(0);
/// The tracer's own time.
static OWN_TICKS: AtomicU64 = AtomicU64::new(0);
/// How often any thread read its CPU clock.
static CLOCK_READS: AtomicU64 = AtomicU64::new(0);

/// CPU time of the process and of its first thread when recording began.
pub struct Costs {
    process: u64,
    thread: u64,
}

impl Costs {
    /// Recording begins.
    pub fn start() -> Self {
        Self { process: clock::process_ns(), thread: clock::thread_ns() }
    }

    /// What it came to.
    pub fn tell(&self, facts: &mut Facts) {
        facts.set(key::COST, &ticks::to_ns(OWN_TICKS.load(Ordering::Relaxed)));
        facts.set(key::OTHER_THREADS, &self.other_threads());
        facts.set(key::CLOCK_READS, &CLOCK_READS.load(Ordering::Relaxed));
    }

    /// CPU time of threads that never called MPI, since recording began.
    fn other_threads(&self) -> u64 {
        let all = clock::process_ns().saturating_sub(self.process);
        let own = clock::thread_ns().saturating_sub(self.thread);
        all.saturating_sub(own).saturating_sub(CALLERS_NS.load(Ordering::Relaxed))
    }
}

/// The tracer itself took so many ticks.
pub fn note_own(ticks: u64) {
    OWN_TICKS.fetch_add(ticks, Ordering::Relaxed);
}

/// A thread other than the first computed so much since its last call, and read its CPU clock so often.
pub fn note_caller(cpu_ns: u64, reads: u64) {
    CALLERS_NS.fetch_add(cpu_ns, Ordering::Relaxed);
    CLOCK_READS.fetch_add(reads, Ordering::Relaxed);
}
