//! A thread that writes the block of events of a rank that no longer calls MPI: a rank that hangs
//! is one whose trace is needed most.

use std::time::Duration;

use panto_recording::block_age;

use crate::rank;

/// The longest interval between two checks, in milliseconds. A block of events is written when it
/// is older than a second, or, in the beginning, as old as the blocks before it.
const LONGEST: u64 = 500;

/// Starts the thread. It never calls MPI, and blocks all signals, which are for the program's
/// threads.
pub fn start() -> std::io::Result<()> {
    // SAFETY: all zero is a valid value of this C structure.
    let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
    // SAFETY: both sets are local variables. A new thread inherits the mask of its creator, whose
    // own is restored below.
    unsafe {
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
    }
    let started = std::thread::Builder::new().name("panto-flush".into()).stack_size(STACK).spawn(look);
    // SAFETY: `before` is the mask that was read above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    started.map(drop)
}

/// Stack of the thread, in bytes: packing a block of events needs some of it.
const STACK: usize = 256 << 10;

fn look() {
    for check in 0.. {
        std::thread::sleep(Duration::from_millis(block_age(check).min(LONGEST)));
        if !rank::is_recording() {
            return;
        }
        rank::with(rank::Rank::flush_if_old);
    }
}
