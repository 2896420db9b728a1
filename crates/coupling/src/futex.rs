//! Sleeping and waking through a word of shared memory.
//!
//! The sleeper sets `sleeps`, checks once more whether there is work, and then sleeps on `wakes`
//! unless that has changed since it was read before the check. The waker publishes the work, and
//! then looks at `sleeps`; if it is set, it increments `wakes` and wakes the sleeper. A
//! sequentially consistent fence on both sides, between publishing and looking, excludes that the
//! sleeper misses the work while the waker misses the sleeper (Dekker's pattern).

use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::Duration;

/// How often a side looks for work before it sleeps. Both sides often share a core, so spinning
/// longer delays the other one.
const SPINS: u32 = 64;

/// A place where one process sleeps. All zeros is its initial state.
#[repr(C, align(64))]
pub struct Sleeper {
    sleeps: AtomicU32,
    wakes: AtomicU32,
}

impl Sleeper {
    /// Waits until `is_ready` returns true, or for this time; returns what `is_ready` returned
    /// last. It is not called again after it has returned true.
    pub fn wait(&self, timeout: Duration, mut is_ready: impl FnMut() -> bool) -> bool {
        for _ in 0..SPINS {
            if is_ready() {
                return true;
            }
            std::hint::spin_loop();
        }
        self.pause(timeout, is_ready)
    }

    /// As [`Sleeper::wait`], without looking often first.
    pub fn pause(&self, timeout: Duration, mut is_ready: impl FnMut() -> bool) -> bool {
        self.sleeps.store(1, Ordering::Relaxed);
        let wakes = self.wakes.load(Ordering::Acquire);
        fence(Ordering::SeqCst);
        let mut is_done = is_ready();
        if !is_done {
            sleep(&self.wakes, wakes, timeout);
            is_done = is_ready();
        }
        self.sleeps.store(0, Ordering::Relaxed);
        is_done
    }

    /// Wakes the process that waits here, after work for it was published.
    pub fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.sleeps.load(Ordering::Relaxed) != 0 {
            self.wakes.fetch_add(1, Ordering::Release);
            wake_all(&self.wakes);
        }
    }
}

fn sleep(word: &AtomicU32, expected: u32, timeout: Duration) {
    let time = libc::timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: timeout.subsec_nanos().into(),
    };
    // SAFETY: the word is in memory that stays mapped for as long as it is borrowed, and the time
    // is a local variable. The kernel checks the value; every return, also by a signal, is handled
    // by looking again.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, expected, &raw const time) };
}

fn wake_all(word: &AtomicU32) {
    // SAFETY: the word is in memory that stays mapped for as long as it is borrowed.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
