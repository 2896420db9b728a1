//! How long a thread computes between two calls.
//!
//! The time-stamp counter is read at both ends of each call. Where the thread kept its core from the end of one call to the beginning of
//! the next ([`Flag`]), the difference is its CPU time, and no system call is needed. Where it lost the core, the CPU clock tells, if it is
//! known what that clock showed when the block began. That is known without having looked then: a *reference* is a moment at which both
//! clocks were read, and from there to the beginning of the block the thread did not lose the core, so that both clocks advanced alike.
//! Whenever it did lose it, inside MPI or here, a new reference is taken. So the CPU clock is read once for each time that the core was lost,
//! which costs more than that, and never in between.

use crate::clock;
use crate::kernel::Flag;
use crate::settings::Measure;
use crate::ticks;

/// A core that is lost more often than this in a row is lost to the program anyway.
const MOST_RENEWALS: usize = 3;

/// Without the kernel's flag: blocks shorter than this cannot have lost the core for long enough to matter.
const SHORT_NS: u64 = 2_000;

/// The times of one thread.
pub struct Watch {
    flag: Flag,
    /// When the last call ended, in ticks.
    left: u64,
    /// Both clocks, at a moment since which the core was kept.
    reference_ticks: u64,
    reference_cpu: u64,
    /// How often the CPU clock was read.
    pub reads: u64,
}

impl Watch {
    /// That of no thread.
    pub const NONE: Self = Self { flag: Flag::NONE, left: 0, reference_ticks: 0, reference_cpu: 0, reads: 0 };

    /// Begins to watch the calling thread.
    pub fn begin(&mut self) {
        self.flag = Flag::of_this_thread();
        self.take_reference();
        self.left = ticks::now();
    }

    /// Does the kernel say when the core was lost?
    pub fn has_flag(&self) -> bool {
        self.flag.is_there()
    }

    /// The last reading of the CPU clock.
    pub fn last_cpu(&self) -> u64 {
        self.reference_cpu
    }

    /// When the last call ended, in ticks.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// A call begins now: the computation before it, in nanoseconds.
    #[inline]
    pub fn enter(&mut self, now: u64) -> u64 {
        let clock = clock::get();
        let wall = ticks::to_ns(now.saturating_sub(self.left).saturating_sub(clock.own_ticks));
        if self.flag.stands() || clock.measure == Measure::Wall {
            return wall;
        }
        self.compute_by_cpu(wall, clock.read_ns)
    }

    #[cold]
    fn compute_by_cpu(&mut self, wall: u64, read_ns: u64) -> u64 {
        if !self.flag.is_there() && wall < SHORT_NS {
            return wall;
        }
        let start = self.reference_cpu + ticks::to_ns(self.left.saturating_sub(self.reference_ticks));
        self.take_reference();
        self.reference_cpu.saturating_sub(start).saturating_sub(read_ns).min(wall)
    }

    /// MPI returned: if it lost the core, or the reference is old, takes a new one.
    #[inline]
    pub fn after_call(&mut self, now: u64) {
        if !self.flag.is_there() {
            return;
        }
        // Clocks drift apart: interrupts count as CPU time here and not there.
        let is_old = || now.saturating_sub(self.reference_ticks) > clock::get().millisecond;
        if !self.flag.stands() || is_old() {
            self.renew();
        }
    }

    #[cold]
    fn renew(&mut self) {
        if clock::get().measure == Measure::Cpu {
            self.take_reference();
        }
    }

    /// The program goes on from here.
    #[inline]
    pub fn leave(&mut self) {
        if !self.flag.is_there() {
            self.renew();
        }
        self.left = ticks::now();
        // Looked at last: the core must have been kept up to the moment that was just noted.
        for _ in 0..MOST_RENEWALS {
            if !self.flag.is_there() || self.flag.stands() || clock::get().measure == Measure::Wall {
                break;
            }
            self.renew();
            self.left = ticks::now();
        }
    }

    fn take_reference(&mut self) {
        self.flag.raise();
        self.reference_cpu = clock::thread_ns();
        self.reference_ticks = ticks::now();
        self.reads += 1;
    }
}
