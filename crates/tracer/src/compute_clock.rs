//! How long a thread computes between two calls.
//!
//! The cheap clock is the time-stamp counter (TSC), which counts wall-clock time; the right clock
//! is the thread's CPU clock, which is a system call. The TSC is read at both ends of each call.
//! Where the thread kept its core from the end of one call to the beginning of the next
//! ([`PreemptionFlag`]), the TSC difference is its CPU time. Where the thread was preempted, the
//! CPU clock is read, and its value at the beginning of the block of computation is computed: from
//! a *reference*, a moment at which both clocks were read, to the beginning of the block of
//! computation the thread kept its core, so both advanced alike. Whenever the thread was preempted,
//! inside MPI or here, a new reference is taken.
//!
//! Invariant: from the reference to the end of the last call the thread kept its core (given up
//! after three attempts on a crowded core).
//!
//! A hypervisor that takes the core away clears no flag, but makes the block or call long that it
//! interrupts: the CPU clock is read after each that was longer than 50 us.
//!
//! Cost: two TSC readings in each call; one reading of the CPU clock for each preemption, which
//! itself costs more, one for each long block or call, and one for each millisecond, because the
//! clocks drift apart. Without the flag, the CPU clock is read at the end of each call, and at the
//! beginning unless the block of computation was shorter than 2 us.
//!
//! Where events are counted ([`Counting`]), the counter is read before the TSC at the beginning of
//! a block and after the CPU clock at its end, so that the time of a block contains no reading of
//! it.

use panto_counter::{Event, Refusal};

use crate::clock;
use crate::counting::Counting;
use crate::preemption::PreemptionFlag;
use crate::settings::ComputeTime;
use crate::ticks;

/// References that are taken in a row at the end of a call. A thread that is preempted during all
/// of them shares its core anyway.
const MOST_RENEWALS: usize = 3;

/// Without the kernel's flag, the longest block, in nanoseconds, for which the TSC is taken without
/// a reading of the CPU clock: so short a block cannot have lost much to a preemption.
const SHORT_NS: u64 = 2_000;

/// The clock of one thread.
pub struct ComputeClock {
    flag: PreemptionFlag,
    /// When the last call began, in ticks.
    entered: u64,
    /// When the last call ended, in ticks.
    left: u64,
    /// Readings of both clocks at a moment since which the thread kept its core.
    reference_ticks: u64,
    reference_cpu: u64,
    /// The events in the block, if they are counted.
    pub counting: Counting,
    /// How often the CPU clock was read.
    pub reads: u64,
}

impl ComputeClock {
    /// The clock of a thread that has not begun.
    pub const NONE: Self = Self {
        flag: PreemptionFlag::NONE,
        entered: 0,
        left: 0,
        reference_ticks: 0,
        reference_cpu: 0,
        counting: Counting::NONE,
        reads: 0,
    };

    /// Starts the clock of the calling thread.
    pub fn begin(&mut self) {
        self.flag = PreemptionFlag::of_this_thread();
        self.take_reference();
        self.left = ticks::now();
    }

    /// Counts an event of the calling thread from now on; the block of computation begins again.
    pub fn count(&mut self, event: Event) -> Result<(), Refusal> {
        self.counting.begin(event)?;
        self.leave();
        Ok(())
    }

    /// Returns whether the kernel reports preemptions.
    pub fn has_flag(&self) -> bool {
        self.flag.is_available()
    }

    /// Returns the last reading of the CPU clock, in nanoseconds.
    pub fn last_cpu(&self) -> u64 {
        self.reference_cpu
    }

    /// Returns when the last call ended, in ticks.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// A call begins: returns the computation before it, in nanoseconds.
    #[inline]
    pub fn enter(&mut self, now: u64) -> u64 {
        let time = self.elapsed(now);
        self.counting.end_block(time)
    }

    /// Returns the time of the block up to now by the clocks, in nanoseconds.
    #[inline]
    pub fn elapsed(&mut self, now: u64) -> u64 {
        let clock = clock::get();
        self.entered = now;
        let block = now.saturating_sub(self.left).saturating_sub(clock.own_ticks);
        let has_kept_core = self.flag.is_set() && block < clock.long;
        if has_kept_core || clock.measure == ComputeTime::Wall {
            return ticks::to_ns(block);
        }
        self.compute_by_cpu(ticks::to_ns(block), clock.read_ns)
    }

    #[cold]
    fn compute_by_cpu(&mut self, wall: u64, read_ns: u64) -> u64 {
        if !self.flag.is_available() && wall < SHORT_NS {
            return wall;
        }
        let start = self.reference_cpu + ticks::to_ns(self.left.saturating_sub(self.reference_ticks));
        self.take_reference();
        self.reference_cpu.saturating_sub(start).saturating_sub(read_ns).min(wall)
    }

    /// MPI has returned: takes a new reference if the thread was preempted, may have been, or the
    /// reference is older than a millisecond.
    #[inline]
    pub fn after_call(&mut self, now: u64) {
        if !self.flag.is_available() {
            return;
        }
        // The clocks drift apart: interrupts count as CPU time in one and not in the other.
        let is_old = || now.saturating_sub(self.reference_ticks) > clock::get().millisecond;
        let is_long = || now.saturating_sub(self.entered) >= clock::get().long;
        if !self.flag.is_set() || is_long() || is_old() {
            self.renew();
        }
    }

    #[cold]
    fn renew(&mut self) {
        if clock::get().measure != ComputeTime::Wall {
            self.take_reference();
        }
    }

    /// The call ends: the program computes from here on.
    #[inline]
    pub fn leave(&mut self) {
        if !self.flag.is_available() {
            self.renew();
        }
        self.start_block();
        // The flag is checked last: the core must have been kept up to the moment that was just
        // read.
        for _ in 0..MOST_RENEWALS {
            if !self.flag.is_available() || self.flag.is_set() || clock::get().measure == ComputeTime::Wall {
                break;
            }
            self.renew();
            self.start_block();
        }
    }

    #[inline]
    fn start_block(&mut self) {
        self.counting.start_block();
        self.left = ticks::now();
    }

    fn take_reference(&mut self) {
        self.flag.set();
        self.reference_cpu = clock::thread_ns();
        self.reference_ticks = ticks::now();
        self.reads += 1;
    }
}
