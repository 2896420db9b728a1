//! Blocks of computation by counted events, such as instructions retired (`--clock instructions`).
//!
//! Each thread has its own counter ([`BlockCounter`]), which is read when a block begins and when
//! it ends, by a system call each. CPU time is measured as always, because it calibrates the rate
//! of events. A thread whose events cannot be counted, or no longer, is recorded by its CPU time,
//! and the trace says so.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use panto_counter::{BlockCounter, Event, Refusal};
use panto_trace::{Metadata, key};

use crate::clock;
use crate::thread_state;

/// Events in the blocks of all threads, and the CPU time of these blocks in nanoseconds.
static COUNT: AtomicU64 = AtomicU64::new(0);
static CPU_NS: AtomicU64 = AtomicU64::new(0);

/// Why a thread was recorded by CPU time although another was not.
static LOST: OnceLock<String> = OnceLock::new();

/// The counter of one thread, if its events are counted. It has no destructor, because MPI may be
/// called until the very end of a thread, when its variables with destructors are gone. Its file is
/// closed by [`EndOfThread`].
pub struct Counting(ManuallyDrop<Option<BlockCounter>>);

impl Counting {
    /// Nothing is counted.
    pub const NONE: Self = Self(ManuallyDrop::new(None));

    /// Begins to count an event of the calling thread.
    pub fn begin(&mut self, event: Event) -> Result<(), Refusal> {
        *self.0 = Some(BlockCounter::open(event)?);
        // A thread that is ending already leaves its file to the end of the process.
        let _ = END.try_with(|end| end.0.set(true));
        Ok(())
    }

    /// A block of computation begins.
    #[inline]
    pub fn start_block(&mut self) {
        if let Some(counter) = &mut *self.0
            && !counter.begin()
        {
            self.lose(&Refusal::InUse);
        }
    }

    /// A block of computation ends, which took this CPU time: returns the time by which it is
    /// recorded, both in nanoseconds.
    #[inline]
    pub fn end_block(&mut self, cpu_ns: u64) -> u64 {
        let Some(counter) = &mut *self.0 else { return cpu_ns };
        let Some(block) = counter.end(cpu_ns, clock::get().own_events) else {
            self.lose(&Refusal::InUse);
            return cpu_ns;
        };
        COUNT.fetch_add(block.count, Ordering::Relaxed);
        CPU_NS.fetch_add(cpu_ns, Ordering::Relaxed);
        block.ns
    }

    /// Returns the events since the block began, if they are counted.
    pub fn events(&self) -> Option<u64> {
        self.0.as_ref()?.events()
    }

    /// The thread is recorded by its CPU time from now on.
    #[cold]
    pub fn lose(&mut self, refusal: &Refusal) {
        LOST.get_or_init(|| refusal.to_string());
        self.close();
    }

    fn close(&mut self) {
        drop(self.0.take());
    }
}

/// Closes the counter's file when the thread ends.
struct EndOfThread(Cell<bool>);

thread_local! {
    static END: EndOfThread = const { EndOfThread(Cell::new(false)) };
}

impl Drop for EndOfThread {
    fn drop(&mut self) {
        if self.0.get() {
            thread_state::with(|local| local.watch.counting.close());
        }
    }
}

/// Adds to the metadata at the end of a stream what was counted, if anything was.
pub fn add_to(metadata: &mut Metadata) {
    let (count, cpu_ns) = (COUNT.load(Ordering::Relaxed), CPU_NS.load(Ordering::Relaxed));
    if cpu_ns > 0 {
        metadata.set(key::COUNTED, &count);
        metadata.set(key::COUNTED_PER_NS, &format!("{:.4}", count as f64 / cpu_ns as f64));
    }
    if let Some(why) = LOST.get() {
        metadata.set(key::NOT_COUNTED, &format!("{why} (in a part of the run)"));
    }
}
