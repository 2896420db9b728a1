//! Threads of a rank take turns: one call at a time is in virtual time.
//!
//! All threads of a rank share its virtual clock, so a call of one begins where the last call of
//! any of them ended. That is what a program of `MPI_THREAD_SERIALIZED` does. In one of
//! `MPI_THREAD_MULTIPLE` a thread waits for the end of another's call, unless that call waits for
//! other ranks: on a real machine both would proceed, so the run is refused.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::leave_if_over;
use crate::rank;

/// No thread is in a call.
const FREE: u32 = 0;
/// A thread is in a call.
const TAKEN: u32 = 1;
/// A thread is in a call that may wait for other ranks.
const WAITS: u32 = 2;

static TURN: AtomicU32 = AtomicU32::new(FREE);

/// Whether a thread calls while another waits for other ranks.
static IS_REFUSED: AtomicBool = AtomicBool::new(false);

/// Why the run ends then.
pub const OVERLAP: &str = "another thread calls MPI while this call waits for other ranks; in virtual time \
                           the calls of threads must not overlap (MPI_THREAD_SERIALIZED)";

/// Attempts of a thread before it sleeps between them: most calls are shorter.
const TRIES: u32 = 1_000;

/// Takes the turn if no thread has it.
pub fn try_take() -> bool {
    TURN.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
}

/// Takes the turn when the call of another thread has ended. Ends the run if that call waits for
/// other ranks.
pub fn take() {
    if !try_take() {
        wait(|| TURN.load(Ordering::Relaxed) == WAITS);
    }
}

/// Takes the turn when no other thread has it, whatever that thread waits for.
pub fn take_patiently() {
    if !try_take() {
        wait(|| false);
    }
}

#[cold]
fn wait(is_overlap: impl Fn() -> bool) {
    let mut tries = 0_u32;
    while !try_take() {
        tries = tries.saturating_add(1);
        if tries < TRIES {
            std::thread::yield_now();
            continue;
        }
        if is_overlap() {
            refuse();
        }
        leave_if_over();
        pause();
    }
}

/// Sleeps for a millisecond in real time: the C library's other sleeps are in virtual time.
fn pause() {
    // SAFETY: there are no descriptors.
    unsafe { libc::poll(std::ptr::null_mut(), 0, 1) };
}

/// Ends the run. If the other thread holds the lock of the rank, it does that itself when it finds
/// out ([`is_refused`]).
fn refuse() {
    IS_REFUSED.store(true, Ordering::Relaxed);
    rank::try_with(|rank| {
        if let Some(live) = &mut rank.live
            && TURN.load(Ordering::Relaxed) == WAITS
        {
            live.refuse(OVERLAP);
        }
    });
    IS_REFUSED.store(false, Ordering::Relaxed);
}

/// Returns whether the current call, which waits for other ranks, must end the run.
pub fn is_refused() -> bool {
    IS_REFUSED.load(Ordering::Relaxed) && TURN.load(Ordering::Relaxed) == WAITS
}

/// The call of the thread that has the turn may wait for other ranks, or not.
pub fn set_waits(waits: bool) {
    TURN.store(if waits { WAITS } else { TAKEN }, Ordering::Relaxed);
}

/// The next thread may call.
pub fn release() {
    TURN.store(FREE, Ordering::Release);
}
