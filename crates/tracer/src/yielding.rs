//! Waiting that yields the core to other ranks.
//!
//! Most MPI libraries busy-wait. Where ranks outnumber cores, a rank that busy-waits keeps the core
//! from the others until the kernel preempts it, which takes milliseconds, and their caches are
//! cold by then: blocks of computation took up to twice as long. So with compute tokens
//! ([`compute_token`]), a rank polls before a blocking receive, probe or wait, and yields the core
//! until the message or request is there. Collectives, blocking sends, `MPI_Sendrecv` and waits for
//! persistent requests still busy-wait. The program sees no difference: its call is made then and
//! hardly waits.

use std::ffi::c_int;

use crate::compute_token;
use crate::library::{self, Mpi};
use crate::rank;

/// Yields until there is a message that a receive or a probe with these arguments would match.
#[inline]
pub fn until_message(from: usize, tag: usize, comm: usize) {
    until(|mpi| mpi.has_message(from as c_int, tag as c_int, comm));
}

/// Yields until all requests of a list are complete.
///
/// # Safety
/// `list` must be the address of `count` handles of requests.
#[inline]
pub unsafe fn until_all(count: usize, list: usize) {
    let mut places = 0..length(count);
    until(|mpi| {
        // SAFETY: the caller promises that the list has `count` handles, and places are below that.
        while !places.is_empty() && unsafe { is_complete(mpi, list, places.start) } {
            places.start += 1;
        }
        places.is_empty()
    });
}

/// Yields until at least one request of a list is complete.
///
/// # Safety
/// As for [`until_all`].
#[inline]
pub unsafe fn until_any(count: usize, list: usize) {
    let places = 0..length(count);
    // SAFETY: the caller promises that the list has `count` handles, and places are below that.
    let is_complete = |mpi: &Mpi, place| unsafe { is_complete(mpi, list, place) };
    until(|mpi| places.is_empty() || places.clone().any(|place| is_complete(mpi, place)));
}

/// # Safety
/// `list` must be the address of more than `place` handles of requests.
unsafe fn is_complete(mpi: &Mpi, list: usize, place: usize) -> bool {
    // SAFETY: as the caller promises.
    let request = unsafe { mpi.handle_at(list, place) };
    is_persistent(request) || mpi.is_complete(request)
}

/// Returns whether a request is persistent. Such requests are not polled: once
/// `MPI_Request_get_status` has found one complete, `MPI_Wait` of MPICH 5.0 returns an empty status
/// (4.0 and Open MPI return that of the message).
fn is_persistent(request: usize) -> bool {
    let find = |rank: &mut rank::Rank| {
        let slot = rank.requests.peek(request)?;
        Some(rank.requests.get(slot).is_persistent)
    };
    rank::with(find).flatten().unwrap_or(false)
}

/// Returns a count as C passes it: an `int`, in the lower half of a word.
fn length(count: usize) -> usize {
    (count as c_int).max(0) as usize
}

#[inline]
fn until(is_ready: impl FnMut(&Mpi) -> bool) {
    if compute_token::is_used() {
        wait(is_ready);
    }
}

#[cold]
fn wait(mut is_ready: impl FnMut(&Mpi) -> bool) {
    let Ok(mpi) = library::get() else { return };
    while !is_ready(mpi) {
        std::thread::yield_now();
    }
}
