//! Waiting that leaves the core to others.
//!
//! Most MPI libraries keep the core while they wait. Where ranks outnumber cores nobody else gets on until the kernel takes it away, which is
//! after milliseconds, and the caches are cold by then: blocks of computation took up to twice as long. So where ranks take turns
//! ([`token`]), one that is about to wait looks first whether it would have to, and gives the core away until it would not. What
//! the program sees is the same: the call that it made is made then, and finds what it waits for.

use std::ffi::c_int;

use crate::library::{self, Mpi};
use crate::token;

/// Waits for a message that a receive or a probe would get.
#[inline]
pub fn for_message(from: usize, tag: usize, comm: usize) {
    until(|mpi| mpi.has_come(from as c_int, tag as c_int, comm));
}

/// Waits until all of these requests are complete.
#[inline]
pub fn for_all(count: usize, list: usize) {
    let mut places = 0..length(count);
    until(|mpi| {
        while !places.is_empty() && is_complete(mpi, list, places.start) {
            places.start += 1;
        }
        places.is_empty()
    });
}

/// Waits until one of these requests is complete.
#[inline]
pub fn for_any(count: usize, list: usize) {
    let places = 0..length(count);
    until(|mpi| places.is_empty() || places.clone().any(|place| is_complete(mpi, list, place)));
}

fn is_complete(mpi: &Mpi, list: usize, place: usize) -> bool {
    // SAFETY: the program's list has more than so many.
    mpi.is_complete(unsafe { mpi.handle_at(list, place) })
}

/// A count as C passes it.
fn length(count: usize) -> usize {
    (count as c_int).max(0) as usize
}

#[inline]
fn until(is_there: impl FnMut(&Mpi) -> bool) {
    if token::is_used() {
        wait(is_there);
    }
}

#[cold]
fn wait(mut is_there: impl FnMut(&Mpi) -> bool) {
    let Ok(mpi) = library::get() else { return };
    while !is_there(mpi) {
        std::thread::yield_now();
    }
}
