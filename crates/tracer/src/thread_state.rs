//! The state of each thread that calls MPI: whether it is inside MPI (the depth guard), and its
//! clock.
//!
//! Invariant: between [`enter`] and the end of the [`ActiveCall`] the thread is inside MPI, however
//! the call ends. Exported functions that MPI calls meanwhile find that and record nothing.

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::clock;
use crate::compute_clock::ComputeClock;
use crate::compute_token;
use crate::entry;
use crate::live;
use crate::overhead;
use crate::rank;
use crate::settings::ComputeTime;
use crate::ticks;

/// A thread that calls MPI.
pub struct ThreadState {
    /// 1 inside MPI, 0 outside. What MPI calls itself is not recorded.
    depth: u32,
    /// Whether no other thread may call, because this one does (in virtual time).
    has_turn: bool,
    /// Its number, in the order in which threads first called MPI.
    pub number: u32,
    pub watch: ComputeClock,
    /// CPU time and readings of the CPU clock that were added to the sums already.
    noted: (u64, u64),
    /// Computation before calls that left no event, in nanoseconds.
    carried: u64,
    /// The number of its calls.
    calls: u64,
    /// Ticks from the beginning of the last sampled call to that of MPI's own function.
    entering: u64,
    /// When the current call began, in ticks.
    start: u64,
    /// The computation before the current call, in nanoseconds.
    before: u64,
    /// The stack pointer at the beginning of the current call; zero if it is not known.
    stack: usize,
}

/// The number of a thread that has not called MPI yet.
const NEW: u32 = u32::MAX;

static THREADS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static LOCAL: UnsafeCell<ThreadState> = const { UnsafeCell::new(ThreadState::NONE) };
}

/// A call of the program that has begun. It is one word: a pair that is written as two words and
/// read as one stalls the processor's store forwarding, which costs as much as a lock.
pub struct ActiveCall {
    /// The state of this thread, which is looked up once in a call.
    local: NonNull<ThreadState>,
}

/// Without wall-clock stamps, the tracer's own time is measured in one of this number of calls.
const SAMPLED: u64 = 64;

/// The longest time of the tracer in a call, in nanoseconds, that is taken as its own.
const LONGEST_OWN_NS: u64 = 5_000;

/// Runs a function on this thread's state.
pub fn with<T>(body: impl FnOnce(&mut ThreadState) -> T) -> T {
    // SAFETY: only this thread reaches its state, and nothing inside `body` comes here again: it
    // calls no exported function.
    LOCAL.with(|local| body(unsafe { &mut *local.get() }))
}

/// A call begins. Returns none if MPI itself calls, or if nothing is recorded. In virtual time it
/// waits until no other thread is in a call.
pub fn enter() -> Option<ActiveCall> {
    let mut entered = begin_call()?;
    if live::is_on() {
        live::turn::take();
        entered.local().has_turn = true;
    }
    Some(entered)
}

/// As [`enter`], by a thread that has taken the turn to call in virtual time.
pub fn enter_with_turn() -> Option<ActiveCall> {
    let Some(mut entered) = begin_call() else {
        live::turn::release();
        return None;
    };
    entered.local().has_turn = true;
    Some(entered)
}

#[inline]
fn begin_call() -> Option<ActiveCall> {
    if !rank::is_recording() {
        return None;
    }
    let stack = entry::stack();
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
        local.stack = stack;
        local.before = local.watch.enter(start) + std::mem::take(&mut local.carried);
        if local.number == FIRST {
            compute_token::release();
        }
        local.calls += 1;
        if local.is_sampled() {
            local.entering = ticks::now().saturating_sub(start);
        }
        Some(ActiveCall { local: NonNull::from(local) })
    })
}

impl ActiveCall {
    fn local(&mut self) -> &mut ThreadState {
        // SAFETY: this is the state of this thread, which lives as long as the thread. An
        // `ActiveCall` stays in its call, during which there is no other reference.
        unsafe { self.local.as_mut() }
    }

    /// Returns the calling thread's number.
    pub fn thread(&mut self) -> u32 {
        self.local().number
    }

    /// Returns when the call began, in ticks.
    pub fn start(&mut self) -> u64 {
        self.local().start
    }

    /// Returns the stack pointer at the beginning of the call; zero if it is not known.
    pub fn stack(&mut self) -> usize {
        self.local().stack
    }

    /// Forgets the stack pointer: the exported function did not set it.
    pub fn forget_stack(&mut self) {
        self.local().stack = 0;
    }

    /// Returns the computation before the call, in nanoseconds.
    pub fn before(&mut self) -> u64 {
        self.local().before
    }

    /// MPI has returned: returns when, in ticks, if this call is timed.
    pub fn returned(&mut self) -> Option<u64> {
        let local = self.local();
        let end = local.is_sampled().then(ticks::now);
        local.watch.after_call(end.unwrap_or(local.start));
        end
    }

    /// The call ends and the program continues. `carried` is computation of a call that left no
    /// event; it belongs to the next one.
    pub fn leave(&mut self, carried: u64, end: Option<u64>) {
        let local = self.local();
        local.carried = carried;
        local.leave();
        if let Some(end) = end {
            let weight = if clock::get().has_stamps { 1 } else { SAMPLED };
            let own = local.watch.left().saturating_sub(end) + local.entering;
            // A longer time includes a preemption, for which one sampled call must not stand.
            if ticks::to_ns(own) < LONGEST_OWN_NS {
                overhead::note_own(own * weight);
            }
        }
    }
}

/// However the call ends, also by a C++ exception from an error handler, the thread is outside of
/// MPI again.
impl Drop for ActiveCall {
    fn drop(&mut self) {
        let local = self.local();
        local.depth = 0;
        if std::mem::take(&mut local.has_turn) {
            live::turn::release();
        }
    }
}

/// The number of the thread that initialized MPI. It alone uses the compute token.
const FIRST: u32 = 0;

impl ThreadState {
    const NONE: Self = Self {
        depth: 0,
        has_turn: false,
        number: NEW,
        watch: ComputeClock::NONE,
        noted: (0, 0),
        carried: 0,
        calls: 0,
        entering: 0,
        start: 0,
        before: 0,
        stack: 0,
    };

    #[cold]
    fn begin(&mut self) {
        self.number = THREADS.fetch_add(1, Ordering::Relaxed);
        self.watch.begin();
        if self.number == FIRST {
            self.noted = (self.watch.last_cpu(), 0);
        } else {
            // A thread that calls for the first time has computed since it began.
            self.carried = self.watch.last_cpu();
        }
        if let ComputeTime::Counted(event) = clock::get().measure
            && let Err(refusal) = self.watch.count(event)
        {
            self.watch.counting.lose(&refusal);
        }
    }

    /// Numbers the thread that initializes MPI: it is the first.
    pub fn begin_first(&mut self) {
        if self.number == NEW {
            self.begin();
        }
    }

    /// Adds what is new since the last time to the sums. The first thread's CPU time is read at the
    /// end.
    #[inline]
    fn note(&mut self) {
        let (cpu, reads) = (self.watch.last_cpu(), self.watch.reads);
        if reads != self.noted.1 {
            let cpu_since = if self.number == FIRST { 0 } else { cpu.saturating_sub(self.noted.0) };
            overhead::note_caller(cpu_since, reads - self.noted.1);
            self.noted = (cpu, reads);
        }
    }

    /// The call ends: the program computes from here on.
    #[inline]
    pub fn leave(&mut self) {
        self.depth = 0;
        self.note();
        if self.number == FIRST {
            compute_token::take();
        }
        self.watch.leave();
    }

    /// Returns whether the tracer's own time is measured in this call.
    fn is_sampled(&self) -> bool {
        clock::get().has_stamps || self.calls.is_multiple_of(SAMPLED)
    }

    /// Returns whether the thread is inside MPI.
    pub fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// Returns whether this is the thread that initialized MPI, outside of MPI.
    pub fn is_first_outside(&self) -> bool {
        self.number == FIRST && self.depth == 0
    }

    /// Enters MPI without a record: what it calls from now on is its own.
    pub fn enter_mpi(&mut self) {
        self.depth = 1;
    }
}
