//! `_exit`: a program that ends without the functions of `atexit`.
//!
//! These functions end the process at once, so the events that are not written yet would be lost.
//! They are exported like those of MPI: the program's calls come here first. The C library's own
//! `exit` does not; it has run [`atexit`](libc::atexit)'s functions.

use std::ffi::c_int;

use panto_trace::stopped;

use crate::rank;

/// Writes what is recorded, and ends the process.
fn end(code: c_int) -> ! {
    rank::end_of_process(stopped::EXITED);
    loop {
        // SAFETY: this system call has one argument, and does not return.
        unsafe { libc::syscall(libc::SYS_exit_group, code) };
    }
}

/// As in POSIX.
#[unsafe(no_mangle)]
pub extern "C" fn _exit(code: c_int) -> ! {
    end(code)
}

/// As in ISO C; the same as [`_exit`].
#[unsafe(no_mangle)]
pub extern "C" fn _Exit(code: c_int) -> ! {
    end(code)
}
