//! What tracing costs, and what it does not see: sums over all threads.

use std::sync::atomic::{AtomicU64, Ordering};

use panto_trace::{Metadata, key};

use crate::{clock, ticks};

/// CPU time of threads other than the first that called MPI, up to their last call, in nanoseconds.
static CALLERS_NS: AtomicU64 = AtomicU64::new(0);
/// Time of the tracer itself, in ticks.
static OWN_TICKS: AtomicU64 = AtomicU64::new(0);
/// How often any thread read its CPU clock.
static CLOCK_READS: AtomicU64 = AtomicU64::new(0);

/// CPU time of the process and of its first thread when recording began.
pub struct Overhead {
    process: u64,
    thread: u64,
}

impl Overhead {
    /// Recording begins.
    pub fn start() -> Self {
        Self { process: clock::process_ns(), thread: clock::thread_ns() }
    }

    /// Adds the sums to the metadata at the end of a stream.
    pub fn add_to(&self, metadata: &mut Metadata) {
        metadata.set(key::COST, &ticks::to_ns(OWN_TICKS.load(Ordering::Relaxed)));
        metadata.set(key::OTHER_THREADS, &self.other_threads());
        metadata.set(key::CLOCK_READS, &CLOCK_READS.load(Ordering::Relaxed));
    }

    /// Returns the CPU time of threads that never called MPI, since recording began, in
    /// nanoseconds.
    fn other_threads(&self) -> u64 {
        let all = clock::process_ns().saturating_sub(self.process);
        let own = clock::thread_ns().saturating_sub(self.thread);
        all.saturating_sub(own).saturating_sub(CALLERS_NS.load(Ordering::Relaxed))
    }
}

/// Adds ticks of the tracer itself.
pub fn note_own(ticks: u64) {
    OWN_TICKS.fetch_add(ticks, Ordering::Relaxed);
}

/// Adds the CPU time of a thread other than the first since its last call, and its readings of the
/// CPU clock.
pub fn note_caller(cpu_ns: u64, reads: u64) {
    CALLERS_NS.fetch_add(cpu_ns, Ordering::Relaxed);
    CLOCK_READS.fetch_add(reads, Ordering::Relaxed);
}
