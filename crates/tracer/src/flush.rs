//! Writes blocks of a rank that does not call any more: one that hangs is one whose trace is wanted most.

use std::time::Duration;

use crate::rank;

/// How often it looks.
const EVERY: Duration = Duration::from_millis(500);

/// Starts the thread that looks. It never calls MPI, and takes no signals, which are for the program's own threads.
pub fn start() -> std::io::Result<()> {
    // SAFETY: all zero is a value of this C structure.
    let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
    // SAFETY: the sets are ours; a new thread has the mask of the one that makes it, which gets its own back.
    unsafe {
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
    }
    let started = std::thread::Builder::new().name("panto-flush".into()).stack_size(STACK).spawn(look);
    // SAFETY: puts back what was there.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    started.map(drop)
}

/// Packing a block takes some memory of the stack.
const STACK: usize = 256 << 10;

fn look() {
    while rank::is_recording() {
        std::thread::sleep(EVERY);
        if rank::is_recording() {
            rank::with(rank::Rank::flush_if_old);
        }
    }
}
