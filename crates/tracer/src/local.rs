//! What each thread has for itself: whether it is inside MPI, and its clock.

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::clock;
use crate::costs;
use crate::rank;
use crate::ticks;
use crate::token;
use crate::watch::Watch;

/// A thread that calls MPI.
pub struct Local {
    /// How deep inside MPI it is. What MPI calls itself is not the program's.
    depth: u32,
    /// Its number, in the order in which threads first called MPI.
    pub number: u32,
    pub watch: Watch,
    /// CPU time and readings of the CPU clock that were added up already.
    noted: (u64, u64),
    /// Computation before calls that left no event, in nanoseconds.
    carried: u64,
    /// How many calls it made.
    calls: u64,
    /// Ticks from the beginning of the last call that was sampled to that of MPI's own function.
    entering: u64,
    /// When the call under way began, in ticks.
    start: u64,
    /// The computation before it, in nanoseconds.
    before: u64,
}

/// A thread that has not called MPI yet.
const NEW: u32 = u32::MAX;

static THREADS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static LOCAL: UnsafeCell<Local> = const { UnsafeCell::new(Local::NONE) };
}

/// A call of the program that began. One word: what was written just now as two and is read as one costs as much as a lock.
pub struct Entered {
    /// The thread's own. It is looked for once in a call.
    local: NonNull<Local>,
}

/// Where no wall clock is kept, the tracer's own time is measured in one of so many calls.
const SAMPLED: u64 = 64;

/// The tracer itself needs less than this for a call.
const LONGEST_OWN_NS: u64 = 5_000;

/// This thread's own.
pub fn with<T>(body: impl FnOnce(&mut Local) -> T) -> T {
    // SAFETY: only this thread reaches it, and nothing that runs inside `body` comes here again: it calls no stand-in.
    LOCAL.with(|local| body(unsafe { &mut *local.get() }))
}

/// A call begins. None if MPI itself calls, or nothing is recorded (any more).
pub fn enter() -> Option<Entered> {
    if !rank::is_recording() {
        return None;
    }
    with(|local| {
        if local.depth > 0 {
            return None;
        }
        if local.number == NEW {
            local.begin();
        }
        let start = ticks::after_all_before();
        local.depth = 1;
        local.start = start;
        local.before = local.watch.enter(start) + std::mem::take(&mut local.carried);
        if local.number == FIRST {
            token::give();
        }
        local.calls += 1;
        if local.is_sampled() {
            local.entering = ticks::now().saturating_sub(start);
        }
        Some(Entered { local: NonNull::from(local) })
    })
}

impl Entered {
    fn local(&mut self) -> &mut Local {
        // SAFETY: it is this thread's, which lives as long as the thread; an `Entered` stays in the call, and nobody else borrows it there.
        unsafe { self.local.as_mut() }
    }

    /// The calling thread's number.
    pub fn thread(&mut self) -> u32 {
        self.local().number
    }

    /// When the call began, in ticks.
    pub fn start(&mut self) -> u64 {
        self.local().start
    }

    /// The computation before it, in nanoseconds.
    pub fn before(&mut self) -> u64 {
        self.local().before
    }

    /// MPI has returned: when, if that matters for this call.
    pub fn returned(&mut self) -> Option<u64> {
        let local = self.local();
        let end = local.is_sampled().then(ticks::now);
        local.watch.after_call(end.unwrap_or(local.start));
        end
    }

    /// The program goes on. Computation before a call that left no event belongs to the next one.
    pub fn leave(mut self, carried: u64, end: Option<u64>) {
        let local = self.local();
        local.carried = carried;
        local.leave();
        if let Some(end) = end {
            let weight = if clock::get().has_stamps { 1 } else { SAMPLED };
            let own = local.watch.left().saturating_sub(end) + local.entering;
            // What takes longer lost the core meanwhile, which one of many calls must not stand for.
            if ticks::to_ns(own) < LONGEST_OWN_NS {
                costs::note_own(own * weight);
            }
        }
    }
}

/// However the call ends, also by a C++ exception from an error handler: the thread is outside of MPI again.
impl Drop for Entered {
    fn drop(&mut self) {
        self.local().depth = 0;
    }
}

/// The thread that started MPI. It alone uses the compute token.
const FIRST: u32 = 0;

impl Local {
    const NONE: Self = Self {
        depth: 0,
        number: NEW,
        watch: Watch::NONE,
        noted: (0, 0),
        carried: 0,
        calls: 0,
        entering: 0,
        start: 0,
        before: 0,
    };

    #[cold]
    fn begin(&mut self) {
        self.number = THREADS.fetch_add(1, Ordering::Relaxed);
        self.watch.begin();
        if self.number == FIRST {
            self.noted = (self.watch.last_cpu(), 0);
        } else {
            // A thread that first calls now has computed since it began.
            self.carried = self.watch.last_cpu();
        }
    }

    /// The thread that starts MPI is the first.
    pub fn begin_first(&mut self) {
        if self.number == NEW {
            self.begin();
        }
    }

    /// Adds up what is new since the last time. The first thread's CPU time is asked for at the end.
    #[inline]
    fn note(&mut self) {
        let (cpu, reads) = (self.watch.last_cpu(), self.watch.reads);
        if reads != self.noted.1 {
            let cpu_since = if self.number == FIRST { 0 } else { cpu.saturating_sub(self.noted.0) };
            costs::note_caller(cpu_since, reads - self.noted.1);
            self.noted = (cpu, reads);
        }
    }

    /// The program goes on.
    #[inline]
    pub fn leave(&mut self) {
        self.depth = 0;
        self.note();
        if self.number == FIRST {
            token::take();
        }
        self.watch.leave();
    }

    /// Is the tracer's own time measured in this call?
    fn is_sampled(&self) -> bool {
        clock::get().has_stamps || self.calls.is_multiple_of(SAMPLED)
    }

    /// Is the thread inside MPI?
    pub fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// Everything that MPI calls from now on is its own.
    pub fn go_in(&mut self) {
        self.depth = 1;
    }
}
